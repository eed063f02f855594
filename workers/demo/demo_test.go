package demo

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// lines is the lines of each document, by key; line n stands at index n-1.
func lines(t *testing.T) map[string][]string {
	t.Helper()
	m := map[string][]string{}
	for _, d := range Corpus() {
		m[d.Key] = strings.Split(string(d.Bytes), "\n")
	}
	return m
}

func TestCorpusIsFiveDocumentsOfText(t *testing.T) {
	docs := Corpus()
	if len(docs) != 5 {
		t.Fatalf("%d documents, want 5", len(docs))
	}
	for _, d := range docs {
		if n := len(d.Bytes); n < 20_000 || n > 100_000 {
			t.Errorf("%s has %d bytes, want 20,000 to 100,000", d.Key, n)
		}
		if !utf8.Valid(d.Bytes) || strings.Contains(string(d.Bytes), "\r") || !strings.HasSuffix(string(d.Bytes), "\n") {
			t.Errorf("%s is not UTF-8 with LF line ends", d.Key)
		}
	}
}

func TestQuestionsPointAtTheirPlaces(t *testing.T) {
	text := lines(t)
	seen := map[string]bool{}
	for _, q := range append(Questions(), Quality()...) {
		if seen[q.ID] || q.ID == "" || q.Question == "" {
			t.Errorf("question %q: id taken, or id or question empty", q.ID)
		}
		seen[q.ID] = true
		if (q.Kind == "unanswerable") != (len(q.Gold) == 0) {
			t.Errorf("%s: kind %s with %d places", q.ID, q.Kind, len(q.Gold))
		}
		facts := map[int]bool{}
		for _, g := range q.Gold {
			facts[g.Fact] = true
			checkGold(t, q.ID, g, text[g.DocID])
		}
		if len(facts) != q.NFacts {
			t.Errorf("%s: n_facts %d, want %d", q.ID, q.NFacts, len(facts))
		}
		for _, key := range q.DocIDs {
			if text[key] == nil {
				t.Errorf("%s: no document %s", q.ID, key)
			}
		}
	}
}

func checkGold(t *testing.T, id string, g Gold, doc []string) {
	t.Helper()
	if g.StartLine < 1 || g.EndLine < g.StartLine || g.EndLine > len(doc) ||
		g.SectionStartLine > g.StartLine || g.SectionEndLine < g.EndLine || g.SectionEndLine > len(doc) {
		t.Errorf("%s: lines %d-%d in section %d-%d of %s (%d lines) are no range", id, g.StartLine, g.EndLine, g.SectionStartLine, g.SectionEndLine, g.DocID, len(doc))
		return
	}
	if h := doc[g.SectionStartLine-1]; !strings.HasPrefix(h, "#") {
		t.Errorf("%s: section of %s starts at line %d with %q, not with a heading", id, g.DocID, g.SectionStartLine, h)
	}
	for n := g.SectionStartLine + 1; n <= g.SectionEndLine; n++ {
		if strings.HasPrefix(doc[n-1], "#") {
			t.Errorf("%s: section %d-%d of %s holds the heading of line %d", id, g.SectionStartLine, g.SectionEndLine, g.DocID, n)
		}
	}
	body := strings.Join(doc[g.StartLine-1:g.EndLine], "\n")
	for _, s := range g.MustContain {
		if !strings.Contains(body, s) {
			t.Errorf("%s: %s lines %d-%d do not hold %q", id, g.DocID, g.StartLine, g.EndLine, s)
		}
	}
	if c := g.Cell; c != nil && (c.Line < g.StartLine || c.Line > g.EndLine || !strings.Contains(doc[c.Line-1], c.Value)) {
		t.Errorf("%s: %s line %d does not hold the cell %q", id, g.DocID, c.Line, c.Value)
	}
}

func TestDemoAsksOneQuestionOfEachKind(t *testing.T) {
	want := []string{"table_cell", "definition", "structural", "comparison", "unanswerable"}
	var got []string
	for _, q := range Questions() {
		got = append(got, q.Kind)
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("kinds %v, want %v", got, want)
	}
}

