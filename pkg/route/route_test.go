package route

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"Please calculate the gross margin for 2022.", "the gross margin for 2022."},
		{"For Acme, compute the net change in cash. Answer in USD millions.", "For Acme, the net change in cash."},
		{"How did sales grow? If sales are not a useful metric, then please state that and explain why.", "How did sales grow? ."},
		{"Give a response to the question by relying on the details shown in the cash flow statement.", "the cash flow statement."},
		{"What does Note 7 discuss?", "What does Note 7"},
		{"Estimated amortization for 2026", "Estimated amortization for 2026"},
		{"the estimate of credit losses", "the estimate of credit losses"},
		{"Пожалуйста, опишите порядок расчётов", "порядок расчётов"},
		{"Bitte nenne die Kündigungsfrist", "die Kündigungsfrist"},
		{"sales in FY22, FY 2021 and FY'20", "sales in 2022, 2021 and 2020"},
		{"please?", "please?"},
		{"", ""},
	} {
		if got := Clean(c.in); got != c.want {
			t.Errorf("%q:\n got %q\nwant %q", c.in, got, c.want)
		}
	}
}

func TestOf(t *testing.T) {
	refs := func(s string) []string {
		if strings.Contains(s, "Note 7") {
			return []string{"note:7"}
		}
		return nil
	}
	r := Of("List what Note 7 covers", refs)
	if r.Text != "what Note 7 covers" || !slices.Equal(r.Refs, []string{"note:7"}) {
		t.Errorf("%+v", r)
	}
	if r := Of(strings.Repeat("ж", MaxQuestion), nil); len(r.Text) > MaxQuestion || !utf8.ValidString(r.Text) {
		t.Errorf("long question: %d bytes", len(r.Text))
	}
}

func TestRead(t *testing.T) {
	rules := Rules{Names: NewTable(cards()...), Vocabulary: StandardVocabulary}
	r := rules.Read("Please compute the quick ratio of Borealis for FY22.")
	if r.Text != "the quick ratio of  for 2022." || len(r.Named) != 1 || r.Named[0].Word != "borealis" || len(r.Hint.Words) == 0 {
		t.Errorf("%+v", r)
	}
	if r := (Rules{}).Read(""); r.Text != "" || r.Named != nil || r.Refs != nil {
		t.Errorf("%+v", r)
	}
}
