package workers

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/notice"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/rerank"
	"github.com/fingerpost/fingerpost/pkg/retry"
	"github.com/fingerpost/fingerpost/pkg/route"
	"github.com/fingerpost/fingerpost/pkg/telemetry"
	"github.com/fingerpost/fingerpost/pkg/trail"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers/intake"
	"github.com/fingerpost/fingerpost/workers/query"
)

// tries is how often a document may fail at one stage before it is a dead letter.
const tries = 5

// stages is the chain over what is open (before the ports are open it serves to declare streams).
func (s *System) stages() []pipeline.Stage {
	return chain(
		s.in(func(k *kit) do { return k.parse.Do }), s.in(func(k *kit) do { return k.chunk.Do }),
		s.in(func(k *kit) do { return k.embed.Do }), s.in(func(k *kit) do { return k.index.Do }),
		max(2, s.embedders()), s.embedders(), s.Config.Lease)
}

// well removes the dead letters of a document that is found again, or gone.
func (s *System) well(ctx context.Context, t doc.Tenant, id doc.ID, g doc.Generation) error {
	_, err := pipeline.Letters{Bus: s.Bus, Ledger: s.Ledger}.Clear(ctx, t, id, g)
	return err
}

// look asks intake to look at an object again.
func (s *System) look(ctx context.Context, bucket, key string) error {
	body, err := notice.Encode(bucket, key)
	if err != nil {
		return err
	}
	return s.notify(ctx, body)
}

// Intake is the intake worker over what is open.
func (s *System) Intake() *intake.Worker {
	w := &intake.Worker{Blobs: s.Blobs, Ledger: s.Ledger, Bus: s.Bus, Log: s.Log, Targets: s.targets,
		MaxSize: s.Config.Limits.ObjectBytes, BulkOver: uint64(max(0, s.Config.Limits.BulkOver)), Seen: s.event, Tracer: s.tracer}
	for _, c := range s.Config.Sources {
		w.Sources = append(w.Sources, intake.Source{Bucket: c.Bucket, Prefix: c.Prefix, Tenant: doc.Tenant(c.Tenant),
			Language: c.Language, Exclude: c.Exclude, Events: notice.Source(c.Events)})
	}
	return w
}

// desk answers from the live build.
func (s *System) newDesk() *query.Desk {
	return &query.Desk{Make: s.queryOf, Took: func(verb string, took time.Duration) {
		if verb == string(api.Find) || verb == string(api.Ask) {
			s.watch.add(took)
		}
	}}
}

// queryOf is the query worker of a build.
func (s *System) queryOf(ctx context.Context, seq uint32) (*query.Worker, error) {
	k, err := s.kit(ctx, seq)
	if err != nil {
		return nil, err
	}
	w := &query.Worker{Artefacts: k.artefacts, Ledger: k.ledger, Index: s.Index, Build: seq, Tenants: s.Config.Tenants(),
		Limits: query.Limits{Concurrent: s.Config.Limits.Concurrent, Deadline: s.Config.Limits.Deadline, Trees: 256},
		Log:    s.Log, Observer: s.metrics, Tracer: s.tracer, Version: Version, Vocabulary: route.StandardVocabulary.Strict(),
		Stats: func(t doc.Tenant) map[string]int64 { return s.indexStats(seq, t) }, Sources: map[doc.Tenant][]api.Place{}}
	w.Vocabularies, w.Aliases = s.Config.userWords()
	if s.Config.Router == "llm" {
		w.Router = s.LLM
	}
	switch r := s.Config.Rerank; {
	case r == "llm" && s.LLM != nil:
		w.Reranker = rerank.Model{LLM: s.LLM}
	case strings.HasPrefix(r, "http"):
		w.Reranker = rerank.CrossEncoder{URL: r}
	}
	for _, c := range s.Config.Sources {
		w.Sources[doc.Tenant(c.Tenant)] = append(w.Sources[doc.Tenant(c.Tenant)], api.Place{Bucket: c.Bucket, Prefix: c.Prefix})
	}
	w.LLM = s.LLM
	if k.embedder.Fingerprint().Dimensions > 0 {
		w.Embedder = s.metered(k.Record, k.embedder, telemetry.Questions)
	}
	return w, nil
}

// follow turns the desk to whatever build is live, until ctx ends.
func (s *System) follow(ctx context.Context, d *query.Desk) {
	for {
		changed := s.Builds.Changed()
		pause := time.Duration(0)
		if live := s.Builds.Live(); live != d.Live().Build {
			if err := d.Turn(ctx, live); err != nil && ctx.Err() == nil {
				s.Log.Error("the promoted build cannot be opened; the one before it answers", "build", live, "err", err)
				pause = time.Second
			}
		}
		var again <-chan time.Time
		if pause > 0 {
			again = time.After(pause)
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-again:
		}
	}
}

func (s *System) indexStats(seq uint32, t doc.Tenant) map[string]int64 {
	st := s.stats(vector.Build(seq), t)
	out := map[string]int64{"bytes": st.Bytes}
	for k, n := range st.Entries {
		out[string(k)] = int64(n)
	}
	return out
}

