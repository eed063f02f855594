package pipeline

import (
	"context"
	"sync"
	"time"

	"github.com/fingerpost/fingerpost/pkg/retry"
)

// gate holds a stage back while a whole server is away: it shuts at an outage, for a pause that grows, and then lets one
// job of one lane through as the probe. What becomes of that opens it, or shuts it for longer.
type gate struct {
	pauses retry.Delays

	mu     sync.Mutex
	shut   bool
	fails  int       // outages met one after the other, by probes
	until  time.Time // no probe before
	probe  time.Time // when the one under way was let through; zero for none
	change chan struct{}
}

func newGate(p retry.Delays) *gate { return &gate{pauses: p, change: make(chan struct{})} }

// pauses is what a Runner without pauses of its own takes.
var pauses = retry.Delays{First: 250 * time.Millisecond, Most: 2 * time.Second, Chance: .25}

func (r *Runner) pauses() retry.Delays {
	if r.Pauses.Most > 0 {
		return r.Pauses
	}
	return pauses
}

// probeMost is how long a probe may take before others go as well: a server that is away says so sooner, so this is a
// long job, for which the whole stage shall not wait.
const probeMost = 5 * time.Second

// pass waits until jobs may be fetched and says how many of n; probe: one, and its outcome decides.
func (g *gate) pass(ctx context.Context, n int) (most int, probe bool, err error) {
	for {
		g.mu.Lock()
		left := time.Until(g.until)
		if !g.probe.IsZero() {
			left = time.Until(g.probe.Add(probeMost))
		}
		switch {
		case !g.shut || left <= 0 && !g.probe.IsZero():
			g.open()
			g.mu.Unlock()
			return n, false, nil
		case left <= 0:
			g.probe = time.Now()
			g.mu.Unlock()
			return 1, true, nil
		}
		change := g.change
		g.mu.Unlock()
		if err := either(ctx, change, left); err != nil {
			return 0, false, err
		}
	}
}

// either waits for the change, at most for d.
func either(ctx context.Context, change <-chan struct{}, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-change:
	case <-t.C:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// missed says that there was no job for the probe: a moment later either lane may look for one.
func (g *gate) missed() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.probe, g.until = time.Time{}, time.Now().Add(g.pauses.Delay(1)/4)
	g.wake()
}

// told learns how a job ended. Of an outage only the first counts, and those of probes: the others were in hand.
func (g *gate) told(probe bool, outcome string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case outcome == "done":
		g.fails = 0
		g.open()
	case outcome == "outage" && (probe || !g.shut):
		g.fails++
		g.shut, g.probe, g.until = true, time.Time{}, time.Now().Add(g.pauses.Delay(g.fails))
		g.wake()
	case outcome != "outage" && probe:
		g.open()
	}
}

func (g *gate) open() {
	if g.shut {
		g.shut, g.probe = false, time.Time{}
		g.wake()
	}
}

func (g *gate) wake() {
	close(g.change)
	g.change = make(chan struct{})
}
