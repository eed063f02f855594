package reindex

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fingerpost/fingerpost/pkg/build"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/retry"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers/intake"
)

// errStopped ends a walk whose task was paused, or replaced.
var errStopped = errors.New("the re-index was paused or replaced")

const (
	saveEvery = 64                     // objects between two saves of the cursor, at most
	saveAfter = 2 * time.Second        // between two saves, when it is slower than that
	lookEvery = 250 * time.Millisecond // at task and latency, while it waits for a place
	laneEvery = 30 * time.Millisecond  // at the bulk lane, then: a job takes some milliseconds, and a window holds several
	known     = 30 * time.Second       // after its start every process knows of a new build, and changes come there by themselves
	drainMost = 30 * time.Second       // wait for the bulk lane between two walks; other bulk work may fill it
)

// sweep is one task in hand.
type sweep struct {
	*Worker
	task    Task
	dense   bool
	unsaved int
	credit  int       // jobs that may be handed on before the lane is looked at again
	begun   time.Time // of this run, for the rate
	before  int       // walked when it began
}

// work walks until nothing lacks, then marks the build as ready. errStopped when it is paused.
func (w *Worker) work(ctx context.Context, t Task) error {
	rec, err := w.Builds.Get(ctx, t.Build)
	if errors.Is(err, build.ErrGone) {
		_, err = w.change(ctx, func(t *Task) error { t.State, t.Note = Ended, "its build is gone"; return nil })
		return err
	}
	if err != nil {
		return err
	}
	if why := w.stale(rec); why != "" {
		_, err = w.change(ctx, func(t *Task) error { t.State, t.Note = Paused, why; return nil })
		return err
	}
	x := &sweep{Worker: w, task: t, dense: rec.Vectors.Dimensions > 0, begun: time.Now(), before: t.Walked}
	for {
		if err := x.pass(ctx); err != nil {
			return err
		}
		if x.task.Behind == 0 {
			return x.ready(ctx)
		}
		if err := x.drained(ctx); err != nil {
			return err
		}
		x.task.Pass, x.task.Source, x.task.Cursor, x.task.Walked, x.task.Behind = x.task.Pass+1, 0, "", 0, 0
		x.begun, x.before = time.Now(), 0
		if err := x.save(ctx); err != nil {
			return err
		}
	}
}

// pass walks every source from the cursor on.
func (x *sweep) pass(ctx context.Context) error {
	for ; x.task.Source < len(x.Sources); x.task.Source++ {
		s := x.Sources[x.task.Source]
		for info, err := range x.Blobs.List(ctx, s.Bucket, s.Prefix, x.task.Cursor) {
			if err != nil {
				return fmt.Errorf("walk of bucket %s: %w", s.Bucket, err)
			}
			if s.Own(info.Key) {
				if err := x.document(ctx, s.Tenant, doc.NewID(s.Tenant, s.Bucket, info.Key)); err != nil {
					return fmt.Errorf("%s/%s: %w", s.Bucket, info.Key, err)
				}
				x.task.Walked++
			}
			x.task.Cursor = info.Key
			if x.unsaved++; x.unsaved >= saveEvery || time.Since(x.task.Updated) > saveAfter {
				if err := x.save(ctx); err != nil {
					return err
				}
			}
		}
		x.task.Cursor = ""
	}
	x.task.Source = len(x.Sources)
	return x.save(ctx)
}

// document hands one to the chain when the build lacks it.
func (x *sweep) document(ctx context.Context, t doc.Tenant, id doc.ID) error {
	l := x.Ledger.For(x.task.Build)
	r, err := l.Get(ctx, t, id)
	if errors.Is(err, bus.ErrNoKey) {
		return nil // intake has not met it: it comes to both builds
	}
	if err != nil || has(r) || r.Dropped.After(x.task.Started.Add(known)) {
		return err
	}
	stage, kind, ok := x.begin(r)
	if ok {
		if err := x.room(ctx); err != nil {
			return err
		}
	}
	x.task.Behind++
	if !ok {
		return nil
	}
	if x.task.Pass > 1 { // its first job came to nothing: this one must be no duplicate
		if r, err = l.Again(ctx, t, id, r.Generation); err != nil {
			return nil // it moved on: the next walk looks again
		}
	}
	x.task.Handed++
	return pipeline.Publish(ctx, x.Bus, wire.Bulk, pipeline.Next{Stage: stage, Job: intake.Job(r, x.task.Build, kind)})
}

// has reports whether the build has all of the document's accepted version, or its end.
func has(r ledger.Record) bool {
	return r.Ended() || r.Current == r.Generation && r.Level == doc.LevelFull
}

