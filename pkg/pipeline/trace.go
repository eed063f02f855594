package pipeline

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"regexp"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/telemetry"
)

var traceForm = regexp.MustCompile(`^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)

// WithTrace puts what is published under ctx into the trace of parent, a traceparent; into a new one when parent is none.
func WithTrace(ctx context.Context, parent string) context.Context {
	if !traceForm.MatchString(parent) {
		parent = newTrace()
	}
	return bus.WithTrace(ctx, parent)
}

// Trace is the traceparent of ctx; "" when it has none.
func Trace(ctx context.Context) string { return bus.Trace(ctx) }

// Span begins the span of a message's handling within the trace of parent, or of a new one, and has what is published
// under ctx follow from it. A nil tracer makes no span: the trace goes on all the same, for trails and dead letters.
func Span(ctx context.Context, t *telemetry.Tracer, name string, kind telemetry.Kind, parent string) (context.Context, telemetry.Span) {
	if !traceForm.MatchString(parent) {
		parent = ""
	}
	ctx, s := t.Start(ctx, name, kind, parent)
	return WithTrace(ctx, cmp.Or(telemetry.Parent(ctx), parent)), s
}

// newTrace begins a trace.
func newTrace() string {
	var b [24]byte
	_, _ = rand.Read(b[:]) // it never fails
	return "00-" + hex.EncodeToString(b[:16]) + "-" + hex.EncodeToString(b[16:]) + "-01"
}

// tell notes in the span of a job what became of it.
func (o Settled) tell(s telemetry.Span) {
	s.Set("messaging.system", "nats", "messaging.operation.type", "process", "messaging.destination.name", string(o.Stage),
		"fingerpost.lane", string(o.Lane), "fingerpost.tenant", string(o.Job.Tenant), "fingerpost.doc_id", string(o.Job.DocID),
		"fingerpost.generation", int(o.Job.Generation), "fingerpost.kind", string(o.Job.Kind), "fingerpost.attempt", o.Attempt, "fingerpost.outcome", o.Outcome)
	failed := ""
	if o.Outcome == "failed" || o.Outcome == "retry" || o.Outcome == "outage" {
		failed = o.Outcome
	}
	s.End(failed)
}
