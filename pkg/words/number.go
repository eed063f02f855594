package words

import (
	"strings"
	"unicode/utf8"
)

// numbers appends the numbers of a run without letters. With other joints than thousands
// separators and decimal signs ("2022-12-31", "1.2.3") the whole is kept, too.
func (s *scratch) numbers(dst []string, r run) []string {
	if n := s.number(r.text); n != nil {
		return s.keep(dst, n)
	}
	if strings.Trim(r.text, "0123456789.") == "" {
		return s.keep(dst, append(s.buf[:0], r.text...)) // a section's number
	}
	if strings.ContainsAny(r.text, "-/_&()") && len(r.text) < MaxTerm {
		dst = s.keep(dst, s.lower(r.text))
	}
	for p := range strings.FieldsFuncSeq(r.text, func(r rune) bool { return strings.ContainsRune("-/_&()‐‑,\u00a0\u202f\u2009", r) }) {
		if n := s.number(p); n != nil {
			dst = s.keep(dst, n)
		} else if len(p) <= MaxTerm {
			dst = s.keep(dst, append(s.buf[:0], p...))
		}
	}
	return dst
}

// number is t as plain digits with at most one decimal point, or nil when t is not one number.
func (s *scratch) number(t string) []byte {
	group, point := byte(','), byte('.')
	if s.rules.comma {
		group, point = '.', ','
	}
	if len(t) > MaxTerm {
		return nil
	}
	b := s.buf[:0]
	digits, grouped, pointed := 0, false, false
	for i := 0; i < len(t); i++ {
		switch c := t[i]; {
		case isDigit(c):
			b = append(b, c)
			digits++
		case c >= utf8.RuneSelf && hardSpace(t[i:]):
			if pointed || digits > 3 || grouped && digits != 3 {
				return nil
			}
			_, n := utf8.DecodeRuneInString(t[i:])
			i += n - 1
			digits, grouped = 0, true
		case c == group && !pointed && threeDigits(t[i+1:]) && digits <= 3 && (!grouped || digits == 3):
			digits, grouped = 0, true
		case (c == point || c == '.' && !grouped) && !pointed && (!grouped || digits == 3):
			b = append(b, '.')
			digits, pointed = 0, true
		default:
			return nil
		}
	}
	if grouped && !pointed && digits != 3 {
		return nil
	}
	return b
}

// threeDigits reports whether t begins with exactly three digits.
func threeDigits(t string) bool {
	n := 0
	for n < len(t) && isDigit(t[n]) {
		n++
	}
	return n == 3
}
