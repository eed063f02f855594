package pipeline

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"regexp"
)

// traceHeader is the header of W3C Trace Context: it names the trace that a message belongs to.
const traceHeader = "traceparent"

type traceKey struct{}

var traceForm = regexp.MustCompile(`^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)

// WithTrace puts what is published under ctx into the trace of parent, a traceparent; into a new one when parent is none.
func WithTrace(ctx context.Context, parent string) context.Context {
	if !traceForm.MatchString(parent) {
		parent = newTrace()
	}
	return context.WithValue(ctx, traceKey{}, parent)
}

// Trace is the traceparent of ctx; "" when it has none.
func Trace(ctx context.Context) string {
	t, _ := ctx.Value(traceKey{}).(string)
	return t
}

// newTrace begins a trace.
func newTrace() string {
	var b [24]byte
	_, _ = rand.Read(b[:]) // it never fails
	return "00-" + hex.EncodeToString(b[:16]) + "-" + hex.EncodeToString(b[16:]) + "-01"
}
