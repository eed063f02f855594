package content

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// Text of several languages is good, the same text under another alphabet is not.
func TestTextUnderAnotherAlphabetIsSeen(t *testing.T) {
	for name, text := range map[string]string{
		"English":     "The company sells parts for ships and keeps a store in every harbour of the north, where its own people repair what they have sold. ",
		"German":      "Die Gesellschaft verkauft Schiffsteile und unterhält in jedem nördlichen Hafen ein Lager, in dem eigene Leute reparieren, was sie verkauft haben. ",
		"Russian":     "Общество продаёт детали для судов и держит склад в каждой северной гавани, где собственные мастера чинят проданное. ",
		"all figures": "12,345 (678) 9.1% 2,022 2,021 $44 ",
	} {
		text = strings.Repeat(text, 4)
		if v := scoreOf(text); v < .95 {
			t.Errorf("%s: %.2f", name, v)
		}
	}
	english, low := strings.Repeat("The company sells parts for ships and keeps a store in every harbour of the north, where people repair what was sold. ", 4), 0
	for seed := range uint64(50) {
		order := rand.New(rand.NewPCG(seed, 1)).Perm(26)
		shuffled := strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' {
				return 'a' + rune(order[r-'a'])
			}
			return r
		}, strings.ToLower(english))
		if scoreOf(shuffled) < .5 {
			low++
		}
	}
	if low < 40 { // one that happens to put vowels for vowels passes
		t.Errorf("%d of 50 shuffled alphabets are seen", low)
	}
	if v := scoreOf(strings.Repeat("\ufffd\ufffda ", 100)); v > .4 {
		t.Errorf("unknown characters: %.2f", v)
	}
}

func scoreOf(t string) float64 {
	var s Score
	s.Add(t)
	return s.Value()
}
