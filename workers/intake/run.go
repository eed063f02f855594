package intake

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/notice"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/retry"
	"github.com/fingerpost/fingerpost/pkg/telemetry"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

// Consumer is the durable consumer of store notifications.
var Consumer = bus.Consumer{Stream: wire.EventStream, Durable: "intake", Lease: 30 * time.Second}

// slots is how many events are handled at once; two events of one key are safe (the ledger decides).
const slots = 8

// grace is how long events in hand may go on after the stop: one may wait for a full stream, which may stay full.
const grace = 10 * time.Second

// Run handles events until ctx ends; those in hand finish within the grace, or are handed back.
func (w *Worker) Run(ctx context.Context) {
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(cmp.Or(w.Grace, grace), cancel) })()
	var hands sync.WaitGroup
	defer hands.Wait()
	busy := make(chan struct{}, slots)
	for away := 0; ; {
		select {
		case busy <- struct{}{}: // a place first: what is fetched can start
		case <-ctx.Done():
			return
		}
		got, err := w.Bus.Fetch(ctx, Consumer, 1+cap(busy)-len(busy), 5*time.Second)
		if len(got) == 0 {
			<-busy
		}
		if ctx.Err() != nil && len(got) == 0 {
			return
		}
		if err != nil {
			away++
			w.pause(ctx, away, err)
			continue
		}
		away = 0
		for i, d := range got {
			if i > 0 {
				busy <- struct{}{}
			}
			hands.Go(func() {
				defer func() { <-busy }()
				w.settle(work, d)
			})
		}
	}
}

func (w *Worker) settle(ctx context.Context, d bus.Delivery) {
	start := time.Now()
	within, span := pipeline.Span(ctx, w.Tracer, "intake", telemetry.Consumer, d.Message().Header[bus.TraceHeader])
	err := w.handle(within, d.Message())
	span.End(failure(err))
	if w.Seen != nil && ctx.Err() == nil {
		w.Seen(time.Since(start), start.Sub(d.Stored()), err)
	}
	w.Log.Info("event", "outcome", cmp.Or(failure(err), "done"), "took_ms", time.Since(start).Milliseconds(), "attempt", d.Attempt(), "trace", pipeline.Trace(within))
	if err == nil {
		if err = d.Ack(ctx); err == nil {
			return
		}
	}
	if ctx.Err() != nil {
		_ = d.Nak(0) // stopping: hand back
		return
	}
	w.Log.Warn("event comes again", "attempt", d.Attempt(), "err", pipeline.Cut(err.Error()))
	delay := retry.Delay(d.Attempt())
	if pipeline.Away(err) {
		delay = min(delay, awayMost)
	}
	_ = d.Nak(delay)
	if pipeline.Away(err) {
		_ = retry.Wait(ctx, delay) // its place stays taken: while a server is away few events are tried
	}
}

// failure says in a word what a span tells of an error.
func failure(err error) string {
	switch {
	case err == nil:
		return ""
	case pipeline.Away(err):
		return "outage"
	}
	return "retry"
}

// awayMost bounds how long an event, and its place, wait for a server that is away; fetchMost how long a fetch does.
const (
	awayMost  = 2 * time.Second
	fetchMost = time.Second
)

// handle does one event. A panic is an event that is not understood: it would only panic again.
func (w *Worker) handle(ctx context.Context, m bus.Message) (err error) {
	defer func() {
		if p := recover(); p != nil {
			w.Log.Error("event not understood", "panic", p, "bytes", len(m.Data))
			err = nil
		}
	}()
	return w.Handle(ctx, m.Data, notice.Source(m.Header["fp-source"]))
}

func (w *Worker) pause(ctx context.Context, n int, err error) {
	if ctx.Err() != nil {
		return
	}
	w.Log.Warn("fetch events", "err", err)
	_ = retry.Wait(ctx, min(retry.Delay(n), fetchMost))
}
