package workers

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/fingerpost/fingerpost/pkg/build"
	"github.com/fingerpost/fingerpost/pkg/origin"
	"github.com/fingerpost/fingerpost/pkg/words"
	"github.com/fingerpost/fingerpost/workers/audit"
	"github.com/fingerpost/fingerpost/workers/intake"
	"github.com/fingerpost/fingerpost/workers/reindex"
)

// late is how long after the drop of a build a job that was in hand may still write to it.
const late = 2 * time.Second

// reindexer is the re-index worker over what is open.
func (s *System) reindexer(in *intake.Worker, sources []origin.Source) *reindex.Worker {
	id := "up" // the embedded server has one process that re-indexes: after a kill it goes on at once
	if !s.embedsBus() {
		id = rand.Text()
	}
	c, cut := s.Config.Reindex, s.Config.Chunk
	return &reindex.Worker{Builds: s.Builds, State: s.tasks, Bus: s.Bus, Ledger: s.Ledger, Blobs: s.Blobs, Artefacts: s.Artefacts, Index: s.Index,
		Sources: sources, Log: s.Log, ID: id, Lease: c.Lease, Keep: c.Keep, Late: late, Slow: c.Slow, Window: c.Window, Latency: s.latency, Schedule: c.plan(),
		Rules: build.Record{Pipeline: s.from.pipeline(), Analyzer: words.Version, Chunker: build.Chunker{Target: cut.Target, Window: cut.Window}},
		Audit: func(ctx context.Context, seq uint32) (*audit.Worker, error) { return s.audit(ctx, seq, in.Object) },
		Wanted: func(ctx context.Context, embedder string) (build.Record, error) {
			if embedder == "" {
				embedder = s.Config.Embedder
			}
			rec, _, err := wanted(ctx, s.Config, embedder, s.from)
			return rec, err
		}}
}

func (r Reindex) plan() reindex.Schedule {
	return reindex.Schedule{Cron: r.Schedule, PromoteIf: r.PromoteIf}
}
