package telemetry

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Tracer makes spans and sends them to a collector. A nil one makes none.
type Tracer struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
}

// scope names who makes the spans.
const scope = "github.com/fingerpost/fingerpost"

// OpenTracer sends spans to endpoint, the URL of a collector that takes OTLP over HTTP ("/v1/traces" is added); "" is
// what OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT name. When neither does, or OTEL_SDK_DISABLED
// is true, there is no tracer: nil. Sampling and headers are set by the variables of OpenTelemetry.
func OpenTracer(ctx context.Context, endpoint, version string) (*Tracer, error) {
	named := endpoint != "" || os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
	if !named || strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return nil, nil
	}
	var to []otlptracehttp.Option
	if endpoint != "" {
		to = append(to, otlptracehttp.WithEndpointURL(strings.TrimSuffix(endpoint, "/")+"/v1/traces"))
	}
	out, err := otlptracehttp.New(ctx, to...)
	if err != nil {
		return nil, fmt.Errorf("traces to %s: %w", endpoint, err)
	}
	who, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "fingerpost"), attribute.String("service.version", version)),
		resource.WithFromEnv(), resource.WithTelemetrySDK(), resource.WithProcessPID())
	if err != nil {
		return nil, fmt.Errorf("traces: who we are: %w", err)
	}
	p := sdktrace.NewTracerProvider(sdktrace.WithBatcher(out, sdktrace.WithBatchTimeout(time.Second)), sdktrace.WithResource(who))
	return &Tracer{p, p.Tracer(scope)}, nil
}

// Close sends what is not sent yet, within five seconds: a collector that is away holds nobody up.
func (t *Tracer) Close() error {
	if t == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = t.provider.Shutdown(ctx) // spans are lost with their collector; no work is
	return nil
}

// Kind is the part that a span plays in an exchange of messages.
type Kind = trace.SpanKind

// The kinds.
const (
	Inside   = trace.SpanKindInternal
	Producer = trace.SpanKindProducer // leaves a message
	Consumer = trace.SpanKindConsumer // handles one
	Server   = trace.SpanKindServer   // answers a request
	Client   = trace.SpanKindClient   // asks another program
)

// Span is something that takes time. The zero Span tells nobody.
type Span struct{ span trace.Span }

// Start begins a span that a message or a request asked for: in the trace of parent, a traceparent, and linked to the
// span that sent it; in a new trace when parent is none. Parent of the returned context goes on with what follows.
func (t *Tracer) Start(ctx context.Context, name string, kind Kind, parent string) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	o := []trace.SpanStartOption{trace.WithSpanKind(kind)}
	sent := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{"traceparent": parent})
	if sender := trace.SpanContextFromContext(sent); sender.IsValid() {
		ctx = trace.ContextWithRemoteSpanContext(ctx, sender)
		o = append(o, trace.WithLinks(trace.Link{SpanContext: sender}))
	} else {
		o = append(o, trace.WithNewRoot())
	}
	ctx, s := t.tracer.Start(ctx, name, o...)
	return ctx, Span{s}
}

// Begin begins a span inside the one of ctx; when ctx has none, nobody is told.
func Begin(ctx context.Context, name string, kind Kind) (context.Context, Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, Span{}
	}
	ctx, s := parent.TracerProvider().Tracer(scope).Start(ctx, name, trace.WithSpanKind(kind))
	return ctx, Span{s}
}

// Parent is the traceparent of the span of ctx, for messages that it sends; "" when it has none.
func Parent(ctx context.Context) string {
	c := propagation.MapCarrier{}
	if trace.SpanFromContext(ctx).IsRecording() {
		propagation.TraceContext{}.Inject(ctx, c)
	}
	return c["traceparent"]
}

// Set adds what is known of a span: pairs of a name and a string, an int, a bool or a float64.
func (s Span) Set(pairs ...any) {
	if s.span == nil || !s.span.IsRecording() {
		return
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		name := fmt.Sprint(pairs[i])
		switch v := pairs[i+1].(type) {
		case int:
			s.span.SetAttributes(attribute.Int(name, v))
		case bool:
			s.span.SetAttributes(attribute.Bool(name, v))
		case float64:
			s.span.SetAttributes(attribute.Float64(name, v))
		default:
			s.span.SetAttributes(attribute.String(name, fmt.Sprint(v)))
		}
	}
}

// End ends it; an error is told by the words given, which must not hold text of documents.
func (s Span) End(failed string) {
	if s.span == nil {
		return
	}
	if failed != "" {
		s.span.SetStatus(codes.Error, failed)
	}
	s.span.End()
}
