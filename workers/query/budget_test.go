package query_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// Always k places, in rank order, within the budget of characters; late ones are heading and pointer.
func TestAlwaysKPlaces(t *testing.T) {
	h := workertest.Open(t, workertest.Config{NoVectors: true})
	h.Put("a.md", strings.ReplaceAll(paper("Paper", 120), "Ordinary", strings.Repeat("An ordinary sentence of zqsamexv stands here. ", 200)+"\nOrdinary"))
	h.Settle()
	for _, k := range []int{1, 5, 20, 100} {
		sections := find(t, h, "zqsamexv", k)
		shown := 0
		for i, s := range sections {
			n := utf8.RuneCountInString(s.Shown)
			if shown += n; s.Rank != i+1 || n > 4000 || s.Pointer == "" || !strings.Contains(s.Shown, "Part") {
				t.Errorf("k %d: section %d has rank %d, %d characters", k, i+1, s.Rank, n)
			}
		}
		if len(sections) != k || shown > 16_000 || k >= 5 && shown < 14_000 {
			t.Errorf("k %d: %d places, %d characters in all", k, len(sections), shown)
		}
	}
	if s := find(t, h, "zqnowherexv", 5); len(s) != 0 {
		t.Errorf("%d places for a word that stands nowhere", len(s))
	}
	rep, err := ask[api.FindReply](t, h, api.Find, api.FindRequest{Question: "zqsamexv"})
	if err != nil || len(rep.Sections) != api.DefaultK {
		t.Errorf("%d places without k, %v", len(rep.Sections), err)
	}
}
