package remote

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// work runs calls of so many tokens at once through the pace until n have ended; speed is the tokens a second of one call
// when so many are under way.
func work(t *testing.T, p *pace, n int, speed func(calls int) float64) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var all sync.WaitGroup
		for range n {
			all.Go(func() {
				at, err := p.enter(t.Context(), false)
				if err != nil {
					t.Error(err)
					return
				}
				r := speed(at)
				time.Sleep(time.Duration(1000 / r * float64(time.Second)))
				p.did(at, r)
				p.leave()
			})
		}
		all.Wait()
	})
}

func TestKnown42PaceStaysAtOneOnACPU(t *testing.T) {
	p := newPace(8)
	var beyond atomic.Int64
	work(t, p, 150, func(calls int) float64 {
		if calls > 2 {
			beyond.Add(1)
		}
		return 1400 / float64(calls)
	})
	if p.width() != 1 || beyond.Load() > 0 {
		t.Errorf("window %d, wider than two %d times: more calls bring nothing there", p.width(), beyond.Load())
	}
}

func TestPaceWidensWhereItPays(t *testing.T) {
	p := newPace(8)
	work(t, p, 400, func(calls int) float64 { return 1400 / max(1, float64(calls)/6) })
	if w := p.width(); w < 5 || w > 8 {
		t.Errorf("window %d on a server that takes six calls as fast as one", w)
	}
}

func TestPaceNeverBeyondMost(t *testing.T) {
	p := newPace(3)
	work(t, p, 200, func(int) float64 { return 1000 })
	if w := p.width(); w != 3 {
		t.Errorf("window %d", w)
	}
}

func TestPaceIsHalvedWhenOverrun(t *testing.T) {
	p := newPace(8)
	p.window = 7
	for _, want := range []int{3, 1, 1} {
		if p.overrun(); p.width() != want {
			t.Errorf("window %d, want %d", p.width(), want)
		}
	}
}

// A question does not wait for the whole background: one text goes before a batch that came earlier.
func TestShortCallsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPace(1)
		if _, err := p.enter(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var order []string
		var all sync.WaitGroup
		wait := func(name string, short bool) {
			all.Go(func() {
				if _, err := p.enter(t.Context(), short); err != nil {
					t.Error(err)
				}
				mu.Lock()
				order = append(order, name)
				mu.Unlock()
				p.leave()
			})
			synctest.Wait()
		}
		wait("batch", false)
		wait("question", true)
		p.leave()
		all.Wait()
		if !slices.Equal(order, []string{"question", "batch"}) {
			t.Errorf("order %v", order)
		}
	})
}

func TestCancelledWaitLeavesThePlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPace(1)
		if _, err := p.enter(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { _, err := p.enter(ctx, false); done <- err }()
		synctest.Wait()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		p.leave()
		if _, err := p.enter(t.Context(), false); err != nil {
			t.Error(err)
		}
		if p.busy != 1 {
			t.Errorf("%d places taken", p.busy)
		}
	})
}
