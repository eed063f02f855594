package reindex_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/build"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers/reindex"
)

// killed runs a step in a worker that ends after n writes, and reports whether it came to that.
func (s *site) killed(n int, step func(context.Context, *reindex.Worker) error) bool {
	s.T.Helper()
	a := &axe{left: -1}
	w := s.worker(a)
	a.left = n
	err := step(s.T.Context(), w)
	if a.left != 0 && err != nil {
		s.T.Fatalf("not killed, and yet: %v", err)
	}
	return a.left == 0 && err != nil
}

// restart is a new process: what was cut off is resumed, or undone.
func (s *site) restart() *reindex.Worker {
	s.T.Helper()
	w := s.whole()
	if err := w.Tidy(s.T.Context()); err != nil {
		s.T.Fatal(err)
	}
	return w
}

// turned holds that one of the two builds is live, the task agrees, and both are whole.
func (s *site) turned(w *reindex.Worker, n int) (live uint32) {
	s.T.Helper()
	live = w.Builds.Live()
	t, _, err := w.Task(s.T.Context())
	want := map[uint32]reindex.State{1: reindex.Ready, 2: reindex.Promoted}[live]
	if err != nil || t.State != want {
		s.T.Fatalf("killed at write %d: build %d is live and the task is %q, %v", n, live, t.State, err)
	}
	for _, b := range w.Builds.Kept() {
		if retired := !b.Retired.IsZero(); retired != (b.Sequence < live) || !b.Open() {
			s.T.Errorf("killed at write %d: build %d is live, and this is how build %d stands: %+v", n, live, b.Sequence, b)
		}
		if err := s.holds(b.Sequence); err != nil {
			s.T.Errorf("killed at write %d: %v", n, err)
		}
	}
	return live
}

