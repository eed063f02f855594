package outline

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// number is the number of a heading: its parts from the left, letters as 1 for a.
// "7a" is 7, 1; "3.1" is 3, 1; "iv" is 4; a code such as "erw" has the text only.
type number struct {
	text  string // lower case, without the dot behind it
	parts []int
}

// after reports whether n comes somewhere behind m in the same count.
func (n number) after(m number) bool {
	for i, p := range n.parts {
		if i >= len(m.parts) {
			return true
		}
		if p != m.parts[i] {
			return p > m.parts[i]
		}
	}
	return false
}

// follows reports whether n is the next after m: 4 after 3, 3.2 after 3.1, 7a after 7.
func (n number) follows(m number) bool {
	if !n.after(m) {
		return false
	}
	for i, p := range n.parts {
		if i >= len(m.parts) {
			return i == len(n.parts)-1 && p == 1
		}
		if p != m.parts[i] {
			return p == m.parts[i]+1 && i == len(n.parts)-1
		}
	}
	return false
}

// readNumber reads a number of one of the kinds at the start of s (lower case) and is what follows it.
func readNumber(s string, kinds []string) (number, string, bool) {
	i := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' })
	if i < 0 {
		i = len(s)
	}
	word, tail := strings.TrimRight(s[:i], "."), s[i:]
	if word == "" || len(word) > 20 || strings.HasPrefix(tail, "'") || strings.HasPrefix(tail, "%") {
		return number{}, "", false
	}
	for _, k := range kinds {
		if parts := partsOf(word, k); parts != nil {
			return number{word, parts}, tail, true
		}
	}
	return number{}, "", false
}

// codeNumber stands for a code of letters, which has no place in a count: behind all that have one.
const codeNumber = 1000

// partsOf reads word as one kind of number, nil when it is none.
func partsOf(word, kind string) []int {
	switch kind {
	case "digits":
		return digits(word)
	case "roman":
		if n := roman(word); n > 0 {
			return []int{n}
		}
	case "letter":
		if r, n := utf8.DecodeRuneInString(word); n == len(word) {
			return letter(r)
		}
	case "dotted":
		return dotted(word)
	case "code":
		if len(word) <= 3 {
			return []int{codeNumber}
		}
	}
	return nil
}

// digits reads 8 and 7a, at most three digits.
func digits(w string) []int {
	i := 0
	for i < len(w) && w[i] >= '0' && w[i] <= '9' {
		i++
	}
	if i == 0 || i > 3 {
		return nil
	}
	n, _ := strconv.Atoi(w[:i])
	switch {
	case i == len(w):
		return []int{n}
	case len(w) == i+1 && w[i] >= 'a' && w[i] <= 'z':
		return []int{n, int(w[i]-'a') + 1}
	}
	return nil
}

func letter(r rune) []int {
	switch {
	case r >= 'a' && r <= 'z':
		return []int{int(r-'a') + 1}
	case r >= 'а' && r <= 'я':
		return []int{int(r-'а') + 1}
	}
	return nil
}

// dotted reads 3.1 and a.2.1: parts of one to three digits, the first may be a letter or a short code.
func dotted(w string) []int {
	var parts []int
	for i, p := range strings.Split(w, ".") {
		n, err := strconv.Atoi(p)
		switch {
		case err == nil && len(p) <= 3 && n >= 0:
		case i == 0 && p != "" && utf8.RuneCountInString(p) <= 3 && strings.Contains(w, "."):
			r, _ := utf8.DecodeRuneInString(p)
			l := letter(r)
			if l == nil {
				return nil
			}
			n = l[0]
		case i > 0 && len(p) > 1 && digits(p) != nil: // a2 in a2.1 and 1a in 3.1a
			n = digits(p)[0]
		default:
			return nil
		}
		parts = append(parts, n)
		if len(parts) > 8 {
			return nil
		}
	}
	return parts
}

// roman reads i to mmm; 0 when w is no well-formed numeral.
func roman(w string) int {
	value := func(c byte) int {
		return map[byte]int{'i': 1, 'v': 5, 'x': 10, 'l': 50, 'c': 100, 'm': 1000}[c]
	}
	n := 0
	for i := range len(w) {
		v := value(w[i])
		if v == 0 || len(w) > 8 {
			return 0
		}
		if i+1 < len(w) && v < value(w[i+1]) {
			n -= v
		} else {
			n += v
		}
	}
	if n <= 0 || toRoman(n) != w {
		return 0
	}
	return n
}

func toRoman(n int) string {
	var b strings.Builder
	for _, s := range []struct {
		v int
		t string
	}{{1000, "m"}, {900, "cm"}, {500, "d"}, {400, "cd"}, {100, "c"}, {90, "xc"}, {50, "l"}, {40, "xl"}, {10, "x"}, {9, "ix"}, {5, "v"}, {4, "iv"}, {1, "i"}} {
		for n >= s.v {
			b.WriteString(s.t)
			n -= s.v
		}
	}
	return b.String()
}
