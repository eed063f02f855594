package workers

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/build"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/origin"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/trail"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers/admin"
	"github.com/fingerpost/fingerpost/workers/audit"
	"github.com/fingerpost/fingerpost/workers/intake"
	"github.com/fingerpost/fingerpost/workers/reconcile"
)

// origins is where documents come from.
func (s *System) origins() []origin.Source {
	return origin.Sources(s.Config.Sources, func(c Source) doc.Tenant { return doc.Tenant(c.Tenant) })
}

// rounds runs passes of the reconciler, one at a time: at start, on a timer, on demand.
type rounds struct {
	mu     sync.Mutex
	worker *reconcile.Worker
	told   func(reconcile.Gaps, error) // of each pass
	count  sync.Mutex
	total  admin.Walks
}

// reconciler is the reconciler over what is open; gaps are closed by intake itself.
func (s *System) reconciler(in *intake.Worker) *rounds {
	w := &reconcile.Worker{Blobs: s.Blobs, Ledger: s.Ledger, State: s.walks, Look: in.Object, Settled: in.Settled, Log: s.Log,
		Sources: s.origins(), MaxGone: s.Config.Limits.GoneShare, Bucket: artefact.Bucket}
	r := &rounds{worker: w, told: s.walked}
	in.List = func(ctx context.Context) error {
		_, err := r.pass(ctx, false)
		return err
	}
	return r
}

// pass runs one pass when no other runs.
func (r *rounds) pass(ctx context.Context, yes bool) (reconcile.Gaps, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	g, err := r.worker.Pass(ctx, yes)
	r.count.Lock()
	defer r.count.Unlock()
	r.total.Add(g, time.Now().UTC())
	r.told(g, err)
	return g, err
}

// walks is what all passes since the start found.
func (r *rounds) walks() admin.Walks {
	r.count.Lock()
	defer r.count.Unlock()
	return r.total
}

// once runs a pass and tells in the log what it found.
func (r *rounds) once(ctx context.Context) {
	g, err := r.pass(ctx, false)
	switch {
	case err != nil && ctx.Err() == nil:
		r.worker.Log.Warn("walk of the buckets; from a source that was not walked whole nothing was removed", "err", err)
	case g.Missing+g.Changed+g.Gone+g.Pending+g.Unpurged+g.Held > 0:
		r.worker.Log.Info("walk of the buckets closed gaps", "walked", g.Walked, "missing", g.Missing, "changed", g.Changed,
			"gone", g.Gone, "pending", g.Pending, "unpurged", g.Unpurged, "held", g.Held)
	}
}

// run walks on a timer (0: never), and each time a lost connection is back: events may have been lost with it.
func (r *rounds) run(ctx context.Context, every time.Duration, connected func() bool) {
	look := time.NewTicker(time.Second)
	defer look.Stop()
	last, was := time.Now(), true
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
		is := connected()
		back := is && !was
		was = is
		if back || is && every > 0 && time.Since(last) >= every {
			r.once(ctx)
			last = time.Now()
		}
	}
}

// watchStuck looks for stuck consumers until ctx ends.
func (s *System) watchStuck(ctx context.Context) {
	_, cs := streams(s.stages(), s.Config.Limits.StreamBytes, false)
	w := &reconcile.Watch{Bus: s.Bus, Consumers: cs, Log: s.Log, After: s.Config.StuckAfter, Now: time.Now}
	t := time.NewTicker(time.Minute)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			w.Look(ctx)
		}
	}
}

// admin is the operator's service over what is open.
func (s *System) admin(in *intake.Worker, rec *rounds, trails *trail.Writer) *admin.Worker {
	letters := pipeline.Letters{Bus: s.Bus, Ledger: s.Ledger}
	log := trail.Log{Bus: s.Bus}
	w := &admin.Worker{Letters: letters, Ledger: s.Ledger, Trail: log, Reconcile: rec.pass, Walks: rec.walks, TrailDropped: trails.Dropped, Log: s.Log, Version: Version,
		Audit:  func(ctx context.Context, build uint32) (*audit.Worker, error) { return s.audit(ctx, build, in.Object) },
		Eraser: admin.Eraser{Blobs: s.Blobs, Artefacts: s.Artefacts, Ledger: s.Ledger, Index: s.Index, Letters: letters, Trail: log, Builds: s.open}}
	return w
}

// open is the builds that changes are written to, the live one first.
func (s *System) open() (out []uint32) {
	for _, t := range s.targets() {
		out = append(out, t.Build)
	}
	return out
}

// audit audits a build; 0 is the live one.
func (s *System) audit(ctx context.Context, seq uint32, look func(context.Context, string, string) error) (*audit.Worker, error) {
	if seq == 0 {
		seq = s.Builds.Live()
	}
	rec, err := s.Builds.Get(ctx, seq)
	if err != nil {
		return nil, err
	}
	w := &audit.Worker{Blobs: s.Blobs, Artefacts: artefact.Store{Blobs: s.Blobs, Folder: rec.In()}, Ledger: s.Ledger.For(seq), Index: s.Index, Build: seq, Sources: s.origins(),
		Look: look, Rewrite: func(ctx context.Context, r ledger.Record) error { return s.rewrite(ctx, seq, r) },
		Restore: func(ctx context.Context, r ledger.Record) error { return s.restore(ctx, seq, r) },
		Other: func(folder string) bool {
			return folder != rec.In() && slices.ContainsFunc(s.Builds.Open(), func(b build.Record) bool { return b.In() == folder })
		}}
	return w, nil
}

// rewrite has the index entries of a document's shown version written once more, from its artefacts.
func (s *System) rewrite(ctx context.Context, seq uint32, r ledger.Record) error {
	kinds := []wire.Kind{wire.Chunked}
	if r.Vectors == r.Generation {
		kinds = append(kinds, wire.Embedded)
	}
	return s.again(ctx, seq, r, wire.Index, kinds...)
}

// restore has the artefacts of a document's accepted version made anew from the original, and all that follows them.
func (s *System) restore(ctx context.Context, seq uint32, r ledger.Record) error {
	return s.again(ctx, seq, r, wire.Parse, wire.Dropped)
}

// again gives a stage the jobs of a document once more, in a new epoch.
func (s *System) again(ctx context.Context, seq uint32, r ledger.Record, stage wire.Stage, kinds ...wire.Kind) error {
	r, err := s.Ledger.For(seq).Again(ctx, r.Tenant, r.DocID, r.Generation)
	if err != nil {
		return err
	}
	for _, k := range kinds {
		if err := pipeline.Publish(ctx, s.Bus, wire.Live, pipeline.Next{Stage: stage, Job: intake.Job(r, seq, k)}); err != nil {
			return fmt.Errorf("%s of %s once more: %w", stage, r.Key, err)
		}
	}
	return nil
}
