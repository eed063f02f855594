package words

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// class is what a character is to the scanner.
type class uint8

const (
	other  class = iota
	letter       // of a script that parts its words
	digit
	dense // of a script that does not
	link  // joins words to an identifier when one stands on both sides
)

// maxRun is the length in bytes from which a run is not prolonged over a link.
const maxRun = 256

// scan appends the terms of text. A run is letters and digits joined by links.
func (s *scratch) scan(dst []string, text string) []string {
	text = norm.NFC.String(text) // text itself, without a copy, when it is NFC already
	before := other
	for i := 0; i < len(text); {
		c, n := classAt(text, i)
		switch {
		case c == letter || c == digit:
			var r run
			r, i = s.runAt(text, i, before)
			dst = s.emit(dst, r)
			before = letter
			continue
		case c == dense:
			end := denseEnd(text, i)
			dst = s.pairs(dst, text[i:end])
			i, before = end, letter
			continue
		case n == 1 && text[i] == '<':
			c = link // what follows "<" or a link begins no path
		}
		before = c
		i += n
	}
	return dst
}

// run is a stretch of text with what the scanner learned on the way.
type run struct {
	text   string
	path   bool // "/" stands in front and begins it
	links  int  // joints, apostrophes inside a word excepted
	digits bool
	camel  bool // a capital after a small letter, or a small one after two capitals
	alpha  bool // has a letter
}

// runAt is the run that begins at i and where it ends. before is the class of what stands in front of the
// run's slash, if it has one.
func (s *scratch) runAt(text string, i int, before class) (run, int) {
	r := run{path: i > 0 && text[i-1] == '/' && before == link && beginsPath(text, i-1)}
	start, small, capitals := i, false, 0
	for i < len(text) {
		c, n := classAt(text, i)
		switch c {
		case letter:
			r.alpha = true
			up := isUpper(text, i)
			r.camel = r.camel || up && small || !up && capitals > 1
			small = !up
			if capitals++; !up {
				capitals = 0
			}
		case digit:
			r.digits = true
			small, capitals = false, 0
		default:
			j := s.joint(text, i, start, c, n)
			if j == 0 {
				r.text = text[start:i]
				return r, i
			}
			if text[i] != '\'' && !isApostrophe(text, i) {
				r.links++
			}
			r.alpha = r.alpha || text[i] == '('
			small, capitals = false, 0
			n = j
		}
		i += n
	}
	r.text = text[start:i]
	return r, i
}

// joint is the length of what joins the run text[start:i] to what follows, or 0.
func (s *scratch) joint(text string, i, start int, c class, n int) int {
	if i-start > maxRun {
		return 0
	}
	if text[i] == '(' {
		return clause(text, i, start)
	}
	if s.rules.comma && hardSpace(text[i:]) {
		return thousands(text, i, n)
	}
	if c != link {
		return 0
	}
	for text[i] == '_' && i+n < len(text) && text[i+n] == '_' {
		n++
	}
	next, _ := classAt(text, i+n)
	switch {
	case next != letter && next != digit:
		return 0
	case text[i] == ',' && (next != digit || !isDigit(text[i-1])):
		return 0
	case isApostrophe(text, i) && !(s.rules.apostrophe && next == letter):
		return 0
	}
	return n
}

// clause is the length of "(b)" that stands right behind a digit or another clause, or 0.
func clause(text string, i, start int) int {
	if i == start || !isDigit(text[i-1]) && text[i-1] != ')' {
		return 0
	}
	for j := i + 1; j < len(text) && j <= i+5; j++ {
		b := text[j]
		switch {
		case b == ')' && j > i+1:
			return j + 1 - i
		case !isDigit(b) && !(b|0x20 >= 'a' && b|0x20 <= 'z'):
			return 0
		}
	}
	return 0
}

// thousands is n, the length of the space at i, when digits stand before it and exactly three behind.
func thousands(text string, i, n int) int {
	j := i + n
	k := j
	for k < len(text) && isDigit(text[k]) {
		k++
	}
	if k-j != 3 || !isDigit(text[i-1]) {
		return 0
	}
	return n
}

// beginsPath reports whether the slash at i is the first character of a path.
func beginsPath(text string, i int) bool {
	if i == 0 {
		return true
	}
	switch text[i-1] {
	case ' ', '\t', '\n', '`', '"', '\'', '(', '[', '{', '=', '|':
		return true
	}
	return false
}

// classAt is the class and length of the character at i; other and 1 past the end.
func classAt(text string, i int) (class, int) {
	if i >= len(text) {
		return other, 1
	}
	if b := text[i]; b < utf8.RuneSelf {
		return ascii[b], 1
	}
	r, n := utf8.DecodeRuneInString(text[i:])
	return classOf(r), n
}

var ascii = func() (t [utf8.RuneSelf]class) {
	for b := range t {
		switch {
		case b >= '0' && b <= '9':
			t[b] = digit
		case b|0x20 >= 'a' && b|0x20 <= 'z':
			t[b] = letter
		}
	}
	for _, b := range "_.-/&',+" {
		t[b] = link
	}
	t['+'] = other
	return t
}()

func classOf(r rune) class {
	switch {
	case r == '’' || r == 'ʼ' || r == '‐' || r == '‑':
		return link
	case r == 0xAD || r == 0x200B || r == 0x200C || r == 0x200D || r == 0x2060 || r == 0xFEFF:
		return letter // invisible: folded away inside a word
	case r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return dense
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return letter
	case unicode.IsDigit(r):
		return digit
	}
	return other
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func isUpper(text string, i int) bool {
	if b := text[i]; b < utf8.RuneSelf {
		return b >= 'A' && b <= 'Z'
	}
	r, _ := utf8.DecodeRuneInString(text[i:])
	return unicode.IsUpper(r)
}

func isApostrophe(text string, i int) bool {
	if text[i] == '\'' {
		return true
	}
	r, _ := utf8.DecodeRuneInString(text[i:])
	return r == '’' || r == 'ʼ'
}

func hardSpace(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return r == 0xA0 || r == 0x202F || r == 0x2009
}

func denseEnd(text string, i int) int {
	for i < len(text) {
		c, n := classAt(text, i)
		if c != dense {
			return i
		}
		i += n
	}
	return i
}

// pairs appends each two neighbouring characters of t, or the one there is.
func (s *scratch) pairs(dst []string, t string) []string {
	_, n := utf8.DecodeRuneInString(t)
	if n == len(t) {
		return s.keep(dst, []byte(t))
	}
	for {
		_, m := utf8.DecodeRuneInString(t[n:])
		dst = s.keep(dst, append(s.buf[:0], t[:n+m]...))
		t = t[n:]
		if n = m; n == len(t) {
			return dst
		}
	}
}
