package pdf

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// startLimit is how much CPU time a child may take to come up: the first start on a machine compiles.
const startLimit = 120 * time.Second

// watch ends a child that takes more than its limits.
type watch struct {
	limits Limits
	pid    int
	kill   context.CancelCauseFunc
	done   chan struct{}

	begun atomic.Pointer[usage] // what was used when the child was ready
	pages atomic.Int64
	peak  atomic.Int64 // resident bytes
}

// usage is what a process has used by a time; cpu and memory are 0 where the system does not tell.
type usage struct {
	at     time.Time
	cpu    time.Duration
	memory int64
}

// begin starts the clock of the file.
func (w *watch) begin() {
	u := used(w.pid)
	w.begun.Store(&u)
}

const lookEvery = 20 * time.Millisecond

func (w *watch) run() {
	t := time.NewTicker(lookEvery)
	defer t.Stop()
	start := usage{at: time.Now()}
	for {
		select {
		case <-w.done:
			return
		case <-t.C:
			if err := w.look(start); err != nil {
				w.kill(err)
				return
			}
		}
	}
}

// look says which limit the child is over.
func (w *watch) look(start usage) error {
	u := used(w.pid)
	w.peak.Store(max(w.peak.Load(), u.memory))
	if u.memory > w.limits.Memory {
		return fmt.Errorf("%w of memory: %d MB resident", errLimit, w.limits.Memory/1e6)
	}
	from, limit := start, startLimit
	if b := w.begun.Load(); b != nil {
		from, limit = *b, w.limits.CPU+time.Duration(w.pages.Load())*w.limits.CPUPage
	}
	if u.cpu-from.cpu > limit {
		return fmt.Errorf("%w of CPU time: %v", errLimit, limit)
	}
	wall := w.limits.Wall
	if wall <= 0 || w.begun.Load() == nil {
		wall = 10 * limit
	}
	if u.at.Sub(from.at) > wall {
		return fmt.Errorf("%w of time: %v", errLimit, wall)
	}
	return nil
}
