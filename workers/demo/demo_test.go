package demo

import (
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
