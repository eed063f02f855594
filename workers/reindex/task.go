// Package reindex makes a new build of the index beside the live one, compares the two, and turns from one to the other
// by one write.
//
// One re-index runs at a time. What it is and how far it has come is one record in the KV bucket FP_REINDEX; whoever
// holds the lease there works on it and goes on where another one stopped. It walks the buckets by cursor and hands
// each document that the new build lacks to the chain, in the bulk lane, a few at a time, fewer when questions take
// long. Changes are written to both builds meanwhile, by intake. A build is ready when a whole walk found nothing that
// it lacks.
//
// The build that was live before stays, and is kept up to date, until it is dropped or its time is over.
package reindex

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/fingerpost/fingerpost/pkg/bus"
)

// State is where a re-index stands.
type State string

// The states.
const (
	Running  State = "running"
	Paused   State = "paused"
	Ready    State = "ready"    // may be promoted
	Promoted State = "promoted" // its build is live, or was
	Ended    State = "dropped"  // its build was dropped
)

// Task is the re-index under way, or the last one.
type Task struct {
	Build  uint32 `json:"build"`
	Parent uint32 `json:"parent"` // the build that was live when it began
	State  State  `json:"state"`
	From   string `json:"from"` // parse, chunk or embed: the first stage that is done anew
	Why    string `json:"why"`  // what is different from the parent

	Pass   int    `json:"pass"`             // walks, from 1; the last finds nothing that lacks
	Source int    `json:"source"`           // the source that is walked, from 0
	Cursor string `json:"cursor,omitempty"` // the last key that was looked at
	Walked int    `json:"walked"`           // objects looked at in this pass
	Total  int    `json:"total"`            // objects of the sources when it began
	Handed int    `json:"handed"`           // jobs handed to the chain in all passes
	Behind int    `json:"behind"`           // documents that this pass found lacking

	Window  int     `json:"window"`         // jobs that may wait at once
	Latency float64 `json:"latency_ms"`     // p95 of the questions of the last seconds
	Left    float64 `json:"left_s"`         // seconds that remain at the present rate; 0: not known, or done
	Note    string  `json:"note,omitempty"` // what keeps it

	// Of a re-index that a schedule began: when it was due, what must hold for it to be promoted, and what was found.
	Due       time.Time `json:"due,omitzero"`
	PromoteIf string    `json:"promote_if,omitempty"`
	Verdicts  []Verdict `json:"verdicts,omitempty"`

	Started  time.Time `json:"started"`
	Updated  time.Time `json:"updated"`
	Finished time.Time `json:"finished,omitzero"` // ready
}

// taskKey is where the task stands in FP_REINDEX.
const taskKey = "task"

// Task reads it; ok is false when there never was one.
func (w *Worker) Task(ctx context.Context) (t Task, ok bool, err error) {
	t, rev, err := w.read(ctx)
	return t, rev != 0, err
}

func (w *Worker) read(ctx context.Context) (t Task, rev uint64, err error) {
	b, rev, err := w.State.Get(ctx, taskKey)
	if errors.Is(err, bus.ErrNoKey) {
		return t, 0, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &t)
	}
	if err != nil {
		return t, 0, fmt.Errorf("re-index task: %w", err)
	}
	return t, rev, nil
}

// change changes the task by compare-and-set; an error of f ends it.
func (w *Worker) change(ctx context.Context, f func(*Task) error) (Task, error) {
	for {
		t, rev, err := w.read(ctx)
		if err != nil {
			return t, err
		}
		if err := f(&t); err != nil {
			return t, err
		}
		t.Updated = time.Now().UTC()
		b, err := json.Marshal(t)
		if err != nil {
			return t, err
		}
		if _, err = w.State.Put(ctx, taskKey, b, rev); err == nil {
			return t, nil
		}
		if !errors.Is(err, bus.ErrConflict) {
			return t, fmt.Errorf("re-index task: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return t, err
		}
	}
}
