package reindex

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/fingerpost/fingerpost/pkg/bus"
)

// leaderKey names the process that works on the task.
const leaderKey = "leader"

// claim is a lease as a process sees it. A lease is over when its revision has not changed for as long as it lasts,
// by the clock of who looks: no two clocks are compared.
type claim struct {
	revision uint64
	since    time.Time
}

// lead takes or renews the lease and reports whether it is ours.
func (w *Worker) lead(ctx context.Context, c *claim) (bool, error) {
	v, rev, err := w.State.Get(ctx, leaderKey)
	if err != nil && !errors.Is(err, bus.ErrNoKey) {
		return false, fmt.Errorf("re-index lease: %w", err)
	}
	if rev != c.revision {
		c.revision, c.since = rev, time.Now()
	}
	if rev != 0 && string(v) != w.ID && time.Since(c.since) < w.Lease {
		return false, nil
	}
	rev, err = w.State.Put(ctx, leaderKey, []byte(w.ID), rev)
	if errors.Is(err, bus.ErrConflict) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("re-index lease: %w", err)
	}
	c.revision, c.since = rev, time.Now()
	return true, nil
}

// Run works on the task whenever there is one and the lease is ours, and tidies up, until ctx ends.
func (w *Worker) Run(ctx context.Context) {
	if why := w.Needed(ctx); why != "" {
		w.Log.Warn(why)
	}
	var c claim
	var inHand hand
	defer inHand.stop()
	tick := time.NewTicker(w.Lease / 5)
	defer tick.Stop()
	for last := time.Now(); ; {
		mine, err := w.lead(ctx, &c)
		if mine {
			last = time.Now()
			inHand.begin(ctx, w.once)
		} else if err == nil || time.Since(last) > w.Lease*2/3 { // somebody else has it, or may have it soon
			inHand.stop()
		}
		select {
		case <-ctx.Done():
			return
		case err := <-inHand.done:
			inHand.ended()
			if err != nil && ctx.Err() == nil && !errors.Is(err, errStopped) {
				w.Log.Warn("re-index; it is tried again", "err", err)
			}
			w.bell.rest(ctx, w.Lease/5)
		case <-tick.C:
		}
	}
}

// bell ends a rest early: there is work. The zero value is ready.
type bell struct {
	once sync.Once
	rung chan struct{}
}

func (b *bell) c() chan struct{} {
	b.once.Do(func() { b.rung = make(chan struct{}, 1) })
	return b.rung
}

func (b *bell) ring() {
	select {
	case b.c() <- struct{}{}:
	default:
	}
}

// rest waits for a while, for the bell, or until ctx ends.
func (b *bell) rest(ctx context.Context, while time.Duration) {
	t := time.NewTimer(while)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	case <-b.c():
	}
}

// hand is the work that the lease allows: none, or one.
type hand struct {
	done   chan error // nil: none
	cancel context.CancelFunc
}

func (h *hand) begin(ctx context.Context, do func(context.Context) error) {
	if h.done != nil {
		return
	}
	ctx, h.cancel = context.WithCancel(ctx)
	done := make(chan error, 1)
	h.done = done
	go func() { done <- do(ctx) }()
}

func (h *hand) ended() {
	h.cancel()
	h.done = nil
}

func (h *hand) stop() {
	if h.done == nil {
		return
	}
	h.cancel()
	<-h.done
	h.ended()
}

// once tidies up and works on the task until it is ready or stopped.
func (w *Worker) once(ctx context.Context) error {
	if err := errors.Join(w.tidy(ctx), w.clearShelf(ctx)); err != nil {
		return err
	}
	if err := w.onTime(ctx); err != nil {
		return err
	}
	t, ok, err := w.Task(ctx)
	if err != nil || !ok {
		return err
	}
	if t.State == Running {
		return w.work(ctx, t)
	}
	return w.decide(ctx, t)
}
