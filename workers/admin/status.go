package admin

import (
	"context"
	"time"

	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers/reconcile"
)

// Walks counts what the reconciler's passes found since the process started, by class: objects of which no event told.
type Walks struct {
	Passes   int       `json:"passes"`
	Last     time.Time `json:"last,omitzero"` // the end of the last one
	Missing  int       `json:"missing"`
	Changed  int       `json:"changed"`
	Gone     int       `json:"gone"`
	Pending  int       `json:"pending"`
	Unpurged int       `json:"unpurged"`
	Held     int       `json:"held"` // of the last pass: they wait for --yes
}

// Add counts a pass.
func (w *Walks) Add(g reconcile.Gaps, at time.Time) {
	w.Passes++
	w.Last = at
	w.Missing += g.Missing
	w.Changed += g.Changed
	w.Gone += g.Gone
	w.Pending += g.Pending
	w.Unpurged += g.Unpurged
	w.Held = g.Held
}

// StatusReply is what an operator watches.
type StatusReply struct {
	Gaps         Walks         `json:"gaps"`
	DeadLetters  uint64        `json:"dead_letters"`
	OldestLetter time.Duration `json:"oldest_letter_ns"`
	TrailDropped uint64        `json:"trail_dropped"` // events missing in trails since the start
}

// Status tells it.
func (w *Worker) Status(ctx context.Context, _ struct{}) (rep StatusReply, err error) {
	if w.Walks != nil {
		rep.Gaps = w.Walks()
	}
	if w.TrailDropped != nil {
		rep.TrailDropped = w.TrailDropped()
	}
	rep.DeadLetters, rep.OldestLetter, err = w.Letters.Bus.Backlog(ctx, wire.DeadStream)
	return rep, err
}
