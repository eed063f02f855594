package inline

import (
	"bytes"
	"strings"
)

// tag drops a tag or comment; a block's tag or a line break leaves a blank.
func (s *scan) tag() {
	rest := s.src[s.at:]
	if !s.noEnd && bytes.HasPrefix(rest, []byte("<!--")) {
		if end := bytes.Index(rest, []byte("-->")); end >= 0 {
			s.at += end + 3
			return
		}
		s.noEnd = true
	}
	n := TagLen(rest)
	if n == 0 {
		if m := autolink(rest); m > 0 {
			s.out = append(s.out, rest[1:m-1]...)
			s.at += m
			return
		}
		s.out = append(s.out, '<')
		s.at++
		return
	}
	if !phrasing[tagName(rest[:n])] {
		s.blank()
	}
	s.at += n
}

// TagLen is the length of the HTML tag at the start of b, 0 if there is none. A tag ends at its
// '>' outside of quotes; a '<' inside means that it was never closed.
func TagLen(b []byte) int {
	if len(b) < 3 || b[0] != '<' {
		return 0
	}
	i := 1
	if b[1] == '/' || b[1] == '!' || b[1] == '?' {
		i = 2
	}
	start := i
	for i < len(b) && (letter(b[i]) || i > start && (b[i] >= '0' && b[i] <= '9' || b[i] == '-')) {
		i++
	}
	if i == start || i == len(b) || !strings.ContainsRune(" \t\r\n/>", rune(b[i])) {
		return 0
	}
	return tagEnd(b, i)
}

func tagEnd(b []byte, i int) int {
	quote := byte(0)
	for ; i < len(b); i++ {
		c := b[i]
		switch {
		case c == '<':
			return 0
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '>':
			return i + 1
		case (c == '"' || c == '\'') && b[i-1] == '=':
			quote = c
		}
	}
	return 0
}

// tagName is the lower-case name of a tag, without '/'; "" when it is longer than any we know.
func tagName(tag []byte) string {
	tag = bytes.TrimLeft(tag[1:], "/!?")
	n := 0
	for n < len(tag) && (letter(tag[n]) || tag[n] >= '0' && tag[n] <= '9') {
		n++
	}
	if n > 12 {
		return ""
	}
	var low [12]byte
	for i := range n {
		low[i] = tag[i] | 0x20
	}
	return string(low[:n])
}

// phrasing are the elements that stand inside a word or sentence.
var phrasing = map[string]bool{"a": true, "abbr": true, "b": true, "bdi": true, "bdo": true, "big": true, "cite": true,

	"code": true, "del": true, "dfn": true, "em": true, "font": true, "i": true, "ins": true, "kbd": true, "mark": true,
	"q": true, "s": true, "samp": true, "small": true, "span": true, "strike": true, "strong": true, "sub": true,
	"sup": true, "tt": true, "u": true, "var": true, "wbr": true}

// autolink is the length of "<https://...>" or "<a@b>" at the start of b, or 0.
func autolink(b []byte) int {
	end := bytes.IndexAny(b[1:min(len(b), 500)], "<> \t\r\n")
	if end < 0 || b[1+end] != '>' {
		return 0
	}
	if in := b[1 : 1+end]; !bytes.Contains(in, []byte(":")) && !bytes.Contains(in, []byte("@")) {
		return 0
	}
	return end + 2
}
