// Package inline turns marked-up text into clean text: HTML tags and comments, emphasis, links,
// images, code ticks and backslashes go, entities are decoded, white space is folded to one blank.
// It is linear in its input and takes any bytes.
package inline

import (
	"bytes"
	"html"
	"strings"
	"unicode/utf8"
)

// gone marks a byte of the output that is taken out at the end. NUL never stands in clean text.
const gone = 0

// Text is the clean form of src: one line, without blanks at its ends.
func Text(src []byte) string {
	if s, ok := fast(src); ok {
		return s
	}
	return string(Append(nil, src))
}

// fast answers for the commonest text, which has nothing to clean.
func fast(src []byte) (string, bool) {
	src = bytes.TrimSpace(src)
	blank := false
	for i, c := range src {
		switch {
		case c == '_' && i > 0 && i < len(src)-1 && wordByte(src[i-1]) && wordByte(src[i+1]):
		case c == ' ' && !blank:
		case stops[c]:
			return "", false
		}
		blank = c == ' '
	}
	return string(src), true
}

// Append appends the clean form of src to dst.
func Append(dst, src []byte) []byte {
	s := scan{src: src, out: dst, from: len(dst), star: -1, under: -1}
	for s.at < len(src) {
		s.step()
	}
	return s.finish()
}

// scan is one pass over a text.
type scan struct {
	src, out []byte
	at       int
	from     int   // where this text begins in out
	star     int   // place in out of an open '*', or -1
	under    int   // place in out of an open '_', or -1
	noEnd    bool  // no "-->" stands ahead
	dirty    bool  // something is marked as gone
	brackets []int // places in out of open '[', the last 32
}

// run is how many bytes from here on are clean: single blanks between words are.
func (s *scan) run() int {
	i := s.at
	for i < len(s.src) {
		c := s.src[i]
		if stops[c] && !(c == ' ' && i > s.at && i+1 < len(s.src) && !stops[s.src[i+1]]) {
			break
		}
		i++
	}
	return i - s.at
}

// stops are the bytes that step looks at.
var stops = func() (t [256]bool) {
	for c := range 33 {
		t[c] = true
	}
	for _, c := range []byte("<&*_`[]!\\\x7f\xc2") {
		t[c] = true
	}
	return t
}()

func (s *scan) step() {
	c := s.src[s.at]
	switch {
	case c == '<':
		s.tag()
	case c == '&':
		s.entity()
	case c == '*':
		s.emphasis(c, &s.star)
	case c == '_':
		s.emphasis(c, &s.under)
	case c == '`':
		s.code()
	case c == '\\':
		s.escape()
	case c == '[':
		s.open()
	case c == ']':
		s.close()
	case c == '!' && s.peek(1) == '[':
		s.at++
	case c == gone || c == 0x7f:
		s.at++
	case c <= ' ':
		s.blank()
		s.at++
	case c == 0xC2 && s.peek(1) == 0xA0:
		s.blank()
		s.at += 2
	default:
		s.out = append(s.out, c)
		s.at++
	}
}

func (s *scan) peek(n int) byte {
	if s.at+n < len(s.src) {
		return s.src[s.at+n]
	}
	return ' '
}

func (s *scan) before() byte {
	if s.at > 0 {
		return s.src[s.at-1]
	}
	return ' '
}

// blank adds one blank unless the text so far ends in one.
func (s *scan) blank() {
	if n := len(s.out); n > s.from && s.out[n-1] != ' ' {
		s.out = append(s.out, ' ')
	}
}

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

// entity decodes one character reference; an unknown one stays.
func (s *scan) entity() {
	rest := s.src[s.at:]
	end := bytes.IndexByte(rest[:min(len(rest), 33)], ';')
	if end < 2 {
		s.out = append(s.out, '&')
		s.at++
		return
	}
	if bytes.HasPrefix(rest, []byte("&amp;nbsp;")) { // escaped twice, as parsers of indented tables do
		s.blank()
		s.at += len("&amp;nbsp;")
		return
	}
	text := html.UnescapeString(string(rest[:end+1]))
	for _, r := range text {
		if r <= ' ' || r == 0xA0 {
			s.blank()
		} else {
			s.out = utf8.AppendRune(s.out, r)
		}
	}
	s.at += end + 1
}

// emphasis drops a run of two or more marks beside a word, and a single mark with its partner.
func (s *scan) emphasis(c byte, open *int) {
	n := 1
	for s.peek(n) == c {
		n++
	}
	prev, next := s.before(), s.peek(n)
	opens, closes := next > ' ', prev > ' '
	if c == '_' {
		opens, closes = opens && !wordByte(prev), closes && !wordByte(next)
	}
	switch {
	case n > 3 || !opens && !closes || c == '_' && n == 1 && !opens && !closes:
		s.out = append(s.out, s.src[s.at:s.at+n]...)
	case n >= 2: // strong: dropped
	case closes && *open >= 0:
		s.out[*open], *open, s.dirty = gone, -1, true
	default:
		if opens {
			*open = len(s.out)
		}
		s.out = append(s.out, c)
	}
	s.at += n
}

// code drops the ticks; what stands between them is cleaned like the rest, which loses little.
func (s *scan) code() {
	for s.at < len(s.src) && s.src[s.at] == '`' {
		s.at++
	}
}

func (s *scan) escape() {
	s.at++
	if s.at < len(s.src) && strings.IndexByte("\\`*_{}[]()#+-.!|<>&~$%\"'", s.src[s.at]) >= 0 {
		s.out = append(s.out, s.src[s.at])
		s.at++
		return
	}
	s.out = append(s.out, '\\')
}

func (s *scan) open() {
	if len(s.brackets) == 32 {
		s.brackets = append(s.brackets[:0], s.brackets[1:]...)
	}
	s.brackets = append(s.brackets, len(s.out))
	s.out = append(s.out, '[')
	s.at++
}

// close ends "[text](target)": the text stays.
func (s *scan) close() {
	n := len(s.brackets)
	if n == 0 {
		s.out = append(s.out, ']')
		s.at++
		return
	}
	place := s.brackets[n-1]
	s.brackets = s.brackets[:n-1]
	if end := target(s.src[s.at+1:]); end > 0 {
		s.out[place], s.dirty = gone, true
		s.at += 1 + end
		return
	}
	s.out = append(s.out, ']')
	s.at++
}

// Limits of a link's target: its bytes, and how deep its parentheses nest.
const maxTarget, maxNested = 2000, 4

// target is the length of "(...)" at the start of b, parentheses paired, or 0.
func target(b []byte) int {
	if len(b) == 0 || b[0] != '(' {
		return 0
	}
	depth := 0
	for i, c := range b[:min(len(b), maxTarget)] {
		switch c {
		case '(':
			if depth++; depth > maxNested {
				return 0
			}
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		case '\n':
			return 0
		}
	}
	return 0
}

// finish takes out what was marked as gone and the blank at the end.
func (s *scan) finish() []byte {
	if !s.dirty {
		if n := len(s.out); n > s.from && s.out[n-1] == ' ' {
			return s.out[:n-1]
		}
		return s.out
	}
	out, w, blank := s.out, s.from, true
	for _, c := range out[s.from:] {
		if c == gone || c == ' ' && blank {
			continue
		}
		blank = c == ' '
		out[w] = c
		w++
	}
	if w > s.from && out[w-1] == ' ' {
		w--
	}
	return out[:w]
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func wordByte(c byte) bool { return letter(c) || c >= '0' && c <= '9' || c == '_' || c >= 0x80 }
