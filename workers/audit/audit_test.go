package audit_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob"
	blobmem "github.com/fingerpost/fingerpost/pkg/blob/mem"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/origin"
	"github.com/fingerpost/fingerpost/pkg/retry"
	vectormem "github.com/fingerpost/fingerpost/pkg/vector/mem"
	"github.com/fingerpost/fingerpost/workers/audit"
	"github.com/fingerpost/fingerpost/workers/intake"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

func TestMain(m *testing.M) {
	retry.Redelivery = retry.Delays{First: time.Millisecond, Most: 20 * time.Millisecond}
	os.Exit(m.Run())
}

// worker audits a house under the sources given, which may be fewer than the house has.
func worker(h *workertest.House, sources ...intake.Source) *audit.Worker {
	w := &audit.Worker{Blobs: h.Blobs, Artefacts: h.Artefacts, Ledger: h.Ledger, Index: h.Index, Build: uint32(workertest.Build),
		Look: h.Intake.Object, Rewrite: func(context.Context, ledger.Record) error { return errors.New("nothing is to be rewritten") }}
	w.Sources = origin.Sources(sources, func(s intake.Source) doc.Tenant { return s.Tenant })
	return w
}

func run(t *testing.T, w *audit.Worker, repair bool) *audit.Report {
	t.Helper()
	return runWith(t, w, audit.Options{Repair: repair})
}

