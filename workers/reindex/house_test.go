package reindex_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob/faulty"
	"github.com/fingerpost/fingerpost/pkg/build"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/origin"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers/audit"
	"github.com/fingerpost/fingerpost/workers/reindex"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// axe kills a worker: after so many writes nothing it does reaches anything any more, as when its process had ended.
type axe struct {
	mu    sync.Mutex
	left  int // writes that are still done; -1: all
	count int // writes so far
}

var errKilled = errors.New("the process was killed")

func (a *axe) read() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.left == 0 {
		return errKilled
	}
	return nil
}

func (a *axe) write() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.left == 0 {
		return errKilled
	}
	a.left--
	a.count++
	return nil
}

// fell ends the worker now.
func (a *axe) fell() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.left = 0
}

// below are what a worker stands on, with the axe at their writes.
type (
	axedBus struct {
		bus.Bus
		*axe
	}
	axedKV struct {
		bus.KV
		*axe
	}
	axedIndex struct {
		vector.Index
		*axe
	}
)

func (b axedBus) KV(ctx context.Context, name string) (bus.KV, error) {
	kv, err := b.Bus.KV(ctx, name)
	return axedKV{kv, b.axe}, err
}

func (b axedBus) Publish(ctx context.Context, m bus.Message) error {
	if err := b.write(); err != nil {
		return err
	}
	return b.Bus.Publish(ctx, m)
}

func (k axedKV) Get(ctx context.Context, key string) ([]byte, uint64, error) {
	if err := k.read(); err != nil {
		return nil, 0, err
	}
	return k.KV.Get(ctx, key)
}

func (k axedKV) Put(ctx context.Context, key string, v []byte, rev uint64) (uint64, error) {
	if err := k.write(); err != nil {
		return 0, err
	}
	return k.KV.Put(ctx, key, v, rev)
}

func (k axedKV) Delete(ctx context.Context, key string) error {
	if err := k.write(); err != nil {
		return err
	}
	return k.KV.Delete(ctx, key)
}

func (x axedIndex) DropBuild(ctx context.Context, b vector.Build) error {
	if err := x.write(); err != nil {
		return err
	}
	return x.Index.DropBuild(ctx, b)
}

// site is a house whose index has one build, live, and on which others can be made.
type site struct {
	*workertest.House
	ids    []doc.ID
	builds *build.Registry // of the chain
	want   build.Record    // what the program would make
	mu     sync.Mutex
	done   map[string]int // jobs done, by build, stage and document
}

// newSite has n documents, indexed.
func newSite(t *testing.T, n int) *site {
	t.Helper()
	s := &site{House: workertest.Open(t, workertest.Config{}), done: map[string]int{}}
	reg, err := build.Open(t.Context(), s.Bus)
	if err != nil {
		t.Fatal(err)
	}
	s.builds = reg
	s.want = build.Record{Embedder: "own", Vectors: s.Embedder.Fingerprint(), Analyzer: "words/1", Pipeline: artefact.Pipeline, Created: time.Now().UTC()}
	if _, err := reg.First(t.Context(), s.want); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		s.ids = append(s.ids, s.Put(fmt.Sprintf("%03d.md", i), fmt.Sprintf("# Paper %d\n\nText number %d of no great length.\n", i, i)))
	}
	s.Settle()
	return s
}

// worker is a process that re-indexes, with its own view of everything; a is what kills it.
func (s *site) worker(a *axe) *reindex.Worker {
	s.T.Helper()
	b := axedBus{s.Bus, a}
	kv := func(name string) bus.KV {
		k, err := b.KV(s.T.Context(), name)
		if err != nil {
			s.T.Fatal(err)
		}
		return k
	}
	reg, err := build.Open(s.T.Context(), b)
	if err != nil {
		s.T.Fatal(err)
	}
	blobs := &faulty.Store{Store: s.Blobs, Plan: func(op faulty.Op, _, _ string) faulty.Fault {
		if op == faulty.Put || op == faulty.Delete {
			return faulty.Fault{Err: a.write()}
		}
		return faulty.Fault{Err: a.read()}
	}}
	led := ledger.New(kv(wire.DocsBucket), kv(wire.PrefixesBucket), s.Artefacts.Highest).WithKin(reg.Kin).Following(reg.Live)
	w := &reindex.Worker{Builds: reg, State: kv(wire.ReindexBucket), Bus: b, Ledger: led, Blobs: blobs, Artefacts: artefact.Store{Blobs: blobs},
		Index: axedIndex{s.Index, a}, Log: slog.New(slog.DiscardHandler), ID: "one", Lease: time.Second, Keep: time.Hour, Slow: 100 * time.Millisecond, Window: 64, Late: time.Millisecond,
		Sources: []origin.Source{{Bucket: workertest.Bucket, Tenant: workertest.Tenant, Own: func(string) bool { return true }}},
		Wanted:  func(context.Context, string) (build.Record, error) { return s.want, nil }, Rules: s.want}
	w.Audit = func(_ context.Context, seq uint32) (*audit.Worker, error) {
		rec, err := reg.Get(s.T.Context(), seq)
		return &audit.Worker{Blobs: blobs, Artefacts: artefact.Store{Blobs: blobs, Folder: rec.In()}, Ledger: led.For(seq), Index: s.Index, Build: seq,
			Sources: []origin.Source{{Bucket: workertest.Bucket, Tenant: workertest.Tenant, Own: w.Sources[0].Own}},
			Other:   func(folder string) bool { return folder != rec.In() }}, err
	}
	return w
}

