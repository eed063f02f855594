//go:build truth

package query_test

import (
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/pkg/value"
)

// TestFilingsMetrics asks for values and ratios of one filing among many. FINGERPOST_FILINGS names a folder with the Source of
// the filings.
func TestFilingsMetrics(t *testing.T) {
	dir := os.Getenv("FINGERPOST_FILINGS")
	if dir == "" || dir == "pdf" {
		testenv.Missing(t, "FINGERPOST_FILINGS: a folder with the Source of the filings")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	docs := map[string][]byte{}
	for _, f := range files {
		if docs[filepath.Base(f)], err = os.ReadFile(f); err != nil {
			t.Fatal(err)
		}
	}
	h := library(t, docs)
	got := map[string]int{}
	type filed struct {
		ID, Question, Answer string
		Type                 string `json:"question_type"`
	}
	each(t, testenv.Shared(t, "bench", "filings", "questions.jsonl"), func(q filed) {
		if q.Type != "metrics-generated" {
			return
		}
		rep := answerOf(t, h, q.Question)
		if rep.Found && says(rep.Answer, q.Answer) {
			got["right"]++
		} else {
			t.Logf("%s: %q, want %s", q.ID, rep.Answer, q.Answer)
		}
	})
	floors(t, got, map[string]int{"right": 12})
}

// says reports whether a number of the text is the one wanted, rounded as that is, in its unit or another scale of a thousand.
func says(text, want string) bool {
	w := value.Parse(strings.TrimSuffix(want, ".00"), value.Point)
	for _, f := range value.All(text, value.Point) {
		n := new(big.Rat).Abs(f.Number)
		for _, by := range []*big.Rat{big.NewRat(1, 1), big.NewRat(1, 1000), big.NewRat(1, 1_000_000)} {
			if value.Rounds(w.Number, w.Places, new(big.Rat).Mul(n, by)) {
				return true
			}
		}
	}
	return false
}
