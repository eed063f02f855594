package formula

import (
	"testing"

	"github.com/fingerpost/fingerpost/pkg/value"
)

// book finds lines in a table of figures by year.
func book(figures map[string]map[int]string) Find {
	return func(l *Line, year int) *Operand {
		s := figures[l.Name][year]
		if s == "" {
			return nil
		}
		v := value.Parse(s, value.Point)
		return &Operand{Number: v.Amount(), Text: s, Currency: v.Currency}
	}
}

func TestReadAndCompute(t *testing.T) {
	figures := map[string]map[int]string{
		"revenue": {2023: "200", 2022: "160", 2021: "100"}, "cost of sales": {2023: "150", 2022: "128"},
		"operating income": {2023: "20", 2022: "16", 2021: "(5)"}, "accounts payable": {2023: "30", 2022: "20"},
		"inventories": {2023: "12", 2022: "10"}, "cash": {2023: "5"}, "receivables": {2023: "7"}, "current liabilities": {2023: "8"},
		"current assets": {2023: "40"}, "operating cash flow": {2023: "50"}, "capital expenditures": {2023: "(20)"},
		"dividends paid": {2023: "(10)"}, "net income": {2023: "15", 2022: "10", 2021: "5"},
	}
	for _, c := range []struct {
		question string
		years    []int
		name     string
		op       Op
		at       int
		want     string // of the metric in that year
		filled   string
	}{
		{"What is the quick ratio for FY2023?", []int{2023}, "quick ratio", Each, 2023, "1.5", "(5 + 7) / 8"},
		{"What is the gross margin in 2023?", []int{2023}, "gross margin", Each, 2023, "0.25", "(200 - 150) / 200"},
		{"How did the gross margin change from 2022 to 2023?", []int{2023, 2022}, "gross margin", Change, 2022, "0.2", "(160 - 128) / 160"},
		{"What is X's FY2023 days payable outstanding (DPO)? DPO is defined as: 365 * stuff. Round to two decimal places.", []int{2023}, "days payable outstanding", Each, 2023, "60.0328947368", "365 * ((30 + 20) / 2) / (150 + 12 - 10)"},
		{"free cash flow in 2023", []int{2023}, "free cash flow", Each, 2023, "30", "50 - 20"},
		{"What is the year-over-year change in revenue from FY2022 to FY2023?", []int{2023, 2022}, "revenue", Growth, 2023, "200", "200"},
		{"dividends as a percentage of net income", nil, "dividends as a percentage of net income", Each, 2023, "0.6666666667", "10 / 15"},
		{"what percentage of operating cash flow was used for capital expenditures?", nil, "capital expenditures to operating cash flow", Each, 2023, "0.4", "20 / 50"},
		{"the ratio of current assets to current liabilities", nil, "current assets to current liabilities", Each, 2023, "5", "40 / 8"},
		{"operating income for 2021", []int{2021}, "operating income", Each, 2021, "-5", "(5)"},
	} {
		r, ok := Read(c.question, WithoutDefinition(c.question), c.years)
		if !ok || r.Metric.Name != c.name || r.Op != c.op {
			t.Errorf("%s: %+v, %v", c.question, r, ok)
			continue
		}
		got, err := r.Metric.At(c.at, book(figures))
		if err != nil || value.Exact(got.Number) != c.want || got.Filled != c.filled {
			t.Errorf("%s: %v = %s, %v; want %s = %s", c.question, got.Number, got.Filled, err, c.want, c.filled)
		}
	}
	if _, ok := Read("What is the wave length of light?", "What is the wave length of light?", nil); ok {
		t.Error("nothing known is asked")
	}
	three := "What is the FY2021 - FY2023 3 year average net profit margin? Round to one decimal place."
	r, _ := Read(three, three, []int{2023, 2021})
	if r.Op != Mean || len(r.Years) != 3 || r.Places != 1 || r.Metric.Name != "net margin" {
		t.Errorf("%+v", r)
	}
}

func TestComputeRefuses(t *testing.T) {
	q, _ := Read("current ratio", "current ratio", nil)
	for name, find := range map[string]Find{
		"a line is missing": book(map[string]map[int]string{"current assets": {2023: "5"}}),
		"nought":            book(map[string]map[int]string{"current assets": {2023: "5"}, "current liabilities": {2023: "—"}}),
		"currencies":        book(map[string]map[int]string{"current assets": {2023: "$5"}, "current liabilities": {2023: "€4"}}),
		"nothing":           book(nil),
	} {
		if r, err := q.Metric.At(2023, find); err == nil {
			t.Errorf("%s: %v", name, r)
		}
	}
}

func TestFits(t *testing.T) {
	for _, c := range []struct {
		line, label string
		parents     []string
		want        bool
	}{
		{"revenue", "Total net revenues", nil, true},
		{"revenue", "Total", []string{"Revenues"}, true},
		{"revenue", "Deferred revenue", nil, false},
		{"net property plant and equipment", "Property, plant and equipment — net", nil, true},
		{"net property plant and equipment", "Net PP&E", nil, false},
		{"operating cash flow", "Net cash provided by (used in) operating activities", nil, true},
		{"capital expenditures", "Purchases of property, plant and equipment (PP&E)", nil, true},
		{"net income", "Net income attributable to noncontrolling interests", nil, false},
		{"operating income", "Operating income (loss)", nil, true},
		{"cost of sales", "Cost of goods sold", nil, true},
		{"total equity", "Total shareholders' equity", nil, true},
	} {
		if got := LineOf(c.line).Fits(c.label, c.parents) >= 0; got != c.want {
			t.Errorf("%q is %s: %v", c.label, c.line, got)
		}
	}
}
