package value

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

//go:embed words.txt
var wordsFile string

// spelling is one way to write a meaning.
type spelling struct{ word, means string }

// The tables of words.txt, longest spellings first.
var currencies, scales, letters, percents, ranges, approximations = tables(wordsFile)

func tables(file string) (currency, scale, letter, percent, to, approx []spelling) {
	by := map[string]*[]spelling{"currency": &currency, "scale": &scale, "letter": &letter, "percent": &percent, "range": &to, "approx": &approx}
	for line := range strings.Lines(file) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		kind, rest, _ := strings.Cut(line, ": ")
		means, words, ok := strings.Cut(rest, " = ")
		if by[kind] == nil || !ok {
			panic(fmt.Sprintf("words.txt: %q: want kind: meaning = spellings", line)) // the program was built with a broken file
		}
		for w := range strings.FieldsSeq(words) {
			*by[kind] = append(*by[kind], spelling{strings.ReplaceAll(w, "_", " "), means})
		}
	}
	for _, t := range by {
		slices.SortStableFunc(*t, func(a, b spelling) int { return len(b.word) - len(a.word) })
	}
	return currency, scale, letter, percent, to, approx
}

// spelled is the meaning that s begins with and the size of its spelling; 0: none. A spelling of letters ends where a
// word ends.
func spelled(table []spelling, s string) (means string, size int) {
	for _, t := range table {
		n := len(t.word)
		if n > len(s) || !strings.EqualFold(s[:n], t.word) {
			continue
		}
		last, _ := utf8.DecodeLastRuneInString(t.word)
		if next, _ := utf8.DecodeRuneInString(s[n:]); unicode.IsLetter(last) && unicode.IsLetter(next) {
			continue
		}
		return t.means, n
	}
	return "", 0
}

// leadingCurrency is the currency that s begins with and what follows it.
func leadingCurrency(s string) (code, rest string) {
	code, n := spelled(currencies, s)
	return code, s[n:]
}

// factorOf reads a factor of words.txt.
func factorOf(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic("words.txt: " + s + " is no factor") // the program was built with a broken file
	}
	return n
}

// CurrencyIn is the one currency that a text names, "in millions of U.S. dollars"; "" when it names none, or several.
func CurrencyIn(s string) string {
	found := ""
	for at := 0; at < len(s); {
		r, size := utf8.DecodeRuneInString(s[at:])
		prev, _ := utf8.DecodeLastRuneInString(s[:at])
		if at > 0 && unicode.IsLetter(prev) && unicode.IsLetter(r) {
			at += size
			continue
		}
		if code, n := spelled(currencies, s[at:]); n > 0 {
			if found != "" && found != code {
				return ""
			}
			found, size = code, n
		}
		at += size
	}
	return found
}

// ScaleIn is the first scale word of a text, 1e6 of "in millions"; 1 when it has none.
func ScaleIn(s string) int64 {
	for w := range strings.FieldsFuncSeq(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("()[],;:", r) }) {
		if factor, n := spelled(scales, w); n == len(w) {
			return factorOf(factor)
		}
	}
	return 1
}
