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

func TestOtherWordsForIt(t *testing.T) {
	v := &Vocabulary{}
	var err error
	if v.same, err = parseSynonyms("field: x\n\nlessee; tenant\nfield: y\nend*; cease*; take effect\n"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ question, want string }{
		{"Who is the Lessee?", "tenant"},
		{"Does the lessee or the tenant pay?", ""},
		{"What ended?", "cease, take effect"},
		{"When does it take effect, lessee?", "tenant, end, cease"},
		{"a lessees' thing, spending, takes effect", ""},
		{"", ""},
	} {
		if got := strings.Join(v.Hint(c.question).Same, ", "); got != c.want {
			t.Errorf("%q: %q, want %q", c.question, got, c.want)
		}
	}
	if got := v.Without("x").Hint("the lessee ended").Same; !slices.Equal(got, []string{"cease", "take effect"}) {
		t.Errorf("without a field: %q", got)
	}
	if got := v.With(v).Strict().Hint("the lessee").Same; len(got) != 2 {
		t.Errorf("with more: %q", got)
	}
	if h := StandardVocabulary.Hint("Is the lessee's API key refunded?"); !slices.Contains(h.Same, "tenant") || !slices.Contains(h.Same, "credential") {
		t.Errorf("%+v", h)
	}
	for _, c := range []struct{ text, want string }{
		{"# no\n\na", "line 3: a group has two members or more"}, {"a;;b", "line 1: \"\" is not a member"}, {"a; *", "line 1"},
	} {
		if _, err := parseSynonyms(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

func TestSayings(t *testing.T) {
	v, err := ParseVocabulary("")
	if err != nil {
		t.Fatal(err)
	}
	if got := v.Sayings("Who is the buyer?"); got != nil {
		t.Errorf("an empty vocabulary says %v", got)
	}
	var none *Vocabulary
	if none.Sayings("rent") != nil {
		t.Error("no vocabulary says something")
	}
	for _, c := range []struct {
		question, held, text string
		in                   bool
	}{
		{"Can the landlord enter?", "landlord", "the lessor may enter the premises", true},
		{"Can the landlord enter?", "landlord", "the landlord may enter the premises", false}, // the question's own word is no other one
		{"Can the landlord enter?", "landlord", "the lessorship", false},
	} {
		found := false
		for _, s := range StandardVocabulary.Sayings(c.question) {
			if slices.Contains(s.Held, c.held) {
				found = true
				if s.In(c.text) != c.in {
					t.Errorf("%s in %q: %v", c.held, c.text, s.In(c.text))
				}
			}
		}
		if !found {
			t.Errorf("%s holds no other words for %s", c.question, c.held)
		}
	}
}
