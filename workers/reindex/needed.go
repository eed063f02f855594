package reindex

import (
	"context"
	"fmt"

	"github.com/fingerpost/fingerpost/pkg/build"
)

// same reports whether two builds were made by the same rules; their models may differ.
func same(a, b build.Record) bool {
	return a.Pipeline == b.Pipeline && a.Analyzer == b.Analyzer && a.Chunker == b.Chunker
}

// Needed says what is different in the live build from what the program and its configuration would make now, when no
// newer build has it already; "" when nothing is. The model is not looked at: another one is refused at the start.
func (w *Worker) Needed(ctx context.Context) string {
	live, err := w.Builds.Get(ctx, w.Builds.Live())
	if err != nil {
		return ""
	}
	want := w.Rules
	want.Vectors = live.Vectors
	_, why := Plan(live, want)
	if why == "" {
		return ""
	}
	for _, b := range w.Builds.Open() {
		if b.Sequence > live.Sequence && same(b, want) {
			return ""
		}
	}
	return fmt.Sprintf("re-index needed: %s; build %d answers until then (fingerpost reindex start)", why, live.Sequence)
}

// stale ends in a pause the walk into a build that was begun by another version of the program: what this one would add
// is of other rules. "" when it may go on.
func (w *Worker) stale(rec build.Record) string {
	want := w.Rules
	want.Vectors, want.Chunker = rec.Vectors, rec.Chunker // they are the build's own
	if _, why := Plan(rec, want); why != "" {
		return "re-index needed from the beginning: " + why + "; drop this one and start again"
	}
	return ""
}
