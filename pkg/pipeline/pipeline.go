// Package pipeline runs the stages of a document's way over the bus: it fetches jobs, live before
// bulk, keeps to the slots of a stage, settles each by the verdict on its error, publishes what
// follows before it acknowledges, and drains when it stops.
package pipeline

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/retry"
	"github.com/fingerpost/fingerpost/pkg/telemetry"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

// Next is a job that follows: published before the one in hand is acknowledged.
type Next struct {
	Stage wire.Stage
	Job   wire.Job

	late string // told apart from an earlier message about the same
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
	// Pauses of a stage that met the outage of a whole server, by the number of probes that met it too. Zero: a quarter
	// of a second, doubled up to two seconds.
	Pauses retry.Delays
	Tracer *telemetry.Tracer // nil: no spans
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
	Attempt int           // deliveries so far, this one included
	Trace   string        // traceparent of the document's way
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
		slots, gate := newSlots(s.Slots), newGate(r.pauses())
		for _, lane := range []wire.Lane{wire.Live, wire.Bulk} {
			loops.Go(func() { r.loop(ctx, work, s, lane, slots, gate) })
		}
	}
	<-ctx.Done()
	stop := time.AfterFunc(r.Grace, cancel)
	defer stop.Stop()
	loops.Wait()
}

const (
	fetchWait  = 5 * time.Second        // of a fetch that finds nothing
	probeWait  = 500 * time.Millisecond // of one for a probe: the other lane may have one
	fetchPause = time.Second            // the most between two fetches that fail
)

// loop fetches and starts jobs of one stage and lane; it returns when all it started are settled.
func (r *Runner) loop(ctx, work context.Context, s Stage, lane wire.Lane, slots *slots, gate *gate) {
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
		n, probe, err := gate.pass(ctx, n)
		if err != nil {
			return
		}
		patience := fetchWait
		if probe {
			patience = probeWait
		}
		got, err := r.Bus.Fetch(ctx, c, n, patience)
		if probe && len(got) == 0 {
			gate.missed()
		}
		if err != nil {
			away++
			r.warn(ctx, "fetch", s, err)
			_ = retry.Wait(ctx, min(retry.Delay(away), fetchPause)) // the loop looks at ctx
			continue
		}
		away = 0
		slots.start(lane, len(got))
		for _, d := range got {
			jobs.Go(func() {
				defer slots.start(lane, -1)
				gate.told(probe, r.handle(work, s, lane, d))
			})
		}
	}
}

func (r *Runner) warn(ctx context.Context, what string, s Stage, err error) {
	if ctx.Err() == nil {
		r.Log.Warn(what, "stage", s.Name, "err", err)
	}
}

// handle does one job, settles it, and says how it ended.
func (r *Runner) handle(ctx context.Context, s Stage, lane wire.Lane, d bus.Delivery) (outcome string) {
	start := time.Now()
	ctx, span := Span(WithLane(ctx, lane), r.Tracer, string(s.Name), telemetry.Consumer, d.Message().Header[bus.TraceHeader])
	out := Settled{Stage: s.Name, Lane: lane, Waited: start.Sub(d.Stored()), Attempt: d.Attempt(), Trace: Trace(ctx)}
	err := json.Unmarshal(d.Message().Data, &out.Job)
	if err == nil {
		err = out.Job.Check()
	}
	if err != nil {
		out.Err = fmt.Errorf("%s: message on %s: %w", s.Name, d.Message().Subject, err)
		out.Outcome = r.settleGarbage(ctx, s, d, out.Err)
	} else {
		out.Err = r.work(ctx, s, lane, out.Job)
		out.Outcome = r.settle(ctx, s, d, out.Job, out.Err)
	}
	out.Took = time.Since(start)
	out.tell(span)
	r.report(out)
	return out.Outcome
}

// work does a job and hands on what follows.
func (r *Runner) work(ctx context.Context, s Stage, lane wire.Lane, j wire.Job) error {
	next, err := r.do(ctx, s, j)
	for _, n := range next {
		if err == nil {
			err = r.follow(ctx, s, lane, n)
		}
	}
	return err
}

// follow hands on a job. A full stream pushes back: the job in hand keeps its lease and waits. For a place in its own
// stage's stream it cannot wait, because that is full of what it keeps from being done: that job is done here and now.
func (r *Runner) follow(ctx context.Context, s Stage, lane wire.Lane, n Next) error {
	if n.Stage != s.Name {
		return Publish(ctx, r.Bus, lane, n)
	}
	m, err := message(ctx, lane, n)
	if err != nil {
		return err
	}
	if err = r.Bus.Publish(ctx, m); errors.Is(err, bus.ErrFull) {
		return r.work(ctx, s, lane, n.Job)
	}
	return err
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

// room is how long the publisher of a full stream waits for a place.
var room = retry.Delays{First: 20 * time.Millisecond, Most: time.Second, Chance: .25}

// Publish puts a job into its stage's stream; while the stream is full it waits and tries again until ctx ends.
func Publish(ctx context.Context, b bus.Bus, lane wire.Lane, n Next) error {
	m, err := message(ctx, lane, n)
	if err != nil {
		return err
	}
	for try := 1; ; try++ {
		err := b.Publish(ctx, m)
		if err == nil || !errors.Is(err, bus.ErrFull) {
			return err
		}
		if retry.Wait(ctx, min(retry.Delay(try), room.Delay(try))) != nil {
			return fmt.Errorf("publish to %s: %w", m.Subject, err)
		}
	}
}

// message is the job as a CloudEvent in binary mode, with the trace of ctx, or the first of a new one.
func message(ctx context.Context, lane wire.Lane, n Next) (bus.Message, error) {
	b, err := json.Marshal(n.Job)
	if err != nil {
		return bus.Message{}, fmt.Errorf("job of %s: %w", n.Job.Key, err)
	}
	id := n.Job.ID(n.Stage) + n.late
	return bus.Message{Subject: n.Job.Subject(lane, n.Stage), ID: id, Data: b, Header: map[string]string{
		"ce-specversion": "1.0", "ce-id": id, "ce-source": "/fingerpost/" + string(n.Job.Tenant),
		"ce-type": "io.fingerpost.document." + string(n.Job.Kind) + ".v1", "ce-subject": string(n.Job.DocID),
		"ce-time": time.Now().UTC().Format(time.RFC3339Nano), "content-type": "application/json", bus.TraceHeader: cmp.Or(Trace(ctx), newTrace()),
	}}, nil
}

func (r *Runner) report(o Settled) {
	level := slog.LevelInfo
	if o.Outcome == "failed" || o.Outcome == "retry" {
		level = slog.LevelWarn
	}
	args := []any{"stage", o.Stage, "lane", o.Lane, "key", o.Job.Key, "doc", o.Job.DocID, "generation", o.Job.Generation,
		"kind", o.Job.Kind, "outcome", o.Outcome, "took_ms", o.Took.Milliseconds(), "waited_ms", o.Waited.Milliseconds(), "trace", o.Trace}
	if o.Err != nil {
		args = append(args, "err", Cut(o.Err.Error()))
	}
	r.Log.Log(context.Background(), level, "job", args...)
	if r.Seen != nil {
		r.Seen(o)
	}
}