var tag = regexp.MustCompile(`<[^>]*>`)

// statement reads the rows of the table under a title: label to numbers, left to right.
func statement(t *testing.T, doc []string, title string) map[string][]float64 {
	t.Helper()
	rows := map[string][]float64{}
	in := false
	for _, l := range doc {
		if strings.HasPrefix(l, "#") {
			in = strings.HasSuffix(l, "# "+title)
			continue
		}
		if !in {
			continue
		}
		l = strings.NewReplacer("</td><td>", "|", "**", "").Replace(l)
		cells := strings.Split(strings.Trim(tag.ReplaceAllString(l, ""), "| "), "|")
		label := strings.TrimSpace(cells[0])
		for _, c := range cells[1:] {
			if v, ok := number(c); ok {
				rows[label] = append(rows[label], v)
			}
		}
	}
	if len(rows) == 0 {
		t.Fatalf("no table under %q", title)
	}
	return rows
}

// number reads "1,234.5" and "(1.2)"; a dash is nought.
func number(s string) (float64, bool) {
	s = strings.ReplaceAll(strings.TrimSpace(s), ",", "")
	if s == "—" {
		return 0, true
	}
	if t, ok := strings.CutPrefix(s, "("); ok {
		s = "-" + strings.TrimSuffix(t, ")")
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}

func TestStatementsAddUp(t *testing.T) {
	text := lines(t)
	sums := []struct {
		title, total string
		parts        []string
	}{
		{"CONSOLIDATED STATEMENTS OF INCOME", "Total revenue", []string{"Products", "Services"}},
		{"CONSOLIDATED STATEMENTS OF INCOME", "Net income", []string{"Operating income", "-Provision for income taxes", "Interest expense", "Interest income", "Other income (expense), net"}},
		{"CONSOLIDATED BALANCE SHEETS", "Total current assets", []string{"Cash and cash equivalents", "Accounts receivable, net", "Inventories", "Prepaid expenses and other current assets"}},
		{"CONSOLIDATED BALANCE SHEETS", "Total assets", []string{"Total current assets", "Property, plant and equipment, net", "Operating lease right-of-use assets", "Goodwill", "Intangible assets, net", "Deferred income taxes", "Other assets"}},
		{"CONSOLIDATED BALANCE SHEETS", "Total assets", []string{"Total liabilities", "Total shareholders' equity"}},
		{"CONSOLIDATED BALANCE SHEETS", "Total liabilities and shareholders' equity", []string{"Total assets"}},
	}
	for _, key := range []string{"larkmoor-10k-2024.md", "larkmoor-10k-2025.md"} {
		for _, s := range sums {
			rows := statement(t, text[key], s.title)
			for col, want := range rows[s.total] {
				got := 0.0
				for _, p := range s.parts {
					name, sub := strings.CutPrefix(p, "-")
					v := rows[name][col]
					if sub {
						v = -v
					}
					got += v
				}
				if math.Abs(got-want) > .05 {
					t.Errorf("%s, %s, column %d: %v add up to %.1f, printed %.1f", key, s.total, col+1, s.parts, got, want)
				}
			}
		}
	}
}

func TestEditionsAgree(t *testing.T) {
	text := lines(t)
	for title, columns := range map[string][2]int{ // column of fiscal 2024 in each edition
		"CONSOLIDATED STATEMENTS OF INCOME": {0, 1},
		"CONSOLIDATED BALANCE SHEETS":       {0, 1},
	} {
		old := statement(t, text["larkmoor-10k-2024.md"], title)
		new := statement(t, text["larkmoor-10k-2025.md"], title)
		for label, o := range old {
			n := new[label]
			if len(o) <= columns[0] || len(n) <= columns[1] || o[columns[0]] != n[columns[1]] {
				t.Errorf("%s, %s of fiscal 2024: %v in the 2024 edition, %v in the 2025 edition", title, label, o, n)
			}
		}
	}
}
