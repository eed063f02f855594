package route

import (
	"slices"
	"strings"
	"testing"
)

func TestNeeds(t *testing.T) {
	for _, c := range []struct {
		expr string
		want []string
	}{
		{`quick ratio|acid.test`, []string{"quick ratio", "acid"}},
		{`(total|net) sales`, []string{" sales"}},
		{`a*`, nil},
		{`(x|y*)z?`, nil},
		{`[0-9]+ days?`, []string{" day"}},
		{`Ставк(а|и)`, []string{"ставк"}},
	} {
		p, err := newPattern(c.expr)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(p.needs, c.want) {
			t.Errorf("%s: %q, want %q", c.expr, p.needs, c.want)
		}
	}
}

// FuzzNeeds: a rule that matches is never passed over.
func FuzzNeeds(f *testing.F) {
	for _, s := range []string{
		"Please COMPUTE the Quick Ratio.", "If it is not given, say so", "Пожалуйста, ОПИШИТЕ порядок", "Bitte nenne die Frist",
		"What drove operating margin? Which dividends, leases, goodwill and EBITDA?", "timeouts and rate limits of the API",
		"terminate, notice, liability cap, governing law", "learning rate, ablation, baselines, proof of the theorem",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		lower := strings.ToLower(s)
		if strings.ContainsAny(s, "ſK") || !slices.Equal([]rune(lower), []rune(strings.ToLower(strings.ToUpper(s)))) {
			return // letters that fold to another letter's case: rules have none of them
		}
		for _, o := range orders {
			if !o.may(lower) && o.MatchString(s) {
				t.Errorf("%s matches %q, but none of %q stands in it", o, s, o.needs)
			}
		}
		for _, m := range StandardVocabulary.entries {
			if !m.ask.may(lower) && m.ask.MatchString(s) {
				t.Errorf("%s matches %q, but none of %q stands in it", m.ask, s, m.ask.needs)
			}
		}
	})
}
