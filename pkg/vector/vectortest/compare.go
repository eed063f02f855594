package vectortest

import (
	"bytes"
	"fmt"
	"math"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// tolerance is how far a score may lie from the reference's, for scores up to 1; above in proportion.
const tolerance = 1e-5

func near(a, b float32) bool {
	return math.Abs(float64(a-b)) <= tolerance*max(1, math.Abs(float64(b)))
}

// scores is whether a score of Words is the reference's, as far as the vendor's statistics promise it.
func (v Vendor) scores(got, want float32) bool { return v.Lags && got > 0 || near(got, want) }

// found compares a list of Words: hits and order, and scores where the vendor's statistics don't lag.
func (v Vendor) found(hits, all []vector.Hit, limit int) error {
	if v.Lags {
		all = withScoresOf(all, hits)
	}
	return compare(hits, all, limit)
}

// withScoresOf is the ranking `all` as it is when every entry in hits has the score it has there, and no other a
// higher one than the last of them.
func withScoresOf(all, hits []vector.Hit) (out []vector.Hit) {
	right := map[doc.EntryID]bool{}
	for _, h := range all {
		right[h.ID] = true
	}
	for _, h := range hits {
		if right[h.ID] {
			out = append(out, h)
			delete(right, h.ID)
		}
	}
	for _, h := range all {
		if right[h.ID] {
			out = append(out, vector.Hit{ID: h.ID})
		}
	}
	return out
}

// compare says how hits differ from the reference's ranking `all` (without a limit) cut at limit, or is
// nil. Entries whose scores differ by rounding only may stand in either order, and fall on either side of the cut.
func compare(hits, all []vector.Hit, limit int) error {
	if want := min(limit, len(all)); len(hits) != want {
		return fmt.Errorf("%d hits, want %d of %d", len(hits), want, len(all))
	}
	right := map[doc.EntryID]float32{}
	for _, h := range all {
		right[h.ID] = h.Score
	}
	seen := map[doc.EntryID]bool{}
	for i, h := range hits {
		want, ok := right[h.ID]
		switch {
		case !ok:
			return fmt.Errorf("hit %d, %s, is not to be found", i, h.ID)
		case seen[h.ID]:
			return fmt.Errorf("hit %d, %s, stands twice", i, h.ID)
		case !near(h.Score, want):
			return fmt.Errorf("hit %d, %s, has score %v, want %v", i, h.ID, h.Score, want)
		case !near(h.Score, all[i].Score):
			return fmt.Errorf("hit %d, %s, has score %v, the place's is %v", i, h.ID, h.Score, all[i].Score)
		case i > 0 && !inOrder(hits[i-1], h):
			return fmt.Errorf("hit %d, %s, stands before %s, against score and id", i-1, hits[i-1].ID, h.ID)
		}
		seen[h.ID] = true
	}
	return nil
}

func inOrder(a, b vector.Hit) bool {
	return a.Score > b.Score || a.Score == b.Score && bytes.Compare(a.ID[:], b.ID[:]) < 0
}
