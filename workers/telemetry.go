package workers

import (
	"context"
	"errors"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/fingerpost/fingerpost/pkg/build"
	"github.com/fingerpost/fingerpost/pkg/cost"
	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/pkg/llm"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/telemetry"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers/gateway"
	"github.com/fingerpost/fingerpost/workers/reconcile"
	"github.com/fingerpost/fingerpost/workers/reindex"
)

// outcomes of a job, as pipeline.Settled names them; of an event, intake's are among them.
var outcomes = []string{"done", "superseded", "skipped", "failed", "retry", "outage"}

// measure makes the metrics of this process; what its roles can tell is there from the start.
func (s *System) measure() {
	s.metrics = telemetry.NewMetrics(Version)
	lanes := []string{string(wire.Live), string(wire.Bulk)}
	for _, x := range wire.Stages {
		if s.has(stageRole(x)) {
			s.metrics.Expect(string(x), lanes, outcomes)
		}
	}
	if s.has(RoleIntake) {
		s.metrics.Expect(string(RoleIntake), lanes[:1], outcomes)
	}
	s.metrics.State(s.state)
}

// openTracer sends spans to the collector of the configuration, or of OpenTelemetry's own variables.
func (s *System) openTracer(ctx context.Context, _ Own) (err error) {
	s.tracer, err = telemetry.OpenTracer(ctx, s.Config.OTLP, Version)
	s.onClose(s.tracer.Close)
	return err
}

// Routes are what the HTTP listener of every role serves beside health.
func (s *System) Routes() []gateway.Route {
	all := []gateway.Route{{Pattern: "GET /metrics", Handler: s.metrics.Handler()}}
	if s.has(RoleQuery) && s.Config.Data != "" {
		all = append(all, s.asking())
	}
	if s.Config.Pprof {
		for path, h := range map[string]http.HandlerFunc{"/debug/pprof/": pprof.Index, "/debug/pprof/profile": pprof.Profile, "/debug/pprof/symbol": pprof.Symbol, "/debug/pprof/trace": pprof.Trace} {
			all = append(all, gateway.Route{Pattern: path, Handler: h})
		}
	}
	return all
}

// state is what stands at this moment. What does not answer is left out: its absence is what an alert sees.
func (s *System) state(ctx context.Context) telemetry.State {
	st := telemetry.State{Parts: s.parts()}
	if b, ok := s.Bus.(interface{ LastPull() time.Time }); ok {
		st.LastPull = b.LastPull()
	}
	if t := s.trails.Load(); t != nil {
		n := t.Dropped()
		st.TrailDropped = &n
	}
	if s.has(RoleReconcile) {
		s.lag(ctx, &st)
	}
	if r := s.rebuilds.Load(); r != nil {
		st.Reindex = rebuilt(ctx, r)
	}
	if r := s.rounds.Load(); r != nil && s.has(RoleReconcile) {
		w := r.walks()
		st.LastWalk, st.Held = w.Last, &w.Held
	}
	if q := s.query.Load(); q != nil {
		s.held(ctx, &st)
	}
	return st
}

// lag is how much waits in each stream: told by the reconciler for all, so that a stage without any worker is seen too.
func (s *System) lag(ctx context.Context, st *telemetry.State) {
	names := []string{wire.EventStream, wire.DeadStream}
	for _, x := range wire.Stages {
		names = append(names, wire.StreamName(wire.Live, x), wire.StreamName(wire.Bulk, x))
	}
	for _, name := range names {
		n, oldest, err := s.Bus.Backlog(ctx, name)
		if err != nil {
			continue
		}
		if x := (telemetry.Stream{Name: name, Messages: n, Oldest: oldest}); name == wire.DeadStream {
			st.Letters = &x
		} else {
			st.Streams = append(st.Streams, x)
		}
	}
}

