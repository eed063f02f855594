package value

import (
	"math/big"
	"strings"
	"unicode/utf8"
)

// maxDigits bounds a number; a longer run of digits is an identifier.
const maxDigits = 40

// digits reads the number at p.at: digits with separators. It reports false, and stays, where there is none.
func (p *parser) digits() (n *big.Rat, places int, ok bool) {
	end, marks := p.at, 0
	for end < len(p.s) {
		c := p.s[end]
		if c >= '0' && c <= '9' {
			end++
			continue
		}
		size := p.separator(end)
		if size == 0 || !digitAt(p.s, end+size) {
			break
		}
		end += size
		marks++
	}
	if !digitAt(p.s, p.at) && !(p.at < len(p.s) && p.s[p.at] == '.' && digitAt(p.s, p.at+1)) || end-p.at > 2*maxDigits {
		return nil, 0, false
	}
	plain, places, ok := plainOf(p.s[p.at:end], p.convention)
	if !ok || len(plain) > maxDigits {
		return nil, 0, false
	}
	n, ok = new(big.Rat).SetString(plain)
	if ok {
		p.at = end
	}
	return n, places, ok
}

// separator is the size of the mark at byte at that may stand within a number; 0: none does.
func (p *parser) separator(at int) int {
	r, size := utf8.DecodeRuneInString(p.s[at:])
	switch r {
	case '.', ',', '\'', '’', '\u00a0', '\u202f', '\u2009':
		return size
	case ' ':
		if (p.cell || p.convention == Comma) && threeDigits(p.s[at+1:]) && groupBefore(p.s[p.at:at]) {
			return size
		}
	}
	return 0
}

// groupBefore reports whether what was read of a number so far may be followed by a blank and three digits.
func groupBefore(s string) bool {
	i := strings.LastIndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	n := len(s) - i - 1
	return n > 0 && n <= 3 && !strings.ContainsAny(s, ".,") && (i < 0 || n == 3)
}

func threeDigits(s string) bool {
	return digitAt(s, 0) && digitAt(s, 1) && digitAt(s, 2) && !digitAt(s, 3)
}

func digitAt(s string, i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }

// plainOf is a number as digits with at most one point, and its decimals. Where both marks stand, the last one is the
// decimal mark; one that stands twice divides thousands; a single one does so before exactly three digits, if the
// convention says so.
func plainOf(s string, c Convention) (plain string, places int, ok bool) {
	s = strings.Map(func(r rune) rune {
		switch r {
		case '\'', '’', '\u00a0', '\u202f', '\u2009', ' ':
			return ' '
		}
		return r
	}, s)
	group, point := byte(','), byte('.')
	if c == Comma {
		group, point = '.', ','
	}
	lastPoint, lastComma := strings.LastIndexByte(s, '.'), strings.LastIndexByte(s, ',')
	switch points, commas := strings.Count(s, "."), strings.Count(s, ","); {
	case points > 0 && commas > 0:
		group, point = ',', '.'
		if lastComma > lastPoint {
			group, point = '.', ','
		}
	case points > 1:
		group, point = '.', ','
	case commas > 1:
		group, point = ',', '.'
	case points+commas == 1:
		at := max(lastPoint, lastComma)
		group, point = other(s[at]), s[at]
		if whole := s[:at]; c.divides(s[at]) && grouped(s, s[at]) && whole != "0" {
			group, point = s[at], other(s[at])
		}
	}
	whole, frac, has := strings.Cut(s, string(point))
	if strings.IndexByte(frac, point) >= 0 || strings.ContainsAny(frac, string(group)+" ") || !grouped(whole, group) {
		return "", 0, false
	}
	plain = strings.NewReplacer(string(group), "", " ", "").Replace(whole)
	if plain == "" {
		plain = "0"
	}
	if has {
		return plain + "." + frac, len(frac), frac != ""
	}
	return plain, 0, true
}

// divides reports whether a single mark before three digits divides thousands.
func (c Convention) divides(mark byte) bool { return (mark == ',') == (c == Point) }

func other(mark byte) byte {
	if mark == ',' {
		return '.'
	}
	return ','
}

// grouped reports whether the digits stand in groups: three at the end, two (as in India) or three before.
func grouped(s string, mark byte) bool {
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == rune(mark) || r == ' ' })
	if len(parts) <= 1 {
		return strings.Trim(s, "0123456789") == ""
	}
	for i, part := range parts {
		n := len(part)
		switch {
		case strings.Trim(part, "0123456789") != "":
			return false
		case i == 0 && (n < 1 || n > 3), i == len(parts)-1 && n != 3, i > 0 && n != 2 && n != 3:
			return false
		}
	}
	return true
}
