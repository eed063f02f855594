package reconcile

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/fingerpost/fingerpost/pkg/bus"
)

// Consumers is what the watch needs of the bus.
type Consumers interface {
	Progress(ctx context.Context, c bus.Consumer) (bus.Progress, error)
	Rebuild(ctx context.Context, c bus.Consumer) error
}

// Watch finds consumers that are stuck: messages wait and none was delivered for longer than any job takes, or the
// durable is lost. They are made anew; what is in hand is then done twice, which the fence makes harmless.
type Watch struct {
	Bus       Consumers
	Consumers []bus.Consumer
	Log       *slog.Logger
	After     time.Duration // without a delivery
	Now       func() time.Time

	waiting map[string]time.Time // since when a consumer has messages that nobody got, by stream
}

// Look looks at every consumer once and returns how many were stuck.
func (w *Watch) Look(ctx context.Context) (stuck int) {
	if w.waiting == nil {
		w.waiting = map[string]time.Time{}
	}
	for _, c := range w.Consumers {
		p, err := w.Bus.Progress(ctx, c)
		if ctx.Err() != nil {
			return stuck
		}
		if errors.Is(err, bus.ErrAway) { // nobody knows; what is in hand goes on
			continue
		}
		if err == nil && !w.isStuck(c, p) {
			continue
		}
		stuck++
		w.Log.Error("consumer is stuck or lost; it is made anew", "stream", c.Stream, "pending", p.Pending, "in_hand", p.InHand, "delivered", p.Delivered, "err", err)
		if err := w.Bus.Rebuild(ctx, c); err != nil {
			w.Log.Error("consumer not made anew", "stream", c.Stream, "err", err)
		}
		delete(w.waiting, c.Stream)
	}
	return stuck
}

// isStuck counts from the last delivery, or from when messages were first seen waiting, whichever is later.
func (w *Watch) isStuck(c bus.Consumer, p bus.Progress) bool {
	now := w.Now()
	if p.Pending == 0 {
		delete(w.waiting, c.Stream)
		return false
	}
	since, ok := w.waiting[c.Stream]
	if !ok {
		since = now
		w.waiting[c.Stream] = now
	}
	if p.Delivered.After(since) {
		since = p.Delivered
	}
	return now.Sub(since) > w.After
}
