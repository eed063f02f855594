package reindex_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/build"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers/reindex"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// A walk that is paused hands nothing on and goes on from its cursor, in another process: each document is handed on and
// walked once.
func TestPausedAndResumedNothingIsDoneTwice(t *testing.T) {
	n, window := 50, 8
	s := newSite(t, n) // no chain: jobs wait until they are taken
	start := func() *reindex.Worker {
		w := s.whole()
		w.Window = window
		return w
	}
	if _, err := start().Start(t.Context(), "", ""); err != nil {
		t.Fatal(err)
	}
	took := map[doc.ID]int{}
	for sum := 0; sum < n; {
		want := min(window, n-sum)
		ctx, stop := context.WithCancel(t.Context())
		var all sync.WaitGroup
		w := start()
		all.Go(func() { w.Run(ctx) })
		s.fact("a full lane", func() bool { return s.Waiting(wire.Index) == want })
		if sum+want < n {
			if _, err := w.Pause(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.await("the walk has stored where it was paused", func(x reindex.Task) bool { return x.State == reindex.Paused && x.Walked >= sum+want })
		} else {
			s.await("the end of the walk", func(x reindex.Task) bool { return x.Walked == n })
		}
		stop() // the process ends
		all.Wait()
		for range want {
			took[s.Take(wire.Index).DocID]++
		}
		if left := s.Waiting(wire.Index); left != 0 {
			t.Fatalf("paused after %d documents, %d more were handed on", sum, left)
		}
		if sum += want; sum < n {
			if _, err := start().Resume(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	task, _, err := s.whole().Task(t.Context())
	if err != nil || task.Handed != n || task.Walked != n || task.Behind != n {
		t.Errorf("%+v, %v; want %d handed on", task, err, n)
	}
	for _, id := range s.ids {
		if took[id] != 1 {
			t.Errorf("document %s was handed on %d times", id, took[id])
		}
	}
}

// fact waits for one.
func (s *site) fact(what string, f func() bool) {
	s.T.Helper()
	late, look := time.After(time.Minute), time.NewTicker(2*time.Millisecond)
	defer look.Stop()
	for !f() {
		select {
		case <-look.C:
		case <-late:
			s.T.Fatalf("not within a minute: %s", what)
		}
	}
}

// Of two processes one works. It is killed in the middle: the other one takes the lease when that is over, goes on, and
// does nothing again.
func TestOneLeaderAndAChangeOfLeader(t *testing.T) {
	n := 60
	s := newSite(t, n)
	s.chain()
	if _, err := s.whole().Start(t.Context(), "", ""); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var order []string // who worked, when that changed
	var seen atomic.Int64
	kill := make(chan string, 1)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	axes := map[string]*axe{}
	var all sync.WaitGroup
	for _, id := range []string{"one", "two"} {
		a := &axe{left: -1}
		axes[id] = a
		w := s.worker(a)
		w.ID, w.Window, w.Lease = id, 1, 4*time.Second // so long that a busy machine does not end it
		w.Latency = func(context.Context) (time.Duration, int) {
			mu.Lock()
			defer mu.Unlock()
			if len(order) == 0 || order[len(order)-1] != id {
				order = append(order, id)
			}
			if seen.Add(1) == int64(n/3) {
				kill <- id
			}
			return 0, 0
		}
		all.Go(func() { w.Run(ctx) })
	}
	first := <-kill
	axes[first].fell()
	task := s.await("ready, by the other one", is(reindex.Ready))
	stop()
	all.Wait()
	second := map[string]string{"one": "two", "two": "one"}[first]
	if !slices.Equal(order, []string{first, second}) {
		t.Errorf("these have worked, in this order: %v; %s was killed", order, first)
	}
	for _, id := range s.ids {
		if k := s.times(task.Build, wire.Index, id); k != 1 {
			t.Errorf("document %s was indexed %d times", id, k)
		}
	}
	if err := s.holds(task.Build); err != nil {
		t.Error(err)
	}
}

// While questions take long one job at a time is handed on, after a wait, and status says why; then it is as fast as
// before.
func TestItGivesWayToQuestions(t *testing.T) {
	n := 40
	s := newSite(t, n)
	s.chain()
	w := s.whole()
	w.Window = 8
	var slow atomic.Bool
	var looks atomic.Int64
	slow.Store(true)
	w.Latency = func(context.Context) (time.Duration, int) {
		if slow.Load() {
			looks.Add(1)
			return 3 * w.Slow, 50
		}
		return w.Slow / 2, 50
	}
	if _, err := w.Start(t.Context(), "", ""); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	all.Go(func() { w.Run(ctx) })
	task := s.await("a walk that says that it gives way", func(x reindex.Task) bool { return x.Window == 1 && strings.Contains(x.Note, "gives way") })
	wide := int64(4 + 2) // what the window held while it was halved
	if k := int64(task.Handed); k > looks.Load()+wide || task.State != reindex.Running {
		t.Errorf("%d were handed on in %d looks: %+v", k, looks.Load(), task)
	}
	slow.Store(false)
	task = s.await("ready", is(reindex.Ready))
	if task.Window < 2 || task.Note != "" {
		t.Errorf("%+v", task)
	}
}

// What cannot be done is refused with a reason, and nothing is changed by it.
func TestRefusals(t *testing.T) {
	s := newSite(t, 2)
	s.chain()
	w := s.whole()
	ctx := t.Context()
	expect := func(what string, code int, err error, says string) {
		t.Helper()
		if got := workertest.Code(err); got != code || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: code %d, %v; want %d and %q", what, got, err, code, says)
		}
	}
	start := func(from string) error { _, err := w.Start(ctx, from, ""); return err }
	promote := func() error { _, err := w.Promote(ctx, false); return err }
	back := func() error { _, err := w.Rollback(ctx); return err }
	pause := func() error { _, err := w.Pause(ctx); return err }
	resume := func() error { _, err := w.Resume(ctx); return err }
	compare := func() error { _, err := w.Compare(ctx, 0); return err }
	expect("promote before any", 409, promote(), "no build is ready")
	expect("rollback without a parent", 409, back(), "no build to go back to")
	expect("pause without a task", 409, pause(), "no re-index is running")
	expect("resume without a task", 409, resume(), "no re-index is paused")
	expect("compare without a task", 409, compare(), "no build to compare")
	expect("drop without a task", 409, w.Drop(ctx, 0), "no re-index to drop")
	expect("drop of the live build", 409, w.Drop(ctx, 1), "is live")
	expect("drop of a build that never was", 404, w.Drop(ctx, 7), "gone")
	expect("start from nowhere", 400, start("index"), "not known")
	s.want.Chunker = build.Chunker{Target: 100}
	expect("start too late for what differs", 409, start(reindex.FromEmbed), "re-index needed from chunk")
	s.want.Pipeline = "p99"
	expect("start too late for other rules", 409, start(reindex.FromChunk), "re-index needed from parse")
	if kept := w.Builds.Kept(); len(kept) != 1 {
		t.Fatalf("refusals have made builds: %+v", kept)
	}
	s.want.Chunker, s.want.Pipeline = build.Chunker{}, w.Rules.Pipeline
	if err := start(""); err != nil {
		t.Fatal(err)
	}
	expect("start twice", 409, start(""), "is running already")
	expect("promote while it runs", 409, promote(), "no build is ready")
	if err := pause(); err != nil {
		t.Fatal(err)
	}
	expect("pause twice", 409, pause(), "no re-index is running")
	expect("start while one is paused", 409, start(""), "is paused already")
	if err := resume(); err != nil {
		t.Fatal(err)
	}
	s.run(w, "ready", is(reindex.Ready))
	expect("start while one is ready", 409, start(""), "is ready already")
	if err := promote(); err != nil {
		t.Fatal(err)
	}
	expect("promote twice", 409, promote(), "no build is ready")
	expect("drop of what is live now", 409, w.Drop(ctx, 2), "is live")
	if err := w.Drop(ctx, 1); err != nil {
		t.Fatal(err)
	}
	if err := w.Tidy(ctx); err != nil {
		t.Fatal(err)
	}
	expect("rollback to what is gone", 409, back(), "which is gone")
	expect("drop of what is gone", 404, w.Drop(ctx, 1), "gone")
	if err := s.holds(2); err != nil {
		t.Error(err)
	}
}

// Of two starts at one moment one begins, and no build of the other is left.
func TestTwoStartsAtOnce(t *testing.T) {
	s := newSite(t, 2)
	s.want.Created = time.Now().Add(-time.Hour)
	var began, refused atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		w := s.whole()
		all.Go(func() {
			if _, err := w.Start(t.Context(), "", ""); err == nil {
				began.Add(1)
			} else if workertest.Code(err) == 409 {
				refused.Add(1)
			} else {
				t.Error(err)
			}
		})
	}
	all.Wait()
	w := s.restart()
	if began.Load() != 1 || refused.Load() != 3 || len(w.Builds.Kept()) != 2 {
		t.Errorf("%d began, %d were refused; builds %+v", began.Load(), refused.Load(), w.Builds.Kept())
	}
}
