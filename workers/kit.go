package workers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/build"
	"github.com/fingerpost/fingerpost/pkg/chunker"
	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/source"
	"github.com/fingerpost/fingerpost/pkg/telemetry"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers/chunk"
	"github.com/fingerpost/fingerpost/workers/embed"
	"github.com/fingerpost/fingerpost/workers/index"
	"github.com/fingerpost/fingerpost/workers/intake"
	"github.com/fingerpost/fingerpost/workers/parse"
)

// kit is the workers of one build: its own embedder, sizes, artefacts and view of the ledger.
type kit struct {
	build.Record
	embedder  embedding.Embedder
	artefacts artefact.Store
	ledger    *ledger.Ledger

	parse *parse.Worker
	chunk *chunk.Worker
	embed *embed.Worker
	index *index.Worker
}

// kits opens each build's once.
type kits struct {
	mu  sync.Mutex
	all map[uint32]*kit
}

// kit is that of a build; superseded when the build is gone.
func (s *System) kit(ctx context.Context, seq uint32) (*kit, error) {
	rec, err := s.Builds.Get(ctx, seq)
	if errors.Is(err, build.ErrGone) {
		return nil, fault.Supersededf("build %d is gone: %w", seq, err)
	}
	if err != nil {
		return nil, err
	}
	s.kits.mu.Lock()
	defer s.kits.mu.Unlock()
	if k := s.kits.all[seq]; k != nil {
		return k, nil
	}
	if err := s.from.serves(rec); err != nil {
		return nil, err
	}
	e, err := s.embedderOf(ctx, rec)
	if err != nil {
		return nil, fmt.Errorf("build %d: %w", seq, err)
	}
	k := s.newKit(rec, e)
	if s.kits.all == nil {
		s.kits.all = map[uint32]*kit{}
	}
	s.kits.all[seq] = k
	return k, nil
}

// embedderOf opens the embedder that a build was made with; that of the live build is open.
func (s *System) embedderOf(ctx context.Context, rec build.Record) (embedding.Embedder, error) {
	if rec.Vectors == s.Embedder.Fingerprint() {
		return s.Embedder, nil
	}
	return openEmbedder(ctx, rec, s.from)
}

func (s *System) newKit(rec build.Record, e embedding.Embedder) *kit {
	k := &kit{Record: rec, embedder: e, artefacts: artefact.Store{Blobs: s.Blobs, Folder: rec.In()}, ledger: s.Ledger.For(rec.Sequence)}
	dense := e.Fingerprint().Dimensions > 0
	o := chunker.Options{Target: rec.Chunker.Target, Window: rec.Chunker.Window}
	digest := ""
	if dense {
		o.Count, o.Limit = e.Count, e.Limit()
		digest = e.Fingerprint().Digest
	}
	k.parse = &parse.Worker{Blobs: s.Blobs, Artefacts: k.artefacts, Ledger: k.ledger, MaxSize: s.Config.Limits.ObjectBytes, Look: s.look,
		Read: s.from.read}
	if k.parse.Read == nil {
		k.parse.Read = source.Reader{Pdftotext: s.Config.Pdftotext}.Parse
	}
	k.chunk = &chunk.Worker{Artefacts: k.artefacts, Ledger: k.ledger, Options: o, Embeds: dense, Peers: s.peers}
	k.embed = &embed.Worker{Artefacts: k.artefacts, Ledger: k.ledger, Embedder: s.metered(rec, e, telemetry.Documents), Log: s.Log, GiveWay: s.way.wait, Told: s.metrics.Embedded, Peers: s.peers}
	k.index = &index.Worker{Artefacts: k.artefacts, Ledger: k.ledger, Index: s.Index, Digest: digest, Log: s.Log, Well: s.well, Kin: s.Builds.Kin}
	if p, err := s.Builds.Get(context.Background(), rec.Parent); err == nil && p.In() != rec.In() {
		if rec.From == string(wire.Chunk) {
			k.chunk.From = p.In()
		}
		if p.Vectors == rec.Vectors {
			k.embed.Parent = &embed.Parent{Artefacts: artefact.Store{Blobs: s.Blobs, Folder: p.In()}, Ledger: s.Ledger.For(p.Sequence)}
		}
	}
	return k
}

// peers are the builds that a job is done for: all that share the artefacts when it is the job of the one that leads.
func (s *System) peers(j wire.Job) (out []pipeline.Peer) {
	kin := []uint32{j.Build}
	if s.Builds.Lead(j.Build) == j.Build {
		kin = s.Builds.Kin(j.Build)
	}
	for _, b := range kin {
		rec, err := s.Builds.Get(context.Background(), b)
		out = append(out, pipeline.Peer{Build: b, Whole: err == nil && rec.State == build.Building && b != s.Builds.Live()})
	}
	return out
}

type do = func(context.Context, wire.Job) ([]pipeline.Next, error)

// in runs a stage in the kit of the job's build.
func (s *System) in(pick func(*kit) do) do {
	return func(ctx context.Context, j wire.Job) ([]pipeline.Next, error) {
		if j.Build == 0 {
			j.Build = ledger.FirstBuild
		}
		k, err := s.kit(ctx, j.Build)
		if err != nil {
			return nil, err
		}
		return pick(k)(ctx, j)
	}
}

// targets are the builds that every change is written to, the live one first.
func (s *System) targets() (out []intake.Target) {
	live := s.Builds.Live()
	for _, b := range s.Builds.Open() {
		t := intake.Target{Build: b.Sequence, Lead: s.Builds.Lead(b.Sequence) == b.Sequence, Behind: b.State == build.Building && b.Sequence != live}
		if b.Sequence == live {
			out = slices.Insert(out, 0, t)
		} else {
			out = append(out, t)
		}
	}
	return out
}