// Run runs the workers of the process's roles until ctx ends, then drains: work in hand finishes or is handed back.
// Ready is closed when they run; with the roles query and reconcile, when questions are answered and a walk of the
// buckets has closed the gaps.
func (s *System) Run(ctx context.Context, ready chan<- struct{}) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var all sync.WaitGroup
	failed := make(chan error, 2)
	serve := func(svc bus.Service) {
		if err := s.Bus.Serve(ctx, svc); err != nil && ctx.Err() == nil {
			failed <- fmt.Errorf("service %s: %w", svc.Name, err)
		}
	}
	all.Go(func() { s.watchBuilds(ctx) })
	in := s.Intake()
	trails := trail.NewWriter(trail.Log{Bus: s.Bus}, s.Log)
	defer trails.Close() // after the last job in hand
	in.Trail = trails
	s.trails.Store(trails)
	if s.has(RoleQuery) {
		d := s.newDesk()
		if err := d.Turn(ctx, s.Builds.Live()); err != nil {
			return err
		}
		s.query.Store(d)
		all.Go(func() { serve(d.Service()) })
		all.Go(func() { s.follow(ctx, d) })
		if !s.embedsBus() { // else who re-indexes is this process
			all.Go(func() { s.tellLoad(ctx, strings.ToLower(rand.Text())) })
		}
	}
	if s.has(RoleIntake) {
		all.Go(func() { in.Run(ctx) })
	}
	all.Go(func() { s.runner(trails).Run(ctx, s.ownStages()...) })
	rec := s.reconciler(in)
	s.rounds.Store(rec)
	if s.has(RoleReconcile) {
		a := s.admin(in, rec, trails)
		a.Reindex = s.reindexer(in, rec.worker.Sources)
		s.rebuilds.Store(a.Reindex)
		all.Go(func() { serve(a.Service()) })
		all.Go(func() { a.Reindex.Run(ctx) })
		all.Go(func() { s.watchStuck(ctx) })
		all.Go(func() { s.listen(ctx) })
		all.Go(func() { s.hear(ctx, rec.once) })
	}
	all.Go(func() {
		if s.has(RoleReconcile) {
			rec.once(ctx)
		}
		if !s.has(RoleQuery) || s.answers(ctx) == nil {
			close(ready)
		}
		if s.has(RoleReconcile) {
			rec.run(ctx, s.Config.ReconcileEvery, s.Bus.Connected)
		}
	})
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
		cancel()
	}
	all.Wait()
	return err
}

// watchBuilds keeps the registry in step until ctx ends.
func (s *System) watchBuilds(ctx context.Context) {
	for ctx.Err() == nil {
		if err := s.Builds.Watch(ctx); err != nil && ctx.Err() == nil {
			s.Log.Warn("builds are not watched; again in a second", "err", err)
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
	}
}

// ownStages is the stages of the chain that are roles of this process.
func (s *System) ownStages() []pipeline.Stage {
	own := slices.DeleteFunc(s.stages(), func(x pipeline.Stage) bool { return !s.has(stageRole(x.Name)) })
	for i := range own {
		own[i] = s.pulse.around(own[i])
		if own[i].Name != wire.Embed {
			own[i] = s.way.first(own[i])
		}
	}
	return own
}

// runner runs the stages; each settled job leaves a line in the document's trail.
func (s *System) runner(trails *trail.Writer) *pipeline.Runner {
	note := func(o pipeline.Settled) {
		s.settled(o)
		if s.Seen != nil {
			s.Seen(o)
		}
		if o.Job.DocID != "" {
			trails.Note(o.Job.Tenant, o.Job.DocID, lifeOf(o))
		}
	}
	return &pipeline.Runner{Bus: s.Bus, Ledger: s.Ledger, Log: s.Log, Tries: tries, Grace: s.Config.Grace, Seen: note, Tracer: s.tracer}
}

// lifeOf is the line of a settled job.
func lifeOf(o pipeline.Settled) trail.Event {
	e := trail.Event{Time: time.Now().UTC(), What: string(o.Stage), Kind: string(o.Job.Kind), Generation: o.Job.Generation, Version: o.Job.Version,
		Attempt: o.Attempt, Outcome: o.Outcome, Took: float64(o.Took.Microseconds()) / 1000, Waited: float64(o.Waited.Microseconds()) / 1000, Trace: o.Trace}
	if o.Err != nil {
		e.Error = pipeline.Cut(o.Err.Error())
	}
	return e
}

// answers returns when a question asked over the bus is answered.
func (s *System) answers(ctx context.Context) error {
	return retry.Do(ctx, retry.Policy{Tries: 100, First: time.Millisecond, Most: 100 * time.Millisecond}, func() error {
		_, err := s.Bus.Request(ctx, api.Subject(s.Config.Tenants()[0], api.Status), []byte("{}"))
		return err
	})
}
