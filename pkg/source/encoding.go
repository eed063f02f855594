package source

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

const bom8 = "\xef\xbb\xbf"

// encoding of a text file.
type encoding string

const (
	utf8Text encoding = "utf-8"
	utf16LE  encoding = "utf-16le"
	utf16BE  encoding = "utf-16be"
)

// encodingOf tells UTF-16 by its mark, or, without one, by NULs that stand at every other byte
// (text with many characters of Latin) and nowhere else.
func encodingOf(raw []byte) encoding {
	switch {
	case bytes.HasPrefix(raw, []byte("\xff\xfe")):
		return utf16LE
	case bytes.HasPrefix(raw, []byte("\xfe\xff")):
		return utf16BE
	}
	head := raw[:min(len(raw), 4096)&^1]
	if len(raw)%2 != 0 || len(head) < 8 {
		return utf8Text
	}
	var zeros [2]int
	for i, c := range head {
		if c == 0 {
			zeros[i&1]++
		}
	}
	half := len(head) / 2
	switch {
	case zeros[1]*10 >= half*7 && zeros[0] == 0:
		return utf16LE
	case zeros[0]*10 >= half*7 && zeros[1] == 0:
		return utf16BE
	}
	return utf8Text
}

// normalise makes raw UTF-8 with lines that end at LF, as the package says. It copies only when
// it must.
func normalise(raw []byte) Source {
	e := encodingOf(raw)
	s := Source{Encoding: string(e)}
	switch e {
	case utf16LE, utf16BE:
		raw, s.Replaced = fromUTF16(raw, e == utf16BE)
	default:
		raw = bytes.TrimPrefix(raw, []byte(bom8))
	}
	if clean(raw) {
		s.Markdown = raw
		return s
	}
	var n int
	s.Markdown, n = mend(raw)
	s.Replaced += n
	return s
}

// clean reports whether b has neither CR nor NUL and is UTF-8.
func clean(b []byte) bool {
	return bytes.IndexByte(b, '\r') < 0 && bytes.IndexByte(b, 0) < 0 && utf8.Valid(b)
}

// mend is b with its line ends made LF and what is no text made U+FFFD, and how often it was.
func mend(b []byte) ([]byte, int) {
	lone := byte(' ')
	if bytes.IndexByte(b, '\n') < 0 {
		lone = '\n'
	}
	out := make([]byte, 0, len(b)+len(b)/64+64)
	replaced := 0
	for i := 0; i < len(b); {
		c := b[i]
		switch {
		case c == '\r':
			if i+1 < len(b) && b[i+1] == '\n' {
				c = '\n'
				i++
			} else {
				c = lone
			}
			out = append(out, c)
			i++
		case c == 0:
			out = append(out, "\uFFFD"...)
			replaced++
			i++
		case c < utf8.RuneSelf:
			out = append(out, c)
			i++
		default:
			r, n := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && n == 1 {
				replaced++
			}
			out = utf8.AppendRune(out, r)
			i += n
		}
	}
	return out, replaced
}

// fromUTF16 is raw as UTF-8, without its mark, and how many units were no text.
func fromUTF16(raw []byte, big bool) ([]byte, int) {
	unit := func(i int) rune {
		if big {
			return rune(raw[i])<<8 | rune(raw[i+1])
		}
		return rune(raw[i+1])<<8 | rune(raw[i])
	}
	i, n := 0, len(raw)&^1
	if n >= 2 && unit(0) == 0xfeff {
		i = 2
	}
	out := make([]byte, 0, len(raw))
	bad := len(raw) & 1
	for i < n {
		r := unit(i)
		i += 2
		if utf16.IsSurrogate(r) {
			pair := rune(utf8.RuneError)
			if i < n {
				pair = utf16.DecodeRune(r, unit(i))
			}
			if pair == utf8.RuneError {
				bad++
			} else {
				i += 2
			}
			r = pair
		}
		out = utf8.AppendRune(out, r)
	}
	if bad > 0 && len(raw)&1 == 1 {
		out = utf8.AppendRune(out, utf8.RuneError)
	}
	return out, bad
}
