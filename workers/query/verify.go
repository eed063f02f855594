package query

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/fingerpost/fingerpost/pkg/plain"
)

// vouched reports whether a quote says what is shown for it: the plain rendering of the quoted lines holds the shown text,
// but for white space and the marks of tables and markup, and each number of it stands in the quote as a number of
// its own.
func vouched(quote []byte, shown string) bool {
	return holds(quote, shown, []string{shown})
}

// spanned is vouched for the rows of a table, given from the first on that reaches into the last, which is shown: each
// of its cells stands in them.
func spanned(quote []byte, shown string) bool {
	return holds(quote, shown, strings.Split(shown, " | "))
}

func holds(quote []byte, shown string, parts []string) bool {
	text, raw := plain.Text(quote), string(quote)
	clean, verbatim := squash(text), squash(raw)
	for _, p := range parts {
		if p = squash(p); !strings.Contains(clean, p) && !strings.Contains(verbatim, p) {
			return false
		}
	}
	have := map[string]bool{}
	for _, n := range append(numbers(text), numbers(raw)...) {
		have[n] = true
	}
	for _, n := range numbers(shown) {
		if !have[n] {
			return false
		}
	}
	return true
}

// numbers of a text, as they stand.
func numbers(s string) []string {
	all := number.FindAllString(s, -1)
	for i := range all {
		all[i] = strings.TrimRight(all[i], ".,")
	}
	return all
}

var number = regexp.MustCompile(`\d[\d.,]*`)

// squash is a text without white space and without the marks that tables and markup are written with.
func squash(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("|*_#>`\\-", r) {
			return -1
		}
		return r
	}, s)
}
