package reconcile

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/bus"
)

// consumers says what it is told to, and counts rebuilds.
type consumers struct {
	progress bus.Progress
	err      error
	rebuilt  int
}

func (c *consumers) Progress(context.Context, bus.Consumer) (bus.Progress, error) {
	return c.progress, c.err
}

func (c *consumers) Rebuild(context.Context, bus.Consumer) error { c.rebuilt++; return nil }

// Known failures 18 and 22: messages that wait while nothing is delivered, and a durable that is gone.
func TestKnown18StuckConsumersAreMadeAnew(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	c := &consumers{progress: bus.Progress{Pending: 3, Delivered: now.Add(-time.Hour)}}
	w := &Watch{Bus: c, Consumers: []bus.Consumer{{Stream: "FP_PARSE", Durable: "parse"}}, After: 10 * time.Minute,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Now: func() time.Time { return now }}
	steps := []struct {
		name  string
		after time.Duration
		p     bus.Progress
		err   error
		stuck int
	}{
		{"messages wait since this moment", 0, bus.Progress{Pending: 3}, nil, 0},
		{"nine minutes later", 9 * time.Minute, bus.Progress{Pending: 3}, nil, 0},
		{"two more: stuck", 2 * time.Minute, bus.Progress{Pending: 3}, nil, 1},
		{"made anew, it has its time again", time.Minute, bus.Progress{Pending: 3}, nil, 0},
		{"a delivery counts", 15 * time.Minute, bus.Progress{Pending: 3, Delivered: now.Add(24 * time.Minute)}, nil, 0},
		{"nothing waits", time.Hour, bus.Progress{InHand: 2}, nil, 0},
		{"the bus is away: nobody knows", time.Hour, bus.Progress{}, bus.ErrAway, 0},
		{"the durable is gone", time.Minute, bus.Progress{}, errors.New("consumer not found"), 1},
	}
	for _, s := range steps {
		now = now.Add(s.after)
		c.progress, c.err = s.p, s.err
		if got := w.Look(t.Context()); got != s.stuck {
			t.Errorf("%s: %d stuck, want %d", s.name, got, s.stuck)
		}
	}
	if c.rebuilt != 2 {
		t.Errorf("%d made anew, want 2", c.rebuilt)
	}
}
