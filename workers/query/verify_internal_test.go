package query

import "testing"

func TestVouched(t *testing.T) {
	for _, c := range []struct {
		quote, shown string
		want         bool
	}{
		{"Goodwill was **1,200** in 2022.\n", "Goodwill was 1,200 in 2022.", true},
		{"Goodwill was 1,200 in 2022.\n", "Goodwill was 1,300 in 2022.", false},
		{"Goodwill was 1,200 in 2022.\n", "Goodwill was 200 in 2022.", false},
		{"Goodwill was 11,200 in 2022.\n", "1,200 in 2022.", false},
		{"Goodwill was not 1,200.\n", "Goodwill was 1,200.", false},
		{"<tr><td>Sales &amp; more</td><td>5</td><td>7</td></tr>\n", "| Sales & more | 5 | 7 |", true},
		{"<tr><td>Sales</td><td>5</td><td>7</td></tr>\n", "| Sales | 57 |", false},
		{"| Sales | 5 | 7 |\n", "| Sales | 5 | 7 |", true},
		{"| Sales | 5 | 7 |\n", "| Costs | 5 | 7 |", false},
		{"    x := a | b // 5\n", "x := a | b // 5", true},
		{"- one\n- two\n", "- one\n- two", true},
		{"", "anything", false},
	} {
		if got := vouched([]byte(c.quote), c.shown); got != c.want {
			t.Errorf("%q says %q: %v", c.quote, c.shown, got)
		}
	}
	rows := "<tr><td rowspan=2>Region</td><td>North</td><td>5</td></tr>\n<tr><td>South</td><td>7</td></tr>\n"
	if !spanned([]byte(rows), "| Region | South | 7 |") || spanned([]byte(rows), "| Region | South | 8 |") || spanned([]byte(rows), "| Area | South | 7 |") {
		t.Error("cells that reach down")
	}
}
