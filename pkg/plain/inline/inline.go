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
