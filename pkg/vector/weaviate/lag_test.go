package weaviate

import (
	"fmt"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// A word's n counts entries that were overwritten or deleted until the server merges its files, so it can pass N. What
// holds the word is found all the same.
func TestAWordOfEveryEntryIsFoundAfterManyRewrites(t *testing.T) {
	t.Parallel()
	x := open(t, fresh(t))
	at := tenantClass{x.className(1, doc.KindWindow), "acme"}
	for version := doc.Generation(1); version <= 4; version++ {
		var entries []vector.Entry
		for i := range 50 {
			e := vector.Entry{ID: place(1, version, i, 0), Terms: []string{"common"}}
			for n := range 100 {
				e.Terms = append(e.Terms, fmt.Sprintf("v%dw%d", version, i*3+n))
			}
			entries = append(entries, e)
		}
		flushing(t, at, func() {
			put(t, x, doc.KindWindow, entries...)
			if _, err := x.Purge(t.Context(), 1, "acme", prefix(1), 0, version-1); err != nil {
				t.Fatal(err)
			}
		})
		for _, terms := range [][]string{{"common"}, {"common", fmt.Sprintf("v%dw0", version)}} {
			hits, err := x.Words(t.Context(), 1, "acme", doc.KindWindow, vector.Terms, terms, nil, 100)
			if err != nil || len(hits) != 50 || hits[49].Score <= 0 {
				t.Errorf("version %d: %q finds %d, %v: %v", version, terms, len(hits), err, hits)
			}
		}
	}
}
