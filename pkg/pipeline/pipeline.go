// Package pipeline runs the stages of a document's way over the bus: it fetches jobs, live before
// bulk, keeps to the slots of a stage, settles each by the verdict on its error, publishes what
// follows before it acknowledges, and drains when it stops.
package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/retry"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

// Next is a job that follows: published before the one in hand is acknowledged.
type Next struct {
	Stage wire.Stage
	Job   wire.Job
}

// Stage is one row of the chain: a function from one message to the next ones. Do may be called any
// number of times with one job: same input, same keys, same bytes.
type Stage struct {
	Name  wire.Stage
	Slots int           // jobs of a lane at once; beside live ones bulk keeps one place of its own
	Lease time.Duration // until another worker may take the job of a dead one
	Do    func(context.Context, wire.Job) ([]Next, error)
}

// Runner runs stages.
type Runner struct {
	Bus    bus.Bus
	Ledger *ledger.Ledger
	Log    *slog.Logger
	Tries  int           // failed tries of one version since its last success, the last of which makes it a dead letter
	Grace  time.Duration // how long work in hand may go on after the stop; below two thirds of a lease, which is not renewed then
	// Seen, if set, is told of every settled job (metrics, tests).
	Seen func(Settled)
}

// Settled is what became of a job.
type Settled struct {
	Stage   wire.Stage
	Lane    wire.Lane
	Job     wire.Job
	Took    time.Duration
	Waited  time.Duration // in the stream
	Outcome string        // done, superseded, skipped, failed, retry, outage
	Err     error
}

// Consumer is the durable consumer of a stage and lane.
func Consumer(l wire.Lane, s wire.Stage, lease time.Duration) bus.Consumer {
	return bus.Consumer{Stream: wire.StreamName(l, s), Durable: string(s), Lease: lease}
}

// Run runs the stages until ctx ends, then lets work in hand finish within Grace.
func (r *Runner) Run(ctx context.Context, stages ...Stage) {
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	var loops sync.WaitGroup
	for _, s := range stages {
		slots := newSlots(s.Slots)
		for _, lane := range []wire.Lane{wire.Live, wire.Bulk} {
			loops.Go(func() { r.loop(ctx, work, s, lane, slots) })
		}
	}
	<-ctx.Done()
	stop := time.AfterFunc(r.Grace, cancel)
	defer stop.Stop()
	loops.Wait()
}

// loop fetches and starts jobs of one stage and lane; it returns when all it started are settled.
func (r *Runner) loop(ctx, work context.Context, s Stage, lane wire.Lane, slots *slots) {
	c := Consumer(lane, s.Name, s.Lease)
	var jobs sync.WaitGroup
	defer jobs.Wait()
	for away := 0; ctx.Err() == nil; {
		n, err := slots.free(ctx, lane)
		if err != nil {
			return
		}
		if lane == wire.Bulk {
			n = 1 // live work may begin while this fetch waits: then it is bulk's own place that is filled
		}
		got, err := r.Bus.Fetch(ctx, c, n, 5*time.Second)
		if err != nil {
			away++
			r.warn(ctx, "fetch", s, err)
			wait(ctx, retry.Delay(away))
			continue
		}
		away = 0
		slots.start(lane, len(got))
		for _, d := range got {
			jobs.Go(func() {
				defer slots.start(lane, -1)
				r.handle(work, s, lane, d)
			})
		}
	}
}

func (r *Runner) warn(ctx context.Context, what string, s Stage, err error) {
	if ctx.Err() == nil {
		r.Log.Warn(what, "stage", s.Name, "err", err)
	}
}

// handle does one job and settles it.
func (r *Runner) handle(ctx context.Context, s Stage, lane wire.Lane, d bus.Delivery) {
	start := time.Now()
	out := Settled{Stage: s.Name, Lane: lane, Waited: start.Sub(d.Stored())}
	err := json.Unmarshal(d.Message().Data, &out.Job)
	if err == nil {
		err = out.Job.Check()
	}
	if err != nil {
		out.Err = fmt.Errorf("%s: message on %s: %w", s.Name, d.Message().Subject, err)
		out.Outcome = r.settleGarbage(ctx, s, d, out.Err)
	} else {
		next, err := r.do(ctx, s, out.Job)
		if err == nil {
			err = r.publish(ctx, lane, next)
		}
		out.Err = err
		out.Outcome = r.settle(ctx, s, d, out.Job, err)
	}
	out.Took = time.Since(start)
	r.report(out)
}

// do runs the stage and turns a panic into a permanent fault of this document.
func (r *Runner) do(ctx context.Context, s Stage, j wire.Job) (next []Next, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.Failf(doc.Internal, "%s of %s: panic: %v", s.Name, j.Key, p)
		}
	}()
	next, err = s.Do(ctx, j)
	if err != nil {
		err = fmt.Errorf("%s of %s/%s: %w", s.Name, j.Bucket, j.Key, err)
	}
	return next, err
}

// publish hands on what follows. A full stream pushes back: the job keeps its lease and waits.
func (r *Runner) publish(ctx context.Context, lane wire.Lane, next []Next) error {
	for _, n := range next {
		if err := Publish(ctx, r.Bus, lane, n); err != nil {
			return err
		}
	}
	return nil
}

// Publish puts a job into its stage's stream; while the stream is full it waits and tries again until ctx ends.
func Publish(ctx context.Context, b bus.Bus, lane wire.Lane, n Next) error {
	m, err := message(lane, n)
	if err != nil {
		return err
	}
	for try := 1; ; try++ {
		err := b.Publish(ctx, m)
		if err == nil || !errors.Is(err, bus.ErrFull) {
			return err
		}
		if !wait(ctx, min(retry.Delay(try), time.Second)) {
			return fmt.Errorf("publish to %s: %w", m.Subject, err)
		}
	}
}

