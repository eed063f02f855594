package reindex_test

import (
	"testing"

	"github.com/fingerpost/fingerpost/pkg/wire"
)

// Builds of one folder share their jobs. What waited for a job of a build that is dropped gets another one.
func TestADroppedBuildTakesNoJobsWithIt(t *testing.T) {
	s := newSite(t, 2)
	w := s.whole()
	task, err := w.Start(t.Context(), "embed", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.builds.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.ids = append(s.ids, s.Put("new.md", "# New\n\nIt comes while there are two builds.\n"))
	for s.Waiting(wire.Parse) > 0 {
		s.Take(wire.Parse) // as one for the dropped build, which nobody does
	}
	if err := w.Drop(t.Context(), task.Build); err != nil {
		t.Fatal(err)
	}
	s.chain()
	if err := w.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.fact("every document in the first build", func() bool { return s.holds(1) == nil })
}
