package route

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestNeeds(t *testing.T) {
	for _, c := range []struct {
		expr string
		want string
	}{
		{`quick ratio|acid.test`, `("quick ratio" or ("acid" and "test"))`},
		{`(total|net) sales`, `(" sales" and ("total" or "net"))`},
		{`a*`, ""},
		{`(x|y*)z?`, ""},
		{`[0-9]+ days?`, `" day"`},
		{`Ставк(а|и)`, `"ставк"`},
	} {
		p, err := newPattern(c.expr)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.need.String(); got != c.want {
			t.Errorf("%s: %s, want %s", c.expr, got, c.want)
		}
	}
}

func (n need) String() string {
	join := func(of []need, by string) string {
		var parts []string
		for _, x := range of {
			parts = append(parts, x.String())
		}
		return "(" + strings.Join(parts, by) + ")"
	}
	switch {
	case n.all != nil:
		return join(n.all, " and ")
	case n.any != nil:
		return join(n.any, " or ")
	case n.word == "":
		return ""
	}
	return strconv.Quote(n.word)
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
				t.Errorf("%s matches %q, but it does not meet %v", o, s, o.need)
			}
		}
		for _, m := range StandardVocabulary.entries {
			if !m.ask.may(lower) && m.ask.MatchString(s) {
				t.Errorf("%s matches %q, but it does not meet %v", m.ask, s, m.ask.need)
			}
		}
	})
}
