package demo

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The reports are of use only if their figures are those of one company: statements add up, notes
// repeat the statements, and the second edition repeats the first one's year.

const (
	report2024 = "larkmoor-10k-2024.md"
	report2025 = "larkmoor-10k-2025.md"

	income        = "CONSOLIDATED STATEMENTS OF INCOME"
	comprehensive = "CONSOLIDATED STATEMENTS OF COMPREHENSIVE INCOME"
	balance       = "CONSOLIDATED BALANCE SHEETS"
	cashFlows     = "CONSOLIDATED STATEMENTS OF CASH FLOWS"
)

var (
	tag      = regexp.MustCompile(`<[^>]*>`)
	cellLine = strings.NewReplacer("\n  <td>", "<td>", "\n</tr>", "</tr>") // a row on a line, as elsewhere
)

// statement reads the tables below a title: label to numbers, left to right, first row first.
func statement(t *testing.T, key, title string) map[string][]float64 {
	t.Helper()
	rows := map[string][]float64{}
	in := false
	for l := range strings.SplitSeq(cellLine.Replace(strings.Join(lines(t)[key], "\n")), "\n") {
		if strings.HasPrefix(l, "#") {
			in = strings.HasSuffix(l, "# "+title)
		}
		if !in {
			continue
		}
		l = strings.NewReplacer("</td><td>", "|", "**", "").Replace(l)
		cells := strings.Split(strings.Trim(tag.ReplaceAllString(l, ""), "| "), "|")
		for _, c := range cells[1:] {
			if v, ok := number(c); ok {
				label := strings.TrimSpace(cells[0])
				rows[label] = append(rows[label], v)
			}
		}
	}
	if len(rows) == 0 {
		t.Fatalf("%s: no table below %q", key, title)
	}
	return rows
}