// whole is a worker that nothing kills.
func (s *site) whole() *reindex.Worker { return s.worker(&axe{left: -1}) }

// chain does the jobs of every build until the test ends.
func (s *site) chain() {
	s.T.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() { _ = s.builds.Watch(ctx) })
	stages := s.Stages()
	for i := range stages {
		name := stages[i].Name
		stages[i].Do = func(ctx context.Context, j wire.Job) ([]pipeline.Next, error) { return s.do(ctx, name, j) }
	}
	r := &pipeline.Runner{Bus: s.Bus, Ledger: s.Ledger, Log: slog.New(slog.DiscardHandler), Tries: 3, Grace: time.Second}
	all.Go(func() { r.Run(ctx, stages...) })
	s.T.Cleanup(func() { cancel(); all.Wait() })
}

// do does a job for the build that it names.
func (s *site) do(ctx context.Context, name wire.Stage, j wire.Job) ([]pipeline.Next, error) {
	rec, err := s.builds.Get(ctx, j.Build)
	if errors.Is(err, build.ErrGone) {
		return nil, fault.Supersededf("%w", err)
	}
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.done[fmt.Sprint(j.Build, name, j.DocID)]++
	s.mu.Unlock()
	art, led := artefact.Store{Blobs: s.Blobs, Folder: rec.In()}, s.Ledger.WithKin(s.builds.Kin).For(j.Build)
	switch name {
	case wire.Parse:
		w := *s.Parse
		w.Artefacts, w.Ledger = art, led
		return w.Do(ctx, j)
	case wire.Chunk:
		w := *s.Chunk
		w.Artefacts, w.Ledger = art, led
		return w.Do(ctx, j)
	case wire.Embed:
		w := *s.Embed
		w.Artefacts, w.Ledger = art, led
		return w.Do(ctx, j)
	}
	w := *s.Indexer
	w.Artefacts, w.Ledger, w.Kin = art, led, s.builds.Kin
	return w.Do(ctx, j)
}

// times is how often a document's job was done.
func (s *site) times(b uint32, stage wire.Stage, id doc.ID) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.done[fmt.Sprint(b, stage, id)]
}

// run has a worker work until f holds.
func (s *site) run(w *reindex.Worker, what string, f func(reindex.Task) bool) reindex.Task {
	s.T.Helper()
	ctx, cancel := context.WithCancel(s.T.Context())
	done := make(chan struct{})
	go func() { defer close(done); w.Run(ctx) }()
	defer func() { cancel(); <-done }()
	return s.await(what, f)
}

// await waits until the task is as f wants it.
func (s *site) await(what string, f func(reindex.Task) bool) (t reindex.Task) {
	s.T.Helper()
	see, late := s.whole(), time.After(time.Minute)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		var err error
		if t, _, err = see.Task(s.T.Context()); err != nil {
			s.T.Fatal(err)
		}
		if f(t) {
			return t
		}
		select {
		case <-tick.C:
		case <-late:
			s.T.Fatalf("not within a minute: %s; the task is %+v", what, t)
		}
	}
}

func is(states ...reindex.State) func(reindex.Task) bool {
	return func(t reindex.Task) bool {
		for _, s := range states {
			if t.State == s {
				return true
			}
		}
		return false
	}
}

// ready makes a build beside the live one.
func (s *site) ready(from string) reindex.Task {
	s.T.Helper()
	w := s.whole()
	if _, err := w.Start(s.T.Context(), from, ""); err != nil {
		s.T.Fatal(err)
	}
	return s.run(w, "a re-index that is ready", is(reindex.Ready))
}

// holds reports what is wrong with a build that must have every document.
func (s *site) holds(seq uint32) error {
	for _, id := range s.ids {
		r, err := s.Ledger.For(seq).Get(s.T.Context(), workertest.Tenant, id)
		if err != nil {
			return err
		}
		n, err := s.Index.Count(s.T.Context(), vector.Build(seq), workertest.Tenant, doc.PrefixOf(id), r.Generation)
		if err != nil {
			return err
		}
		if r.Current != r.Generation || r.Level != doc.LevelFull || n[doc.KindChunk] == 0 || n[doc.KindNode] == 0 {
			return fmt.Errorf("build %d shows generation %d of %d of %s at level %q, with entries %v", seq, r.Current, r.Generation, r.Key, r.Level, n)
		}
	}
	return nil
}

// left reports what is left of a build that must be gone.
func (s *site) left(rec build.Record) error {
	for _, id := range s.ids {
		r, err := s.Ledger.For(0).Get(s.T.Context(), workertest.Tenant, id)
		if err != nil {
			return err
		}
		if _, ok := r.Builds[rec.Sequence]; ok || r.Home == rec.Sequence || r.Home == 0 && rec.Sequence == 1 {
			return fmt.Errorf("the record of %s knows build %d", r.Key, rec.Sequence)
		}
		n, err := s.Index.Count(s.T.Context(), vector.Build(rec.Sequence), workertest.Tenant, doc.PrefixOf(id), r.Generation)
		if err != nil {
			return err
		}
		for _, k := range n {
			if k > 0 {
				return fmt.Errorf("entries of %s are left in build %d: %v", r.Key, rec.Sequence, n)
			}
		}
	}
	return nil
}

// folders are those that artefacts lie in.
func (s *site) folders() map[string]bool {
	s.T.Helper()
	out := map[string]bool{}
	for info, err := range s.Blobs.List(s.T.Context(), artefact.Bucket, "", "") {
		if err != nil {
			s.T.Fatal(err)
		}
		out[strings.Split(info.Key, "/")[3]] = true
	}
	return out
}
