// Package workertest is a house for tests of workers: a NATS server in this process for streams and state,
// object storage, index and embedder in memory, and every worker over them. No S3 gateway and no port is
// opened, so a test binary may hold any number of houses.
//
// A test drops objects (Put, Delete), and moves their jobs by hand (Take, Do), all at once (Settle), or by a real
// pipeline.Runner in the background (Start, Until). Faults are put under the workers: Fail breaks calls to object
// storage, Config.Index wraps the index, Docs holds the watch of FP_DOCS back.
package workertest

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/blob/faulty"
	blobmem "github.com/fingerpost/fingerpost/pkg/blob/mem"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/bus/nats"
	"github.com/fingerpost/fingerpost/pkg/bus/nats/embedded"
	"github.com/fingerpost/fingerpost/pkg/chunker"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/embedding/scripted"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/vector"
	vectormem "github.com/fingerpost/fingerpost/pkg/vector/mem"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers/chunk"
	"github.com/fingerpost/fingerpost/workers/embed"
	"github.com/fingerpost/fingerpost/workers/index"
	"github.com/fingerpost/fingerpost/workers/intake"
	"github.com/fingerpost/fingerpost/workers/parse"
	"github.com/fingerpost/fingerpost/workers/query"
)

// Bucket and Tenant are those of the source that a house has when its Config names none.
const (
	Bucket            = "documents"
	Tenant doc.Tenant = "default"
)

// Build is the only build of a house.
const Build vector.Build = 1

// Config says what a house is made of. Its zero value is one tenant with one bucket.
type Config struct {
	Sources     []intake.Source                 // none: Bucket for Tenant
	Embedder    *scripted.Embedder              // nil: scripted.New()
	NoVectors   bool                            // a build without an embedder
	Index       func(vector.Index) vector.Index // wraps the index; nil: not
	Blobs       func(blob.Store) blob.Store     // wraps the object storage; nil: not
	MaxSize     int64                           // bytes of one object; 0: 64 MiB
	BulkOver    uint64                          // see intake.Worker
	StreamBytes int64                           // of a stage's stream; 0: 64 MiB
	Limits      query.Limits                    // zero: wide
}

// House is the workers and what they stand on.
type House struct {
	T         testing.TB
	Config    Config
	Blobs     *blob.Counted // counts what workers read and write
	Bus       bus.Bus
	Docs      *Docs
	Ledger    *ledger.Ledger
	Artefacts artefact.Store
	Index     vector.Index
	Embedder  *scripted.Embedder

	Intake  *intake.Worker
	Parse   *parse.Worker
	Chunk   *chunk.Worker
	Embed   *embed.Worker
	Indexer *index.Worker
	Query   *query.Worker // open

	plan   atomic.Pointer[func(faulty.Op, string, string) faulty.Fault]
	moment atomic.Pointer[chan struct{}] // closed and renewed at each settled job
}

// Open builds a house, which the end of the test takes down.
func Open(t testing.TB, c Config) *House {
	t.Helper()
	h := &House{T: t, Config: c.defaults()}
	h.openBus()
	h.openBlobs()
	h.openState()
	h.openWorkers()
	h.openQuery()
	return h
}

func (c Config) defaults() Config {
	if len(c.Sources) == 0 {
		c.Sources = []intake.Source{{Bucket: Bucket, Tenant: Tenant}}
	}
	if c.Embedder == nil {
		c.Embedder = scripted.New()
	}
	if c.MaxSize == 0 {
		c.MaxSize = 64 << 20
	}
	if c.StreamBytes == 0 {
		c.StreamBytes = 64 << 20
	}
	if c.Limits == (query.Limits{}) {
		c.Limits = query.Limits{Concurrent: 64, Deadline: time.Minute, Trees: 64}
	}
	return c
}