// number reads "1,234.5" and "(1.2)"; a dash is nought.
func number(s string) (float64, bool) {
	s = strings.ReplaceAll(strings.TrimSpace(s), ",", "")
	if s == "—" {
		return 0, true
	}
	if inner, ok := strings.CutPrefix(s, "("); ok {
		s = "-" + strings.TrimSuffix(inner, ")")
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}

func TestStatementsAddUp(t *testing.T) {
	sums := []struct {
		title, total string
		parts        []string // "-" in front: subtracted
	}{
		{income, "Total revenue", []string{"Products", "Services"}},
		{income, "Gross profit", []string{"Total revenue", "-Total cost of revenue"}},
		{income, "Operating income", []string{"Gross profit", "-Research and development", "-Selling, general and administrative", "-Amortization of acquired intangible assets", "-Restructuring charges"}},
		{income, "Income before income taxes", []string{"Operating income", "Interest expense", "Interest income", "Other income (expense), net"}},
		{income, "Net income", []string{"Income before income taxes", "-Provision for income taxes"}},
		{balance, "Total current assets", []string{"Cash and cash equivalents", "Accounts receivable, net", "Inventories", "Prepaid expenses and other current assets"}},
		{balance, "Total assets", []string{"Total current assets", "Property, plant and equipment, net", "Operating lease right-of-use assets", "Goodwill", "Intangible assets, net", "Deferred income taxes", "Other assets"}},
		{balance, "Total current liabilities", []string{"Accounts payable", "Accrued compensation", "Deferred revenue", "Income taxes payable", "Operating lease liabilities, current", "Current portion of long-term debt", "Other current liabilities"}},
		{balance, "Total liabilities", []string{"Total current liabilities", "Long-term debt", "Deferred revenue, non-current", "Deferred income tax liabilities", "Pension liabilities", "Operating lease liabilities, non-current", "Other liabilities"}},
		{balance, "Total assets", []string{"Total liabilities", "Total shareholders' equity"}},
		{balance, "Total liabilities and shareholders' equity", []string{"Total assets"}},
		{cashFlows, "Net cash provided by operating activities", []string{"Net income", "Depreciation", "Amortization of acquired intangible assets", "Stock-based compensation", "Deferred income taxes", "Accounts receivable", "Inventories", "Prepaid expenses and other current assets", "Accounts payable", "Accrued compensation", "Deferred revenue", "Other, net"}},
		{cashFlows, "Increase in cash and cash equivalents", []string{"Net cash provided by operating activities", "Net cash used in investing activities", "Net cash used in financing activities", "Effect of exchange rates on cash"}},
		{cashFlows, "Cash and cash equivalents, end of year", []string{"Cash and cash equivalents, beginning of year", "Increase in cash and cash equivalents"}},
	}
	for _, key := range []string{report2024, report2025} {
		for _, s := range sums {
			rows := statement(t, key, s.title)
			if len(rows[s.total]) < 2 {
				t.Errorf("%s: no row %q", key, s.total)
			}
			for col, want := range rows[s.total] {
				if got := sum(t, rows, s.parts, col); math.Abs(got-want) > .05 {
					t.Errorf("%s, %s, column %d: %v add up to %.1f, printed %.1f", key, s.total, col+1, s.parts, got, want)
				}
			}
		}
	}
}

func sum(t *testing.T, rows map[string][]float64, parts []string, col int) (total float64) {
	t.Helper()
	for _, p := range parts {
		name, minus := strings.CutPrefix(p, "-")
		if len(rows[name]) <= col {
			t.Fatalf("no row %q", name)
		}
		if minus {
			total -= rows[name][col]
		} else {
			total += rows[name][col]
		}
	}
	return total
}

func TestNotesRepeatTheStatements(t *testing.T) {
	for _, c := range []struct{ note, label, statement, row string }{
		{comprehensive, "Net income", income, "Net income"},
		{cashFlows, "Net income", income, "Net income"},
		{cashFlows, "Cash and cash equivalents, end of year", balance, "Cash and cash equivalents"},
		{"Accounts Receivable", "Accounts receivable, net", balance, "Accounts receivable, net"},
		{"Inventories", "Total inventories", balance, "Inventories"},
		{"Other Current Liabilities", "Total other current liabilities", balance, "Other current liabilities"},
		{"Contract Balances", "Deferred revenue, current", balance, "Deferred revenue"},
		{"NOTE 6. PROPERTY, PLANT AND EQUIPMENT", "Property, plant and equipment, net", balance, "Property, plant and equipment, net"},
		{"NOTE 9. DEBT", "Long-term debt", balance, "Long-term debt"},
		{"NOTE 12. PENSION AND OTHER BENEFIT PLANS", "Pension liabilities", balance, "Pension liabilities"},
		{"NOTE 13. STOCK-BASED COMPENSATION", "Total stock-based compensation", cashFlows, "Stock-based compensation"},
		{"NOTE 15. INCOME TAXES", "Total income before income taxes", income, "Income before income taxes"},
		{"Rate Reconciliation", "Total provision for income taxes", income, "Provision for income taxes"},
		{"Segment Information", "Total revenue", income, "Total revenue"},
		{"Segment Information", "Operating income", income, "Operating income"},
		{"Earnings Per Share", "Diluted earnings per share", income, "Diluted"},
		{"Results of Operations", "Gross profit", income, "Gross profit"},
	} {
		for _, key := range []string{report2024, report2025} {
			note, rows := statement(t, key, c.note)[c.label], statement(t, key, c.statement)[c.row]
			n := min(len(note), len(rows))
			if n < 2 {
				t.Errorf("%s: %q of %q has %d numbers, %q of %q %d", key, c.label, c.note, len(note), c.row, c.statement, len(rows))
			}
			for i := range n {
				if note[i] != rows[i] {
					t.Errorf("%s, column %d: %q of %q is %v, %q of %q is %v", key, i+1, c.label, c.note, note[i], c.row, c.statement, rows[i])
				}
			}
		}
	}
}

func TestEditionsAgree(t *testing.T) {
	for _, title := range []string{income, comprehensive, balance, cashFlows} {
		first, second := statement(t, report2024, title), statement(t, report2025, title)
		for label, o := range first {
			if n := second[label]; len(n) < 2 || o[0] != n[1] {
				t.Errorf("%s, %s of fiscal 2024: %v in the first edition, %v in the second", title, label, o, n)
			}
		}
	}
}
