package outline

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// enumerated reads the number that begins a title without a word before it: 3.1 Scope, IV. Results,
// A. Data, (a) Vesting, 1) First. k is the title's key.
func enumerated(title, k string) rule {
	tok, tail, _ := strings.Cut(k, " ")
	if len(tok) > 24 || tok == "" {
		return rule{}
	}
	if strings.HasPrefix(tok, "(") {
		return bracketed(title, tok, tail)
	}
	alone := strings.Trim(tail, " .:-") == ""
	word := strings.TrimRight(tok, ".:)")
	closed := word != tok
	c := word
	if c == "" {
		return rule{}
	}
	if c[0] >= '0' && c[0] <= '9' {
		parts := dotted(c)
		if parts == nil || len(parts) == 1 && (!closed && (len(c) > 2 || alone) || len(c) > 2) || alone && !closed && len(parts) == 1 {
			return rule{}
		}
		if strings.HasSuffix(tok, ")") && len(parts) == 1 {
			return rule{family: "1)", rank: rankList, number: number{c, parts}, alone: alone}
		}
		return rule{family: "dotted", rank: rankDotted + min(len(parts), 9), number: number{c, parts}, alone: alone}
	}
	if i := strings.IndexByte(c, '.'); i > 0 && i <= 3 {
		if parts := dotted(c); len(parts) > 1 && isUpper(title) {
			return rule{family: "dotted", rank: rankDotted + min(len(parts), 9), number: number{c, parts}, alone: alone}
		}
		return rule{}
	}
	if !strings.HasSuffix(tok, ".") || alone {
		return rule{}
	}
	return lettered(title, c, ".")
}

// bracketed reads (a), (iv), (3).
func bracketed(title, tok, tail string) rule {
	i := strings.IndexByte(tok, ')')
	if i < 2 || i > 6 {
		return rule{}
	}
	c := tok[1:i]
	if d := digits(c); len(d) == 1 {
		return rule{family: "(1)", rank: rankList, number: number{c, d}, alone: tail == ""}
	}
	return lettered(strings.TrimPrefix(title, "("), c, ")")
}

// lettered reads a letter or a Roman numeral; I, V, X and C are told from numerals by what stands before them,
// later (see styles).
func lettered(title, c, mark string) rule {
	up := isUpper(title)
	if r := roman(c); r > 0 && len(c) > 1 {
		return rule{family: styleName("i", up, mark), rank: rankList, number: number{c, []int{r}}}
	}
	if r, n := utf8.DecodeRuneInString(c); n == len(c) && letter(r) != nil {
		return rule{family: styleName("a", up, mark), rank: rankList, number: number{c, letter(r)}}
	}
	return rule{}
}

func styleName(s string, up bool, mark string) string {
	if up {
		s = strings.ToUpper(s)
	}
	if mark == ")" {
		return "(" + s + ")"
	}
	return s + mark
}

func isUpper(title string) bool {
	r, _ := utf8.DecodeRuneInString(title)
	return unicode.IsUpper(r)
}
