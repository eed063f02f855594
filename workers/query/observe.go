package query

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/telemetry"
)

// Observer is told of requests and of what became of them.
type Observer interface {
	Asked(verb string, code int, took time.Duration) // code 200, or that of the refusal
	Part(part string, took time.Duration)            // of a question: vector, search, resolve
	Cited(verified, dropped int)                     // places and quotes that the stored text vouched for, and others
}

// begin begins a request; what is returned tells what became of it: a line of the log, a span, and the observer.
func (w *Worker) begin(ctx context.Context, v api.Verb, subject string) (context.Context, func(error)) {
	start := time.Now()
	ctx, span := w.Tracer.Start(ctx, string(v), telemetry.Server, bus.Trace(ctx))
	return ctx, func(err error) {
		took, code := time.Since(start), codeOf(err)
		span.Set("rpc.system", "nats", "rpc.method", string(v), "fingerpost.code", code)
		span.End(failure(code))
		w.Log.Info("request", "subject", subject, "code", code, "took_ms", ms(took), "trace", telemetry.Parent(ctx))
		if w.Observer != nil {
			w.Observer.Asked(string(v), code, took)
		}
	}
}

// codeOf is 200, or that of a refusal.
func codeOf(err error) int {
	if se, ok := errors.AsType[*bus.ServiceError](err); ok {
		return se.Code
	}
	if err != nil {
		return 500
	}
	return 200
}

// failure is what a span tells of a code: a refusal is no failure of ours.
func failure(code int) string {
	if code < 500 {
		return ""
	}
	return strconv.Itoa(code)
}

// step begins the span of a part of a question; what is returned ends it.
func step(ctx context.Context, name string) (context.Context, func(error)) {
	ctx, s := telemetry.Begin(ctx, name, telemetry.Inside)
	return ctx, func(err error) {
		if err != nil {
			s.End("failed")
			return
		}
		s.End("")
	}
}

// took tells of the parts of a question.
func (w *Worker) took(t api.Took) {
	if w.Observer == nil {
		return
	}
	of := func(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
	w.Observer.Part("vector", of(t.Vector))
	w.Observer.Part("search", of(t.Search))
	w.Observer.Part("resolve", of(t.Resolve))
}

// readBack tells of places: those that were read, and those that were damaged.
func (w *Worker) readBack(read []*readNode, damaged int) {
	if w.Observer == nil {
		return
	}
	n := 0
	for _, x := range read {
		if x != nil {
			n++
		}
	}
	w.Observer.Cited(n, damaged)
}

// quoted tells of quotes.
func (w *Worker) quoted(quotes []api.Citation) {
	if w.Observer == nil {
		return
	}
	verified := 0
	for _, q := range quotes {
		if q.Verified {
			verified++
		}
	}
	w.Observer.Cited(verified, len(quotes)-verified)
}