// A turn that is killed at any of its writes has happened or has not; the next process makes the rest good, and the turn
// can be asked for again.
func TestKnown56TurnsKilledAtEachWrite(t *testing.T) {
	s := newSite(t, 3)
	s.chain()
	s.ready(reindex.FromEmbed)
	promote := func(ctx context.Context, w *reindex.Worker) error { _, err := w.Promote(ctx, false); return err }
	back := func(ctx context.Context, w *reindex.Worker) error { _, err := w.Rollback(ctx); return err }
	did, undid := 0, 0
	for _, x := range []struct {
		name     string
		turn, re func(context.Context, *reindex.Worker) error
		to       uint32
	}{{"promote", promote, back, 2}, {"rollback", back, promote, 1}} {
		for n := 0; ; n++ {
			cut := s.killed(n, x.turn)
			w := s.restart()
			if live := s.turned(w, n); live == x.to {
				did++
			} else {
				undid++
				if err := x.turn(t.Context(), w); err != nil {
					t.Fatalf("%s after a kill at write %d: %v", x.name, n, err)
				}
			}
			if live := s.turned(s.restart(), n); live != x.to {
				t.Fatalf("%s: build %d is live", x.name, live)
			}
			if !cut { // it was over before: the next turn begins from here
				if n < 2 {
					t.Errorf("%s: %d writes", x.name, n)
				}
				break
			}
			if err := x.re(t.Context(), w); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d turns were resumed, %d undone", did, undid)
	if did < 4 || undid < 2 {
		t.Errorf("%d turns were resumed, %d undone", did, undid)
	}
}

// A drop that is killed at any of its writes is gone on with by the next process: nothing is left of the build, and the
// one that is live is whole. Both the new build and the one that was live before are dropped so, with the same artefacts
// and with their own.
func TestKnown56DropKilledAtEachWrite(t *testing.T) {
	for _, c := range []struct {
		from string
		old  bool // the build before the live one is dropped
	}{{reindex.FromEmbed, false}, {reindex.FromEmbed, true}, {reindex.FromParse, false}, {reindex.FromParse, true}} {
		t.Run(fmt.Sprint("from ", c.from, " old ", c.old), func(t *testing.T) {
			t.Parallel()
			s := newSite(t, 2)
			s.chain()
			live, kills := uint32(1), 0
			for n := 0; ; n++ {
				seq := s.ready(c.from).Build
				w := s.whole()
				if c.old {
					if _, err := w.Promote(t.Context(), false); err != nil {
						t.Fatal(err)
					}
					live, seq = seq, live
				}
				rec, err := w.Builds.Get(t.Context(), seq)
				if err != nil {
					t.Fatal(err)
				}
				cut := s.killed(n, func(ctx context.Context, w *reindex.Worker) error {
					if err := w.Drop(ctx, seq); err != nil {
						return err
					}
					return w.Tidy(ctx)
				})
				s.dropped(rec, live, n)
				if !cut {
					break
				}
				kills++
			}
			t.Logf("%d kills", kills)
			if kills < 6 {
				t.Errorf("%d kills", kills)
			}
		})
	}
}

// dropped has the next process drop what was not, and holds that nothing is left.
func (s *site) dropped(rec build.Record, live uint32, n int) {
	s.T.Helper()
	w := s.restart()
	if b, err := w.Builds.Get(s.T.Context(), rec.Sequence); err == nil { // killed before the first write
		if n > 0 || b.State == build.Dropping {
			s.T.Errorf("killed at write %d: build %d is %q", n, rec.Sequence, b.State)
		}
		if err := w.Drop(s.T.Context(), rec.Sequence); err != nil {
			s.T.Fatal(err)
		}
		if err := w.Tidy(s.T.Context()); err != nil {
			s.T.Fatal(err)
		}
	}
	if kept := w.Builds.Kept(); len(kept) != 1 || kept[0].Sequence != live || w.Builds.Live() != live {
		s.T.Fatalf("killed at write %d: %+v", n, kept)
	}
	if err := s.left(rec); err != nil {
		s.T.Errorf("killed at write %d: %v", n, err)
	}
	if err := s.holds(live); err != nil {
		s.T.Errorf("killed at write %d: %v", n, err)
	}
	own, _ := w.Builds.Get(s.T.Context(), live)
	if f := s.folders(); len(f) != 1 || !f[own.In()] {
		s.T.Errorf("killed at write %d: artefacts lie in %v, want %s", n, f, own.In())
	}
}

// A start, and the walk behind it, that are killed at any of their writes are gone on with: no build is left that no task
// names, and each document is handed to the chain once.
func TestKnown56StartKilledAtEachWrite(t *testing.T) {
	s := newSite(t, 5)
	s.want.Created = time.Now().Add(-time.Hour) // so that what nobody wants is collected at once
	for n := 0; ; n++ {
		cut := s.killed(n, func(ctx context.Context, w *reindex.Worker) error {
			if _, err := w.Start(ctx, "", ""); err != nil {
				return err
			}
			return w.Pass(ctx)
		})
		w := s.restart()
		task, ok, err := w.Task(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !ok || task.State != reindex.Running {
			if len(w.Builds.Kept()) != 1 {
				t.Errorf("killed at write %d: nobody wants these builds: %+v", n, w.Builds.Kept())
			}
			if task, err = w.Start(t.Context(), "", ""); err != nil {
				t.Fatalf("killed at write %d: %v", n, err)
			}
		}
		if err := w.Pass(t.Context()); err != nil {
			t.Fatalf("killed at write %d: %v", n, err)
		}
		waiting := s.Waiting(wire.Index)
		if waiting != len(s.ids) {
			t.Errorf("killed at write %d: %d jobs wait for %d documents", n, waiting, len(s.ids))
		}
		for range waiting {
			s.Take(wire.Index)
		}
		if err := w.Drop(t.Context(), task.Build); err != nil {
			t.Fatal(err)
		}
		if err := w.Tidy(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !cut {
			if n < 5 {
				t.Errorf("%d writes", n)
			}
			return
		}
	}
}
