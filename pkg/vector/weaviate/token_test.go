package weaviate

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestOrdinaryTermsTravelAsTheyAre(t *testing.T) {
	for _, s := range []string{"tariff", "3.2", "10-k", "a2.1.1", "q&a", "отчёт", "東京", "=note:15", `"quoted"`, `back\slash`, "';drop", "%_*?", "$5", "<b>"} {
		if token(s) != s {
			t.Errorf("%q travels as %q", s, token(s))
		}
	}
}

func FuzzToken(f *testing.F) {
	for _, s := range []string{"", " ", "a b", "\x00", "\xff\xfe", "a\u00a0b", "\u2028", mark, mark + "fill", strings.Repeat("x", 5000), "\U000e0001", "\ufeff"} {
		f.Add(s, "a")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := token(a), token(b)
		if x == "" || len(x) > maxToken || !utf8.ValidString(x) || strings.ContainsFunc(x, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }) {
			t.Errorf("%q travels as %q", a, x)
		}
		if (a == b) != (x == y) {
			t.Errorf("%q and %q travel as %q and %q", a, b, x, y)
		}
		if x == fillWord || strings.HasPrefix(x, mark) && len(x) != len(mark)+32 {
			t.Errorf("%q travels as a reserved word, %q", a, x)
		}
		if got := len(strings.Fields(tokens([]string{a, b}))); got != 2 {
			t.Errorf("%q and %q are %d words", a, b, got)
		}
	})
}
