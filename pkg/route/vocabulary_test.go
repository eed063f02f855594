package route

import (
	"slices"
	"strings"
	"testing"
)

func TestStandardVocabulary(t *testing.T) {
	v := StandardVocabulary
	for _, c := range []struct{ question, word, title string }{
		{"What is Acme's quick ratio?", "short-term investments", "balance sheet"},
		{"How did EBITDA develop?", "depreciation and amortization", "income statement"},
		{"Can the customer terminate the contract?", "notice", "termination"},
		{"Which learning rate was used?", "hyperparameters", "implementation details"},
		{"What is the default port?", "default", "configuration"},
	} {
		h := v.Hint(c.question)
		if !strings.Contains(strings.Join(h.Words, " "), c.word) || !slices.Contains(h.Titles, c.title) {
			t.Errorf("%q: %+v", c.question, h)
		}
	}
	for _, q := range []string{"", "Who wrote this?", "Wie hoch ist der Umsatz?"} {
		if h := v.Hint(q); len(h.Words) > 0 {
			t.Errorf("%q: %+v", q, h)
		}
	}
	if h := v.Hint("quick ratio, current ratio, gross margin, EBITDA, free cash flow, dividends, leases, goodwill, segments"); len(h.Words) != MaxHints {
		t.Errorf("%d entries count, want %d", len(h.Words), MaxHints)
	}
	if n := len(v.Strict().entries); n == 0 || n >= len(v.entries) {
		t.Errorf("%d strict entries of %d", n, len(v.entries))
	}
	var none *Vocabulary
	if h := none.Hint("quick ratio"); h.Words != nil {
		t.Errorf("no vocabulary: %+v", h)
	}
}

func TestParseVocabularyNamesTheLine(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"ask: a|b\nlook: c", ""},
		{"# nothing\n\n", ""},
		{"ask: (a", "line 1"},
		{"\nask: a\nin: @x", "line 3: @x is not defined above"},
		{"look: c\n\n", "line 2: an entry without ask"},
		{"@x title", "line 1: want @x title = title; title"},
		{"ask: a\nseek: b", "line 2: want ask:"},
	} {
		_, err := ParseVocabulary(c.text)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}