// message is the job as a CloudEvent in binary mode.
func message(lane wire.Lane, n Next) (bus.Message, error) {
	b, err := json.Marshal(n.Job)
	if err != nil {
		return bus.Message{}, fmt.Errorf("job of %s: %w", n.Job.Key, err)
	}
	id := n.Job.ID(n.Stage)
	return bus.Message{Subject: n.Job.Subject(lane, n.Stage), ID: id, Data: b, Header: map[string]string{
		"ce-specversion": "1.0", "ce-id": id, "ce-source": "/fingerpost/" + string(n.Job.Tenant),
		"ce-type": "io.fingerpost.document." + string(n.Job.Kind) + ".v1", "ce-subject": string(n.Job.DocID),
		"ce-time": time.Now().UTC().Format(time.RFC3339Nano), "content-type": "application/json",
	}}, nil
}

// settle ends the delivery by the verdict and says how.
func (r *Runner) settle(ctx context.Context, s Stage, d bus.Delivery, j wire.Job, err error) string {
	verdict, class := fault.Of(err)
	switch {
	case err == nil:
		return r.ack(ctx, d, "done")
	case ctx.Err() != nil:
		_ = d.Nak(0) // stopping: hand back
		return "retry"
	case verdict == fault.Superseded:
		return r.ack(ctx, d, "superseded")
	case r.over(ctx, j):
		return r.purge(ctx, d, j)
	case verdict == fault.Skip:
		return r.end(ctx, d, j, doc.Skipped, class, err)
	case verdict == fault.Fail:
		return r.dead(ctx, s, d, j, class, err)
	case verdict == fault.Outage || isAway(err):
		_ = d.Nak(retry.Delay(min(d.Attempt(), 4)))
		return "outage"
	}
	return r.again(ctx, s, d, j, err)
}

// away is what a whole server says that cannot be used now: no document's fault.
var away = []error{bus.ErrAway, bus.ErrFull, blob.ErrAway, blob.ErrFull, vector.ErrAway, vector.ErrReadOnly}

func isAway(err error) bool {
	return slices.ContainsFunc(away, func(e error) bool { return errors.Is(err, e) })
}

func (r *Runner) ack(ctx context.Context, d bus.Delivery, outcome string) string {
	if err := d.Ack(ctx); err != nil {
		r.Log.Warn("acknowledge", "subject", d.Message().Subject, "err", err)
	}
	return outcome
}

// over reports whether the version has ended by now, at another stage or in an earlier try that died before it had
// said so to all: its class and reason stand.
func (r *Runner) over(ctx context.Context, j wire.Job) bool {
	rec, err := r.Ledger.Get(ctx, j.Tenant, j.DocID)
	return err == nil && j.Kind != wire.Removed && rec.Generation == j.Generation && rec.Ended()
}

// purge asks for the purge of a version that has ended; more than once does no harm.
func (r *Runner) purge(ctx context.Context, d bus.Delivery, j wire.Job) string {
	j.Kind = wire.Removed
	if err := Publish(ctx, r.Bus, wire.Live, Next{Stage: wire.Index, Job: j}); err != nil {
		_ = d.Nak(retry.Delay(1))
		return "retry"
	}
	return r.ack(ctx, d, "superseded")
}

// end puts the document into a list and has what it left behind purged.
func (r *Runner) end(ctx context.Context, d bus.Delivery, j wire.Job, st doc.State, c doc.Class, cause error) string {
	err := r.Ledger.End(ctx, j.Tenant, j.DocID, j.Generation, st, c, cause.Error())
	if err == nil && j.Kind != wire.Removed { // a purge that is given up is not asked for again at once: it would never end
		j.Kind = wire.Removed
		err = Publish(ctx, r.Bus, wire.Live, Next{Stage: wire.Index, Job: j})
	}
	if v, _ := fault.Of(err); err != nil && v != fault.Superseded {
		_ = d.Nak(retry.Delay(1))
		return "retry"
	}
	return r.ack(ctx, d, string(st))
}

// again counts a failed try; the last one of the budget is a dead letter.
func (r *Runner) again(ctx context.Context, s Stage, d bus.Delivery, j wire.Job, cause error) string {
	n, err := r.Ledger.Attempt(ctx, j.Tenant, j.DocID, j.Generation, cause.Error())
	if v, _ := fault.Of(err); v == fault.Superseded {
		return r.ack(ctx, d, "superseded")
	}
	if err == nil && n >= r.Tries {
		return r.dead(ctx, s, d, j, doc.Upstream, fmt.Errorf("gave up after %d tries: %w", n, cause))
	}
	_ = d.Nak(retry.Delay(n))
	return "retry"
}

func wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

func (r *Runner) report(o Settled) {
	level := slog.LevelInfo
	if o.Outcome == "failed" || o.Outcome == "retry" {
		level = slog.LevelWarn
	}
	args := []any{"stage", o.Stage, "lane", o.Lane, "key", o.Job.Key, "doc", o.Job.DocID, "generation", o.Job.Generation,
		"kind", o.Job.Kind, "outcome", o.Outcome, "took_ms", o.Took.Milliseconds(), "waited_ms", o.Waited.Milliseconds()}
	if o.Err != nil {
		args = append(args, "err", o.Err)
	}
	r.Log.Log(context.Background(), level, "job", args...)
	if r.Seen != nil {
		r.Seen(o)
	}
}
