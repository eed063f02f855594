package bus

import "context"

// TraceHeader is the header of W3C Trace Context: it names the trace that a message or a request belongs to, and the
// span that sent it.
const TraceHeader = "traceparent"

type traceKey struct{}

// WithTrace puts a traceparent into ctx: Request sends it along; handlers of Serve find there what came with the request.
func WithTrace(ctx context.Context, parent string) context.Context {
	return context.WithValue(ctx, traceKey{}, parent)
}

// Trace is the traceparent of ctx; "" when it has none.
func Trace(ctx context.Context) string {
	t, _ := ctx.Value(traceKey{}).(string)
	return t
}
