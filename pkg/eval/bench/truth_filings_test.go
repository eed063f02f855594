//go:build truth

package bench

import (
	"testing"

	"github.com/fingerpost/fingerpost/pkg/chunker"
	"github.com/fingerpost/fingerpost/pkg/doc"
)

// TestTruthFilings is the measurement over look-alike filings with one vector a section: 7,600 vectors the first
// time, seconds from its file later.
func TestTruthFilings(t *testing.T) {
	vectors, e := cache(t)
	c, qs := filings(t, chunker.Options{Count: e.Count})
	if err := c.Embed(t.Context(), vectors, doc.LevelSections, nil); err != nil {
		t.Fatal(err)
	}
	m := chosen
	m.Vector = vectors.Question
	rs, err := c.Pages(t.Context(), m, qs, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := Sum(rs)
	t.Logf("one vector a section: %s", s)
	floor := PageSum{Any: [3]int{25, 34, 38}, Doc: 39, Full: 39}
	if s.Any[0] < floor.Any[0] || s.Any[1] < floor.Any[1] || s.Any[2] < floor.Any[2] || s.Doc < floor.Doc || s.Full < floor.Full {
		t.Errorf("below the floor %s", floor)
	}
}

// TestTruthOwnSets is the sets of our own with vectors of every chunk.
func TestTruthOwnSets(t *testing.T) {
	vectors, e := cache(t)
	for _, s := range ownSets {
		c, qs := asked(t, s.set, chunker.Options{Count: e.Count})
		if err := c.Embed(t.Context(), vectors, doc.LevelFull, nil); err != nil {
			t.Fatal(err)
		}
		m := fields()
		m.Vector = vectors.Question
		floor{name: s.set, any: s.vectors}.held(t, run(t, s.set, qs, c.Finder(m)))
	}
}
