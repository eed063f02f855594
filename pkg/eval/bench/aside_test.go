package bench

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/chunker"
	"github.com/fingerpost/fingerpost/pkg/rank"
	"github.com/fingerpost/fingerpost/pkg/vector/mem"
)

// printed is a report that prints figures of the same names several times: the look-alike first, since a ranking that
// cannot tell them apart takes the first.
var printed = []struct {
	about, whole, other string   // titles
	rows                []string // labels of both
	plain, named        string   // a question for the whole, and one for the other
}{
	{"segment", "Consolidated Statements of Operations", "Segment Results: Pumps", []string{"Net sales", "Cost of sales", "Operating income"},
		"What was operating income in 2031?", "What was the operating income of the pumps segment in 2031?"},
	{"two segments", "Consolidated Income Statement", "Results by Segment", []string{"Revenue", "Operating profit", "Capital expenditure"},
		"How high was the operating profit?", "What is the operating profit of each segment?"},
	{"region", "Consolidated Statements of Income", "Results by region", []string{"Net sales", "Operating income", "Assets"},
		"What were net sales in 2031?", "What were net sales in each region?"},
	{"geography", "Consolidated Balance Sheets", "Geographic Information", []string{"Property, plant and equipment", "Total assets", "Goodwill"},
		"How large were total assets at the end of 2031?", "What were the assets by country?"},
	{"parent", "Consolidated Balance Sheets", "Balance Sheets of the Parent", []string{"Cash", "Total assets", "Total liabilities"},
		"What are total liabilities?", "What are the total liabilities of the parent?"},
	{"schedule", "Consolidated Statements of Cash Flows", "Schedule I - Condensed Financial Information", []string{"Net cash from operating activities", "Dividends paid", "Cash at end of year"},
		"How much cash came from operating activities?", "What does Schedule I say about cash from operating activities?"},
	{"guarantors", "Consolidated Statements of Operations", "Obligor Group and Guarantors", []string{"Revenues", "Operating expenses", "Net income"},
		"What was net income in 2031?", "What was the net income of the guarantors?"},
	{"consolidating", "Consolidated Balance Sheets", "Consolidating Balance Sheet", []string{"Receivables", "Inventories", "Total current assets"},
		"What are total current assets?", "What are current assets of the subsidiary issuers in the consolidating balance sheet?"},
	{"pro forma", "Consolidated Statements of Operations", "Pro Forma Results", []string{"Revenue", "Net earnings", "Shares"},
		"What was revenue in 2031?", "What was pro forma revenue in 2031?"},
	{"selected", "Consolidated Statements of Earnings", "Selected Financial Data", []string{"Net sales", "Net earnings", "Dividends"},
		"What were net earnings?", "What were net earnings in the selected data?"},
	{"five-year", "Consolidated Statements of Earnings", "Five-Year Summary", []string{"Net sales", "Net earnings", "Employees"},
		"How high were net earnings in 2031?", "How did net earnings develop in the five-year summary?"},
	{"quarterly", "Consolidated Statements of Income", "Unaudited Quarterly Results", []string{"Net revenues", "Gross profit", "Net income"},
		"What was gross profit in 2031?", "What was gross profit in each quarter?"},
	{"supplementary", "Consolidated Statements of Income", "Unaudited Supplementary Schedules", []string{"Premiums", "Claims", "Net income"},
		"How high were claims in 2031?", "How high were claims in the unaudited supplementary schedules?"},
	{"discontinued", "Consolidated Statements of Operations", "Discontinued Operations", []string{"Revenue", "Expenses", "Net loss"},
		"What were expenses in 2031?", "What were the expenses of discontinued operations?"},
	{"Russian", "Консолидированный отчёт о прибыли", "Показатели по сегментам", []string{"Выручка", "Себестоимость", "Прибыль"},
		"Какова выручка за 2031 год?", "Какова выручка каждого сегмента?"},
	{"German", "Konzernbilanz", "Bilanz der Muttergesellschaft", []string{"Vorräte", "Forderungen", "Summe Aktiva"},
		"Wie hoch sind die Vorräte?", "Wie hoch sind die Vorräte der Muttergesellschaft?"},
}

// report is the document of a case: the look-alike, some prose, the whole.
func report(title string, whole, other string, rows []string) []byte {
	var b strings.Builder
	table := func(name string, factor int) {
		fmt.Fprintf(&b, "\n## %s\n\n| In millions | 2031 | 2030 |\n|---|---|---|\n", name)
		for i, r := range rows {
			fmt.Fprintf(&b, "| %s | %d | %d |\n", r, factor*(i+11), factor*(i+10))
		}
	}
	fmt.Fprintf(&b, "# %s\n", title)
	table(other, 3)
	b.WriteString("\n## Overview\n\nThe year went by as planned, and the works were kept in good order.\n")
	table(whole, 10)
	return []byte(b.String())
}

// TestTheWholeComesFirst holds "consolidated before segment and parent": without it the look-alike, printed first, wins.
func TestTheWholeComesFirst(t *testing.T) {
	for _, c := range printed {
		doc := Document{Name: "report.md", Text: report("Annual report 2031", c.whole, c.other, c.rows)}
		corpus, err := Open(t.Context(), mem.New(0), []Document{doc}, false, chunker.Options{})
		if err != nil {
			t.Fatal(err)
		}
		first := func(question string, w rank.Weights) string {
			m := chosen
			m.Weights = w
			nodes, _, err := corpus.rank(t.Context(), m, question)
			if err != nil || len(nodes) == 0 {
				t.Fatalf("%s: %q: %d nodes, %v", c.about, question, len(nodes), err)
			}
			return corpus.entries[0].tree.Nodes[nodes[0].Place.Node].Title
		}
		if got := first(c.plain, rank.Standard()); got != c.whole {
			t.Errorf("%s: %q leads to %q", c.about, c.plain, got)
		}
		if got := first(c.named, rank.Standard()); got != c.other {
			t.Errorf("%s: %q leads to %q", c.about, c.named, got)
		}
		off := rank.Standard()
		off.Aside = 0
		t.Logf("%-14s without the rule: %q", c.about, first(c.plain, off))
	}
}
