package cell

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/value"
)

// said is a cell in one line.
func said(c *Cell) string {
	s := fmt.Sprintf("%s | %s | %s", c.Row(), strings.Join(c.Columns, " > "), c.Value.Text)
	if n := c.Amount(); n != nil {
		s += " = " + value.Exact(n)
	}
	for _, x := range []string{c.Currency, c.Unit, c.Period} {
		if x != "" {
			s += "; " + x
		}
	}
	for _, n := range c.Notes {
		s += "; note " + n.Text
	}
	return s
}

func TestSheets(t *testing.T) {
	for _, c := range []struct {
		name, text string
		in         value.Convention
		want       []string // cells, those that matter
	}{
		{"a statement", `Statement of income (in millions, except per share amounts)

| Years ended June 30, | 2025 | 2024 |
|---|---|---|
| Current: | | |
| Revenue (a) | $ 1,200.5 | $ (1,100) |
| Costs | 12 | — |
| Total | 1,212.5 | (1,100) |
| Diluted earnings per share | 2.10 | 1.95 |
| Margin | 12.5% | 11.0% |

(a) Net of returns.
`, value.Point, []string{
			"Current > Revenue | 2025 | $ 1,200.5 = 1200500000; USD; in millions, except per share amounts; Years ended June 30, 2025; note Net of returns.",
			"Current > Costs | 2024 | — = 0; USD; in millions, except per share amounts; Years ended June 30, 2024",
			"2.10 = 2.1; USD",
			"12.5% = 12.5; %",
		}},
		{"two scales in one table", `| | Sales (in millions) | Cards (thousands) |
|---|---|---|
| North | 5 | 7 |
`, value.Point, []string{"North | Sales (in millions) | 5 = 5000000", "North | Cards (thousands) | 7 = 7000"}},
		{"currencies that differ", `| Company | Sales | Costs |
|---|---|---|
| A | $5 | $2 |
| B | €6 | €3 |
| C | 7 | 1 |
`, value.Point, []string{"A | Sales | $5 = 5; USD", "B | Sales | €6 = 6; EUR", "C | Sales | 7 = 7"}},
		{"no header", `| Inventories | 205.7 |
| Goodwill | 423.2 |
`, value.Point, []string{"205.7", "423.2 = 423.2"}},
		{"ragged rows", `| Item | 2025 | 2024 |
|---|---|---|
| A | 1 |
| B | 2 | 3 | 4 |
| | | |
`, value.Point, []string{"A | 2025 | 1 = 1", "B | 2024 | 3 = 3", "4 = 4"}},
		{"another language", `Показатели, млн руб.

| Показатель | 2024 | 2023 |
|---|---|---|
| Выручка | 1 234,5 | (200) |
`, value.Comma, []string{"Выручка | 2024 | 1 234,5 = 1234500000", "Выручка | 2023 | (200) = -200000000"}},
		{"empty", "", value.Point, nil},
	} {
		var got []string
		for _, s := range Sheets([]byte(c.text), 1, c.in) {
			for _, r := range s.Rows {
				for i := range r.Cells {
					x := &r.Cells[i]
					got = append(got, said(x))
					again, ok := Pick([]byte(c.text), 1, x.Spot, c.in)
					if !ok || said(&again) != said(x) {
						t.Errorf("%s: %v is %q, %v", c.name, x.Spot, said(&again), ok)
					}
				}
			}
		}
		all := strings.Join(got, "\n")
		for _, w := range c.want {
			if !strings.Contains(all, w) {
				t.Errorf("%s: no cell %q in\n%s", c.name, w, all)
			}
		}
		if c.want == nil && all != "" {
			t.Errorf("%s: %s", c.name, all)
		}
	}
}

func TestPickOfWhatIsNotThere(t *testing.T) {
	src := []byte("| a | b |\n|---|---|\n| c | 1 |\n")
	for _, s := range []doc.Spot{{}, {Table: 2, Row: 1, Column: 2}, {Table: 1, Row: 9, Column: 2}, {Table: 1, Row: 1, Column: 9}, {Table: -1, Row: -1, Column: -1}} {
		if c, ok := Pick(src, 1, s, value.Point); ok {
			t.Errorf("%v is %q", s, said(&c))
		}
	}
}
