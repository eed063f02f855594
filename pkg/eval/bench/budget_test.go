package bench

import (
	"testing"
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/pkg/eval"
	"github.com/fingerpost/fingerpost/pkg/section"
)

// tight is a context of 10,000 clean characters, filled in rank order.
var tight = section.Budget{Section: 4000, Total: 10_000}

// served counts the questions of which one fact, and of which every fact, is still in the text of the first k places as
// cut: a place covers a gold entry, and what was kept of it holds the entry's strings.
func served(t *testing.T, qs []eval.Question, find eval.Finder, k int) (any, all, n, clean int) {
	t.Helper()
	for _, q := range qs {
		if !q.Answerable() {
			continue
		}
		places, err := find(t.Context(), q.Question, k)
		if err != nil {
			t.Fatal(err)
		}
		open, size := map[int]bool{}, 0
		for _, g := range q.Gold {
			open[g.Fact] = true
		}
		facts := len(open)
		for _, p := range places {
			size += utf8.RuneCountInString(p.Shown)
			for _, g := range q.Gold {
				if eval.Covers(p, g) && eval.Holds(p.Text, g.Must) {
					delete(open, g.Fact)
				}
			}
		}
		if size > tight.Total {
			t.Errorf("%s: a context of %d characters", q.ID, size)
		}
		n, clean = n+1, clean+size
		if len(open) < facts {
			any++
		}
		if len(open) == 0 {
			all++
		}
	}
	return any, all, n, clean / max(n, 1)
}

// TestTenThousandCharacters holds what a small context still says, words only: any .91 and all .86 of 129.
func TestTenThousandCharacters(t *testing.T) {
	qs, c := questions(t), corpus(t, true)
	m := chosen
	m.Budget = tight
	any, all, n, clean := served(t, qs, c.Finder(m), smallPlaces)
	t.Logf("10,000 clean characters, words: any %d, all %d of %d; mean %d characters", any, all, n, clean)
	if any < 120 || all < 116 {
		t.Errorf("any %d, all %d of %d: below the floor", any, all, n)
	}
}

// smallPlaces is how many places fill a small context best.
const smallPlaces = 10