// NATS is a server in this process and a client of it, without streams or a listener.
func NATS(t testing.TB) bus.Bus {
	t.Helper()
	srv, err := embedded.Start(embedded.Options{Dir: t.TempDir(), Port: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Stop() })
	b, err := nats.Connect(context.Background(), srv.Client())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

func (h *House) openBus() {
	h.T.Helper()
	h.Bus = NATS(h.T)
	ss := []bus.Stream{
		{Name: wire.EventStream, Subjects: []string{wire.EventSubject + ".>"}, MaxBytes: h.Config.StreamBytes},
		{Name: wire.DeadStream, Subjects: []string{wire.DeadSubject + ".>"}, MaxBytes: h.Config.StreamBytes},
	}
	var cs []bus.Consumer
	for _, s := range wire.Stages {
		for _, l := range []wire.Lane{wire.Live, wire.Bulk} {
			ss = append(ss, bus.Stream{Name: wire.StreamName(l, s), Subjects: []string{"fp." + string(l) + "." + string(s) + ".>"}, MaxBytes: h.Config.StreamBytes})
			cs = append(cs, pipeline.Consumer(l, s, lease))
		}
	}
	if err := h.Bus.Declare(context.Background(), ss, append(cs, intake.Consumer, deadConsumer)); err != nil {
		h.T.Fatal(err)
	}
}

func (h *House) openBlobs() {
	buckets := []string{artefact.Bucket}
	for _, s := range h.Config.Sources {
		buckets = append(buckets, s.Bucket)
	}
	var s blob.Store = blobmem.New(buckets...)
	if h.Config.Blobs != nil {
		s = h.Config.Blobs(s)
	}
	h.Blobs = blob.Count(&faulty.Store{Store: s, Plan: func(op faulty.Op, bucket, key string) faulty.Fault {
		if p := h.plan.Load(); p != nil {
			return (*p)(op, bucket, key)
		}
		return faulty.Fault{}
	}})
	h.Artefacts = artefact.Store{Blobs: h.Blobs}
}

func (h *House) openState() {
	h.T.Helper()
	docs, err1 := h.Bus.KV(context.Background(), wire.DocsBucket)
	prefixes, err2 := h.Bus.KV(context.Background(), wire.PrefixesBucket)
	if err1 != nil || err2 != nil {
		h.T.Fatal(err1, err2)
	}
	h.Docs = &Docs{KV: docs}
	h.Ledger = ledger.New(h.Docs, prefixes, h.Artefacts.Highest)
	h.Embedder = h.Config.Embedder
	h.Index = vectormem.New(0)
	if h.Config.Index != nil {
		h.Index = h.Config.Index(h.Index)
	}
	h.T.Cleanup(func() { _ = h.Index.Close() })
}

func (h *House) openWorkers() {
	log, c := slog.New(slog.DiscardHandler), h.Config
	h.Intake = &intake.Worker{Sources: c.Sources, Blobs: h.Blobs, Ledger: h.Ledger, Bus: h.Bus, Log: log, Build: uint32(Build), MaxSize: c.MaxSize, BulkOver: c.BulkOver}
	h.Intake.List = func(context.Context) error { _, err := h.Walk(); return err }
	h.Parse = &parse.Worker{Blobs: h.Blobs, Artefacts: h.Artefacts, Ledger: h.Ledger, MaxSize: c.MaxSize, Look: h.Intake.Object}
	o, digest := chunker.Options{}, ""
	if !c.NoVectors {
		o, digest = chunker.Options{Count: h.Embedder.Count, Limit: h.Embedder.Limit()}, h.Embedder.Fingerprint().Digest
	}
	h.Chunk = &chunk.Worker{Artefacts: h.Artefacts, Ledger: h.Ledger, Options: o, Embeds: !c.NoVectors}
	h.Embed = &embed.Worker{Artefacts: h.Artefacts, Ledger: h.Ledger, Embedder: h.Embedder, Log: log}
	h.Indexer = &index.Worker{Artefacts: h.Artefacts, Ledger: h.Ledger, Index: h.Index, Digest: digest, Log: log}
}

func (h *House) openQuery() {
	h.T.Helper()
	c := h.Config
	h.Query = &query.Worker{Artefacts: h.Artefacts, Ledger: h.Ledger, Index: h.Index, Build: uint32(Build), Limits: c.Limits, Log: slog.New(slog.DiscardHandler), Version: "0.0.1"}
	for _, s := range c.Sources {
		h.Query.Tenants = append(h.Query.Tenants, s.Tenant)
	}
	if !c.NoVectors {
		h.Query.Embedder = h.Embedder
	}
	ctx, stop := context.WithCancel(context.Background())
	h.T.Cleanup(stop)
	if err := h.Query.Open(ctx); err != nil {
		h.T.Fatal(err)
	}
}

// Fail breaks calls to object storage as plan says; nil mends it.
func (h *House) Fail(plan func(op faulty.Op, bucket, key string) faulty.Fault) {
	if plan == nil {
		h.plan.Store(nil)
		return
	}
	h.plan.Store(&plan)
}

// Store puts an object without telling anyone, as when an event was lost.
func (h *House) Store(bucket, key, text string) blob.Info {
	h.T.Helper()
	info, err := h.Blobs.Put(h.T.Context(), bucket, key, strings.NewReader(text), int64(len(text)), blob.PutOptions{})
	if err != nil {
		h.T.Fatal(err)
	}
	return info
}

// Put puts an object into Bucket and has intake look at it.
func (h *House) Put(key, text string) doc.ID {
	h.T.Helper()
	h.Store(Bucket, key, text)
	h.Look(Bucket, key)
	return ID(key)
}

// Delete deletes an object of Bucket and has intake look at it.
func (h *House) Delete(key string) {
	h.T.Helper()
	if err := h.Blobs.Delete(h.T.Context(), Bucket, key); err != nil {
		h.T.Fatal(err)
	}
	h.Look(Bucket, key)
}

// Look has intake look at an object.
func (h *House) Look(bucket, key string) {
	h.T.Helper()
	if err := h.Intake.Object(h.T.Context(), bucket, key); err != nil {
		h.T.Fatal(err)
	}
}

// ID is the document of a key in Bucket.
func ID(key string) doc.ID { return doc.NewID(Tenant, Bucket, key) }

// Record is what is known of a document of Tenant; the zero record when nothing is.
func (h *House) Record(id doc.ID) ledger.Record {
	h.T.Helper()
	r, err := h.Ledger.Get(h.T.Context(), Tenant, id)
	if err != nil && !errors.Is(err, bus.ErrNoKey) {
		h.T.Fatal(err)
	}
	return r
}
