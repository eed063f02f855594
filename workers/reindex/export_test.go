package reindex

import (
	"context"
	"time"
)

// Tidy is what a process does first when it has the lease.
func (w *Worker) Tidy(ctx context.Context) error { return w.tidy(ctx) }

// Pass is one walk of the task, over everything.
func (w *Worker) Pass(ctx context.Context) error {
	t, _, err := w.Task(ctx)
	if err != nil {
		return err
	}
	return (&sweep{Worker: w, task: t, dense: true}).pass(ctx)
}

// OnTime looks at the schedule, however lately that was done.
func (w *Worker) OnTime(ctx context.Context) error {
	w.looked = time.Time{}
	return w.onTime(ctx)
}
