package words

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxCached bounds the words that one scratch remembers; then it forgets them all.
const maxCached = 1 << 15

// scratch is the working memory of one analysis: a buffer for the word in hand and the
// terms of words seen lately, so that a frequent word is stemmed once and shared.
type scratch struct {
	lang  Language
	rules *rules
	buf   []byte
	words map[string]string // lower-cased word -> term; "" is a stop word
	whole map[string]string // identifier or number -> itself, to share the string
}

var pools = map[Language]*sync.Pool{
	None:    newPool(None),
	English: newPool(English),
	German:  newPool(German),
	Russian: newPool(Russian),
}

func newPool(l Language) *sync.Pool {
	return &sync.Pool{New: func() any {
		return &scratch{lang: l, rules: rulesOf(l), words: map[string]string{}, whole: map[string]string{}}
	}}
}

func borrow(l Language) *scratch {
	p := pools[l]
	if p == nil {
		p = pools[None]
	}
	return p.Get().(*scratch)
}

func (s *scratch) giveBack() {
	if len(s.words) > maxCached {
		clear(s.words)
	}
	if len(s.whole) > maxCached {
		clear(s.whole)
	}
	pools[s.lang].Put(s)
}

// word appends the term of a plain word, unless it is a stop word.
func (s *scratch) word(dst []string, raw string) []string {
	b := s.lower(raw)
	t, ok := s.words[string(b)]
	if !ok {
		t = s.rules.term(strings.Clone(string(b)))
		if len(s.words) > maxCached {
			clear(s.words)
		}
		s.words[string(b)] = t
	}
	if t == "" {
		return dst
	}
	return append(dst, t)
}

// keep appends b, an identifier or a number, as it is.
func (s *scratch) keep(dst []string, b []byte) []string {
	if len(b) == 0 || len(b) > MaxTerm {
		return dst
	}
	t, ok := s.whole[string(b)]
	if !ok {
		t = string(b)
		if len(s.whole) > maxCached {
			clear(s.whole)
		}
		s.whole[t] = t
	}
	return append(dst, t)
}

// lower is raw in lower case, folded, at most MaxTerm bytes; valid until the next call.
func (s *scratch) lower(raw string) []byte {
	b := s.buf[:0]
	for i := 0; i < len(raw) && len(b) < MaxTerm; i++ {
		c := raw[i]
		if c >= utf8.RuneSelf {
			b = s.lowerRunes(b, raw[i:])
			break
		}
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		b = append(b, c)
	}
	s.buf = b[:0]
	return b
}

func (s *scratch) lowerRunes(b []byte, raw string) []byte {
	for _, r := range raw {
		n := len(b)
		b = appendFolded(b, unicode.ToLower(r), s.lang)
		if len(b) > MaxTerm {
			return b[:n]
		}
	}
	return b
}

// appendFolded appends r without what two writers of the same word do differently: ligatures
// and full-width forms, soft hyphens, the Russian yo, in English all accents.
func appendFolded(b []byte, r rune, l Language) []byte {
	switch {
	case r < utf8.RuneSelf:
		return append(b, byte(r))
	case r == 0xAD || r == 0x200B || r == 0x200C || r == 0x200D || r == 0x2060 || r == 0xFEFF:
		return b
	case r == '’' || r == 'ʼ':
		return append(b, '\'')
	case r == '‐' || r == '‑':
		return append(b, '-')
	case r >= 0xFB00 && r <= 0xFB06:
		return append(b, ligatures[r-0xFB00]...)
	case r >= 0xFF01 && r <= 0xFF5E:
		return append(b, byte(unicode.ToLower(r-0xFF01+'!')))
	case r == 'ё' && l == Russian:
		r = 'е'
	case l == English && r < 0x250:
		return appendBase(b, r)
	case l == English && unicode.Is(unicode.Mn, r):
		return b
	}
	return utf8.AppendRune(b, r)
}

var ligatures = [...]string{"ff", "fi", "fl", "ffi", "ffl", "st", "st"}

// appendBase appends the base letter of an accented Latin one.
func appendBase(b []byte, r rune) []byte {
	d := norm.NFD.PropertiesString(string(r)).Decomposition()
	if len(d) == 0 {
		return utf8.AppendRune(b, r)
	}
	base, _ := utf8.DecodeRune(d)
	return utf8.AppendRune(b, base)
}
