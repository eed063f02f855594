package reindex_test

import (
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/build"
	"github.com/fingerpost/fingerpost/workers/reindex"
)

// The build before the live one is kept for the way back, with its artefacts, until its time is over. Then it goes; its
// artefacts go when no other build uses them, and nothing of the live one does.
func TestAPastBuildGoesWhenItsTimeIsOver(t *testing.T) {
	for from, shared := range map[string]bool{reindex.FromParse: false, reindex.FromEmbed: true} {
		t.Run("from "+from, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, 2)
			s.chain()
			first, second := s.turnTo(from), uint32(0)
			w := s.restart() // kept for an hour
			s.stands(w, first.Sequence, w.Builds.Live())
			w.Keep = 0 // kept until it is dropped
			s.tidies(w)
			s.stands(w, first.Sequence, w.Builds.Live())
			next := s.turnTo(from) // the one before the parent is of the past since before
			second, w = next.Sequence, s.restart()
			s.stands(w, first.Sequence, second, w.Builds.Live())
			s.older(first.Sequence, w.Keep+time.Minute)
			w = s.restart()
			s.stands(w, second, w.Builds.Live())
			if err := s.left(first); err != nil {
				t.Error(err)
			}
			live := s.record(w, w.Builds.Live())
			f := s.folders()
			if f[first.In()] != shared || !f[next.In()] || !f[live.In()] {
				t.Errorf("artefacts lie in %v; shared: %v", f, shared)
			}
			if _, err := w.Rollback(t.Context()); err != nil || w.Builds.Live() != second {
				t.Errorf("way back: build %d is live, %v", w.Builds.Live(), err)
			}
		})
	}
}

// turnTo makes a build, promotes it, and is the record of the one that was live before.
func (s *site) turnTo(from string) build.Record {
	s.T.Helper()
	s.ready(from)
	w := s.restart()
	before := s.record(w, w.Builds.Live())
	if _, err := w.Promote(s.T.Context(), false); err != nil {
		s.T.Fatal(err)
	}
	return before
}

func (s *site) record(w *reindex.Worker, seq uint32) build.Record {
	s.T.Helper()
	rec, err := w.Builds.Get(s.T.Context(), seq)
	if err != nil {
		s.T.Fatal(err)
	}
	return rec
}

// older has a build be of the past for so long.
func (s *site) older(seq uint32, since time.Duration) {
	s.T.Helper()
	if _, err := s.builds.Change(s.T.Context(), seq, func(r *build.Record) bool { r.Retired = time.Now().Add(-since).UTC(); return true }); err != nil {
		s.T.Fatal(err)
	}
}

func (s *site) tidies(w *reindex.Worker) {
	s.T.Helper()
	if err := w.Tidy(s.T.Context()); err != nil {
		s.T.Fatal(err)
	}
}

// stands holds which builds there are, each of them whole.
func (s *site) stands(w *reindex.Worker, want ...uint32) {
	s.T.Helper()
	kept := w.Builds.Kept()
	if len(kept) != len(want) {
		s.T.Fatalf("kept are %+v, want %v", kept, want)
	}
	for i, b := range kept {
		if b.Sequence != want[i] {
			s.T.Errorf("kept are %+v, want %v", kept, want)
		}
		if err := s.holds(b.Sequence); err != nil {
			s.T.Error(err)
		}
	}
}