// begin is the first job of a document in the new build; ok is false when it comes there with its live job.
func (x *sweep) begin(r ledger.Record) (wire.Stage, wire.Kind, bool) {
	parent := r.In(x.task.Parent)
	switch x.task.From {
	case FromParse:
		return wire.Parse, wire.Dropped, true
	case FromChunk:
		return wire.Chunk, wire.Parsed, true
	}
	switch {
	case x.dense && parent.Vectors == r.Generation:
		return wire.Index, wire.Embedded, true
	case parent.Current != r.Generation:
		return "", "", false
	case x.dense:
		return wire.Embed, wire.Chunked, true
	}
	return wire.Index, wire.Chunked, true
}

// room waits until the bulk lane has a place for a job and questions are answered fast enough.
func (x *sweep) room(ctx context.Context) error {
	if x.credit > 0 {
		x.credit--
		return nil
	}
	for looked := (time.Time{}); ; {
		if time.Since(looked) > lookEvery {
			if err := x.heed(ctx); err != nil {
				return err
			}
			if err := x.pace(ctx); err != nil {
				return err
			}
			looked = time.Now()
		}
		n, err := x.waiting(ctx)
		if err != nil {
			return err
		}
		if x.credit = x.task.Window - n; x.credit > 0 {
			x.credit--
			return nil
		}
		if err := retry.Wait(ctx, laneEvery); err != nil {
			return err
		}
	}
}

// heed looks whether the task was paused or replaced meanwhile, and stores now and then how far it is while it waits.
func (x *sweep) heed(ctx context.Context) error {
	if x.task.State != Running { // documents that are caught up with outside of a task
		return nil
	}
	t, _, err := x.read(ctx)
	if err != nil {
		return err
	}
	if t.Build != x.task.Build || t.State != Running || time.Since(x.task.Updated) > saveAfter {
		return x.save(ctx)
	}
	return nil
}

// pace halves the window when questions take long, waits a moment then, and widens it again by one.
func (x *sweep) pace(ctx context.Context) error {
	if x.Latency == nil {
		x.task.Window = x.Window
		return nil
	}
	p95, asked := x.Latency(ctx)
	x.task.Latency = float64(p95.Microseconds()) / 1000
	if asked == 0 || p95 <= x.Slow {
		x.task.Window, x.task.Note = min(x.Window, x.task.Window+1), ""
		return nil
	}
	x.task.Window = max(1, x.task.Window/2)
	x.task.Note = fmt.Sprintf("questions take %s (p95): it gives way", p95.Round(time.Millisecond))
	return retry.Wait(ctx, 250*time.Millisecond)
}

// waiting is how many jobs wait in the bulk lane.
func (x *sweep) waiting(ctx context.Context) (sum int, err error) {
	for _, s := range wire.Stages {
		n, _, err := x.Bus.Backlog(ctx, wire.StreamName(wire.Bulk, s))
		if err != nil {
			return 0, err
		}
		sum += int(n)
	}
	return sum, nil
}

// drained waits until the bulk lane is empty.
func (x *sweep) drained(ctx context.Context) error {
	for end := time.Now().Add(drainMost); time.Now().Before(end); {
		if err := x.onTime(ctx); err != nil {
			return err
		}
		n, err := x.waiting(ctx)
		if err != nil || n == 0 {
			return errors.Join(err, retry.Wait(ctx, 20*time.Millisecond))
		}
		if err := retry.Wait(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// save stores how far it is, and says what the schedule leaves out meanwhile; a task that was paused or replaced ends the
// walk, with what is done stored for a resume.
func (x *sweep) save(ctx context.Context) error {
	if err := x.onTime(ctx); err != nil {
		return err
	}
	x.unsaved = 0
	x.estimate()
	t, err := x.change(ctx, func(t *Task) error {
		if t.Build != x.task.Build || t.State != Running && t.State != Paused {
			return errStopped
		}
		state := t.State
		*t = x.task
		t.State = state
		return nil
	})
	if err == nil && t.State == Paused {
		err = errStopped
	}
	if err == nil {
		x.task = t
	}
	return err
}

// estimate is the time left of the first walk at the rate of this run.
func (x *sweep) estimate() {
	x.task.Left = 0
	if done := x.task.Walked - x.before; x.task.Pass == 1 && done > 0 {
		x.task.Left = time.Since(x.begun).Seconds() / float64(done) * float64(max(0, x.task.Total-x.task.Walked))
	}
}

// ready marks the build, then the task: a kill between the two is made good by the next walk, which finds nothing.
func (x *sweep) ready(ctx context.Context) error {
	if _, err := x.Builds.Change(ctx, x.task.Build, func(r *build.Record) bool {
		changed := r.State == build.Building
		if changed {
			r.State = build.Ready
		}
		return changed
	}); err != nil {
		return err
	}
	_, err := x.change(ctx, func(t *Task) error {
		if t.Build != x.task.Build {
			return errStopped
		}
		*t = x.task
		t.State, t.Finished, t.Left, t.Note = Ready, time.Now().UTC(), 0, ""
		return nil
	})
	x.Log.Info("re-index is ready", "build", x.task.Build, "documents", x.task.Walked, "handed", x.task.Handed, "passes", x.task.Pass, "took", time.Since(x.task.Started).Round(time.Millisecond))
	return err
}
