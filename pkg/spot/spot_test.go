package spot

import (
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/cell"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/value"
	"github.com/fingerpost/fingerpost/pkg/words"
)

const report = `## Deposits

Deposits of the Northern branch were as follows (in millions):

| December 31, | 2025 | 2024 |
|---|---|---|
| Savings | 90 | 80 |
| Certificates of deposit: | | |
| Direct | 27 | 14 |
| Brokered | 33 | 31 |
| Total | 150 | 125 |

Table 7: Useful lives

| Asset | Useful life | Cost |
|---|---|---|
| Boats | 14 years | 7 |
| Cars | 3 years | 9 |

Table 8: Useful lives of the Southern branch

| Asset | Useful life | Cost |
|---|---|---|
| Boats | 12 years | 8 |
`

func english(s string) []string { return words.Analyze(s, words.English) }

func TestCells(t *testing.T) {
	sheets := cell.Sheets([]byte(report), 1, value.Point)
	for _, c := range []struct {
		question string
		years    []int
		want     string
		dated    bool
	}{
		{"How much of the direct certificates of deposit was held at the end of 2025?", []int{2025}, "27", true},
		{"savings deposits", nil, "90", false},
		{"savings deposits in 2024", []int{2024}, "80", true},
		{"total deposits in 2024", []int{2024}, "125", true},
		{"What is the useful life of boats in Table 8?", nil, "12 years", false},
		{"What is the useful life of boats in Table 7?", nil, "14 years", false},
		{"What is the cost of cars?", nil, "9", false},
	} {
		q := Question{Terms: words.Question(c.question, []words.Language{words.English}), Words: english, Text: c.question,
			Table: TableOf(c.question), Total: strings.Contains(c.question, "total")}
		for _, y := range c.years {
			q.Periods = append(q.Periods, Period{Year: y})
		}
		hits := q.Cells([]byte(report), sheets, []string{"Deposits"})
		if got := hits[0]; got.Cell.Value.Text != c.want || got.Dated != c.dated {
			t.Errorf("%s: %s, dated %v (%s), want %s", c.question, got.Cell.Value.Text, got.Dated, got.Cell.Row(), c.want)
		}
	}
}

// In a roll-forward the row says the day, and the column the part.
func TestRowsThatStandAtADay(t *testing.T) {
	const text = "## Goodwill\n\n| | Boats | Docks |\n|---|---|---|\n| Balance at June 30, 2024 | 7 | 8 |\n| Notes, due March 2029 | 1 | 2 |\n| Balance at June 30, 2025 | 9 | 5 |\n"
	sheets := cell.Sheets([]byte(text), 1, value.Point)
	for _, c := range []struct {
		question string
		year     int
		want     string
	}{{"goodwill of boats at June 30, 2025", 2025, "9"}, {"goodwill of docks in 2024", 2024, "8"}} {
		q := Question{Terms: words.Question(c.question, []words.Language{words.English}), Words: english, Text: c.question, Periods: []Period{{Year: c.year}}}
		if got := q.Cells([]byte(text), sheets, []string{"Goodwill"})[0]; got.Cell.Value.Text != c.want || !got.Dated {
			t.Errorf("%s: %s (%s), dated %v, want %s", c.question, got.Cell.Value.Text, got.Cell.Row(), got.Dated, c.want)
		}
	}
	for label, want := range map[string]int{"Balance at June 30, 2025": 2025, "Unvested as of 31 March 2023": 2023, "Остаток на 31 декабря 2024 г.": 2024,
		"Stand zum 31. Dezember 2022": 2022, "Notes, due March 2029": 0, "2024 Plan": 0, "Issued on conversion": 0, "Paid on notes due June 1, 2030": 0} {
		if got := PeriodOf(&cell.Cell{Label: label}).Year; got != want {
			t.Errorf("%q stands at %d, want %d", label, got, want)
		}
	}
}

func TestReadPeriod(t *testing.T) {
	for s, want := range map[string]Period{
		"Years Ended December 31, 2022":   {Year: 2022, Month: 12, Day: 31, Months: 12},
		"Three Months Ended July 1, 2023": {Year: 2023, Month: 7, Day: 1, Months: 3},
		"Q3 2021":                         {Year: 2021, Months: 3, Quarter: 3},
		"FY22":                            {Year: 2022, Months: 12},
		"26 weeks ended July 29, 2023":    {Year: 2023, Month: 7, Day: 29, Months: 6},
		"31 декабря 2024 г.":              {Year: 2024, Month: 12},
		"2022 vs. 2021":                   {},
		"Total":                           {},
		"":                                {},
		strings.Repeat("2022 ", 100):      {},
		"First quarter of fiscal 2020":    {Year: 2020, Months: 3, Quarter: 1},
	} {
		if got := ReadPeriod(s); got != want {
			t.Errorf("%q: %+v, want %+v", s, got, want)
		}
	}
	if !(Period{Year: 2022, Months: 12}).Within(Period{Year: 2022}) || (Period{Year: 2022, Quarter: 2}).Within(Period{Year: 2022, Quarter: 1}) {
		t.Error("within")
	}
}

func TestRuns(t *testing.T) {
	src := []byte("Table 3: Memory\n\nMem\n\n8-bit Adam\n\n26G\n\n18.09\n\nSD + LIVE\n\n0.05\n\n64 px2\n\n1.5/2K steps\n\nThis is prose.\n\n| a | b |\n|---|---|\n| c | 5 |\n")
	var got []string
	for _, r := range Runs(src, 1, []doc.Lines{{Start: 20, End: 22}}, value.Point) {
		s := r.Caption + " / " + r.Label
		for _, v := range r.Values {
			s += " " + v.Text
		}
		got = append(got, s)
	}
	want := "Table 3: Memory / 8-bit Adam 26G 18.09\nTable 3: Memory / SD + LIVE 0.05 64 px2 1.5/2K steps"
	if all := strings.Join(got, "\n"); all != want {
		t.Errorf("%s", all)
	}
	if Runs(nil, 1, nil, value.Point) != nil {
		t.Error("runs of nothing")
	}
}

func TestTableOf(t *testing.T) {
	for s, want := range map[string]string{"Table 3: Memory": "3", "what does Table A2.1.1 say": "a2.1.1", "in Table 20, how": "20", "a table": "", "Таблица 4. Нормы": "4", "tables of 5 feet": ""} {
		if got := TableOf(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}