// rebuilt is how re-indexes stand; nil when that cannot be read.
func rebuilt(ctx context.Context, w *reindex.Worker) *telemetry.Reindex {
	t, _, err := w.Task(ctx)
	if err != nil {
		return nil
	}
	r := &telemetry.Reindex{Builds: len(w.Builds.Kept()), Refused: t.State == reindex.Ready && t.Verdicts != nil}
	if t.State == reindex.Running {
		r.Left, r.Idle = max(0, t.Total-t.Walked), time.Since(t.Updated)
	}
	return r
}

// held is what the query worker holds of all tenants together.
func (s *System) held(ctx context.Context, st *telemetry.State) {
	st.Documents, st.Entries = map[string]int{}, map[string]int64{}
	for _, t := range s.Config.Tenants() {
		rep, err := s.query.Load().Live().Status(ctx, t, struct{}{})
		if err != nil {
			continue
		}
		d := rep.Documents
		for state, n := range map[string]int{"indexed": d.Indexed, "pending": d.Pending, "skipped": d.Skipped, "failed": d.Failed} {
			st.Documents[state] += n
		}
		for kind, n := range rep.Index {
			if kind == "bytes" {
				st.IndexBytes += n
			} else {
				st.Entries[kind] += n
			}
		}
	}
}

// parts is how each part was when health was last asked.
func (s *System) parts() map[string]bool {
	m, _ := s.last.Load().(map[string]bool)
	return m
}

// metered is the embedder, telling of its calls.
func (s *System) metered(rec build.Record, e embedding.Embedder, use telemetry.Use) embedding.Embedder {
	return embedding.Metered{Embedder: e, Begin: func(ctx context.Context) (context.Context, func(embedding.Call)) {
		ctx, span := telemetry.Begin(ctx, "embeddings", telemetry.Client)
		return ctx, func(c embedding.Call) {
			s.metrics.Called(use, c.Tokens, 0, c.Took, c.Err)
			span.Set("gen_ai.operation.name", "embeddings", "gen_ai.provider.name", rec.Embedder, "gen_ai.request.model", rec.Vectors.Model,
				"gen_ai.usage.input_tokens", c.Tokens, "fingerpost.texts", c.Texts)
			span.End(map[bool]string{true: "failed"}[c.Err != nil])
		}
	}}
}

// writer is a chat model, telling of its calls.
type writer struct {
	llm.Model
	metrics *telemetry.Metrics
}

// Chat answers r.
func (w writer) Chat(ctx context.Context, r llm.Request, piece func(text string) error) (llm.Answer, error) {
	ctx, span := telemetry.Begin(ctx, "chat", telemetry.Client)
	start := time.Now()
	a, err := w.Model.Chat(ctx, r, piece)
	w.metrics.Called(telemetry.Answers, a.Prompt, a.Output, time.Since(start), err)
	cost.Add(ctx, cost.Spent{Calls: 1, Tokens: a.Prompt + a.Output, Seconds: time.Since(start).Seconds()})
	span.Set("gen_ai.operation.name", "chat", "gen_ai.response.model", a.Model, "gen_ai.usage.input_tokens", a.Prompt, "gen_ai.usage.output_tokens", a.Output)
	span.End(map[bool]string{true: "failed"}[err != nil])
	return a, err
}

// settled tells of a job.
func (s *System) settled(o pipeline.Settled) {
	s.metrics.Job(string(o.Stage), string(o.Lane), o.Outcome, o.Took, o.Waited)
}

// event tells of an event of a store.
func (s *System) event(took, waited time.Duration, err error) {
	s.pulse.beat()
	outcome := "done"
	switch {
	case pipeline.Away(err):
		outcome = "outage"
	case err != nil:
		outcome = "retry"
	}
	s.metrics.Job(string(RoleIntake), string(wire.Live), outcome, took, waited)
}

// walked tells of a walk of the buckets.
func (s *System) walked(g reconcile.Gaps, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	s.metrics.Walked(map[string]int{"missing": g.Missing, "changed": g.Changed, "gone": g.Gone, "pending": g.Pending, "unpurged": g.Unpurged}, err)
}