func runWith(t *testing.T, w *audit.Worker, opt audit.Options) *audit.Report {
	t.Helper()
	rep, err := w.Run(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// artefacts is how many objects the derived bucket holds.
func artefacts(t *testing.T, h *workertest.House) (n int) {
	t.Helper()
	for _, err := range h.Blobs.List(t.Context(), artefact.Bucket, "", "") {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

const text = "# Paper\n\nAn opening.\n\n## Part\n\nThe particular word.\n"

// A tenant, or a prefix, whose source was taken out of the configuration is named, and loses nothing to a repair.
func TestWhatNoSourceNamesIsNeverRepaired(t *testing.T) {
	sources := []intake.Source{{Bucket: "documents", Prefix: "in/", Tenant: "default"}, {Bucket: "documents", Prefix: "old/", Tenant: "default"}, {Bucket: "others", Tenant: "zeta"}}
	h := workertest.Open(t, workertest.Config{Sources: sources})
	for _, at := range [][2]string{{"documents", "in/a.md"}, {"documents", "old/b.md"}, {"others", "c.md"}} {
		h.Store(at[0], at[1], text)
		h.Look(at[0], at[1])
	}
	h.Settle()
	if rep := run(t, worker(h, sources...), false); !rep.OK() || rep.Indexed != 3 {
		t.Fatalf("all sources: %+v", rep)
	}
	all := artefacts(t, h)
	w := worker(h, sources[0])
	rep := run(t, w, true)
	kinds := map[audit.Kind]int{}
	for _, d := range rep.Differences {
		kinds[d.Kind]++
	}
	if fmt.Sprint(kinds) != fmt.Sprint(map[audit.Kind]int{audit.Foreign: 1, audit.Unmapped: 1}) || rep.Repaired != 0 {
		t.Errorf("%d repaired: %+v", rep.Repaired, rep.Differences)
	}
	if n := artefacts(t, h); n != all {
		t.Errorf("%d artefacts are left of %d", n, all)
	}
	if rep := run(t, worker(h, sources...), false); !rep.OK() || rep.Indexed != 3 {
		t.Errorf("after the sources are back: %+v", rep)
	}
}

// moment is object storage in whose listing of a bucket something happens.
type moment struct {
	blob.Store
	f func()
}

func (m *moment) List(ctx context.Context, bucket, prefix, after string) iter.Seq2[blob.Info, error] {
	if f := m.f; f != nil && bucket == artefact.Bucket {
		m.f = nil
		f()
	}
	return m.Store.List(ctx, bucket, prefix, after)
}

// What changes while an audit runs is no difference, and a repair takes nothing of it.
func TestWorkGoesOnBesideAnAudit(t *testing.T) {
	m := &moment{}
	h := workertest.Open(t, workertest.Config{Blobs: func(s blob.Store) blob.Store { m.Store = s; return m }})
	h.Put("a.md", text)
	h.Put("b.md", text)
	h.Settle()
	m.f = func() {
		h.Put("a.md", text+"\nMore.\n")
		h.Put("new.md", text)
		h.Delete("b.md")
		h.Settle()
	}
	if rep := run(t, worker(h, h.Intake.Sources...), true); rep.Repaired != 0 {
		t.Errorf("%d repaired: %+v", rep.Repaired, rep.Differences)
	}
	if rep := run(t, worker(h, h.Intake.Sources...), false); !rep.OK() || rep.Indexed != 2 {
		t.Errorf("afterwards: %+v", rep)
	}
}

// Strays of known tenants are named and mended, and then it adds up.
func TestStraysAreMended(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	id := h.Put("a.md", text)
	h.Settle()
	for _, g := range []doc.Generation{7, 1} {
		if err := h.Artefacts.PutSource(t.Context(), artefact.Ref{Tenant: workertest.Tenant, Doc: id, Generation: g}, []byte("late")); err != nil {
			t.Fatal(err)
		}
	}
	h.Store(artefact.Bucket, string(workertest.Tenant)+"/no-document/g1/x/source.md", "?")
	w := worker(h, h.Intake.Sources...)
	if rep := run(t, w, true); len(rep.Differences) != 2 || rep.Repaired != 2 {
		t.Errorf("%+v", rep)
	}
	if rep := run(t, w, false); !rep.OK() {
		t.Errorf("afterwards: %+v", rep)
	}
}

// simulated is a KV bucket of n records of a tenant that are all skipped.
type simulated struct {
	bus.KV
	n int
}

func key(i int) string { return fmt.Sprintf("%s/%09d.md", strings.Repeat("long/", 40), i) }

func (s simulated) Each(_ context.Context, _ string, f func(string, []byte) error) error {
	for i := range s.n {
		id := doc.NewID("default", "documents", key(i))
		b := fmt.Appendf(nil, `{"tenant":"default","doc_id":%q,"bucket":"documents","key":%q,"generation":1,"state":"skipped","reason":%q}`, id, key(i), strings.Repeat("r", 500))
		if err := f(string(id), b); err != nil {
			return err
		}
	}
	return nil
}

type listed struct {
	blob.Store
	n int
}

func (l listed) List(ctx context.Context, bucket, prefix, after string) iter.Seq2[blob.Info, error] {
	if bucket == artefact.Bucket {
		return l.Store.List(ctx, bucket, prefix, after)
	}
	return func(yield func(blob.Info, error) bool) {
		for i := range l.n {
			if !yield(blob.Info{Bucket: bucket, Key: key(i)}, nil) {
				return
			}
		}
	}
}

// A document costs an audit at most 150 bytes, however long its key and record are.
func TestBytesADocument(t *testing.T) {
	const n = 50_000
	store := blobmem.New(artefact.Bucket, "documents")
	var most uint64
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	w := &audit.Worker{Blobs: listed{store, n}, Artefacts: artefact.Store{Blobs: store}, Ledger: ledger.New(simulated{n: n}, nil, nil), Index: vectormem.New(0),
		Sources: []origin.Source{{Bucket: "documents", Tenant: "default", Own: func(k string) bool {
			if k == key(n-1) {
				runtime.GC()
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapAlloc-before.HeapAlloc)
			}
			return true
		}}}}
	if rep := run(t, w, false); !rep.OK() || rep.Skipped != n {
		t.Fatalf("%d skipped, %+v", rep.Skipped, rep.Differences)
	}
	if each := most / n; each > 150 || each == 0 {
		t.Errorf("%d bytes a document", each)
	} else {
		t.Logf("%d bytes a document", each)
	}
}
