package reconcile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/blob/mem"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/origin"
)

// house is a bucket and a ledger that are made up key by key, so that a million of them cost nothing.
type house struct {
	blob.Store // the derived bucket
	keys       func(yield func(string) bool)
	fail       func(key string) error // of the list, at that key
	record     func(key string) (ledger.Record, bool)
	known      func(yield func(ledger.Record) bool) // every record
	byID       map[doc.ID]string                    // small houses only
	looked     []string
}

func (h *house) List(_ context.Context, bucket, prefix, after string) iter.Seq2[blob.Info, error] {
	if bucket != "documents" {
		return h.Store.List(context.Background(), bucket, prefix, after)
	}
	return func(yield func(blob.Info, error) bool) {
		h.keys(func(k string) bool {
			if k <= after || !strings.HasPrefix(k, prefix) {
				return true
			}
			if h.fail != nil {
				if err := h.fail(k); err != nil {
					yield(blob.Info{}, err)
					return false
				}
			}
			return yield(blob.Info{Bucket: bucket, Key: k, ETag: "e", Size: 1}, nil)
		})
	}
}

func (h *house) Each(_ context.Context, _ doc.Tenant, f func(ledger.Record) error) (err error) {
	h.known(func(r ledger.Record) bool { err = f(r); return err == nil })
	return err
}

func (h *house) look(_ context.Context, _, key string) error {
	h.looked = append(h.looked, key)
	return nil
}

// records answers Get from the key behind an id.
type records struct{ *house }

func (r records) Get(_ context.Context, _ doc.Tenant, id doc.ID) (ledger.Record, error) {
	if key, ok := r.byID[id]; ok {
		if rec, ok := r.record(key); ok {
			return rec, nil
		}
	}
	return ledger.Record{}, bus.ErrNoKey
}

// memoryKV is compare-and-set in memory; nothing else of the port is used here.
type memoryKV struct {
	bus.KV
	mu   sync.Mutex
	vals map[string][]byte
	revs map[string]uint64
}

func (m *memoryKV) Get(_ context.Context, k string) ([]byte, uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if v, ok := m.vals[k]; ok {
		return v, m.revs[k], nil
	}
	return nil, 0, bus.ErrNoKey
}

func (m *memoryKV) Put(_ context.Context, k string, v []byte, rev uint64) (uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.revs[k] != rev {
		return 0, bus.ErrConflict
	}
	m.vals[k], m.revs[k] = v, rev+1
	return rev + 1, nil
}

func newWorker(h *house, l Ledger) *Worker {
	h.Store = mem.New("fingerpost-derived")
	return &Worker{Sources: []origin.Source{{Bucket: "documents", Tenant: "t", Own: func(string) bool { return true }}}, Blobs: h, Ledger: l,
		State: &memoryKV{vals: map[string][]byte{}, revs: map[string]uint64{}}, Look: h.look, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		MaxGone: .2, Settled: func(r ledger.Record, i blob.Info) bool { return r.ETag == i.ETag && r.Size == i.Size }, Bucket: "fingerpost-derived", FlushEvery: 10}
}

// small is a house with the objects and the records named; a record's state may be given behind a colon.
func small(objects, known string) *house {
	states := map[string]doc.State{}
	h := &house{byID: map[doc.ID]string{}}
	for _, k := range strings.Fields(known) {
		name, state, _ := strings.Cut(k, ":")
		if state == "" {
			state = string(doc.Indexed)
		}
		states[name] = doc.State(state)
		h.byID[doc.NewID("t", "documents", name)] = name
	}
	rec := func(k string) ledger.Record {
		r := ledger.Record{Tenant: "t", Bucket: "documents", Key: k, DocID: doc.NewID("t", "documents", k), Standing: ledger.Standing{State: states[k]}, ETag: "e", Size: 1}
		if strings.HasPrefix(k, "other") {
			r.ETag = "another"
		}
		return r
	}
	h.record = func(k string) (ledger.Record, bool) { _, ok := states[k]; return rec(k), ok }
	h.keys = func(yield func(string) bool) {
		for _, k := range strings.Fields(objects) {
			if !yield(k) {
				return
			}
		}
	}
	h.known = func(yield func(ledger.Record) bool) {
		for _, k := range strings.Fields(known) {
			name, _, _ := strings.Cut(k, ":")
			if !yield(rec(name)) {
				return
			}
		}
	}
	return h
}

// Each gap is counted in its class, and closed.
func TestKnown2GapsAreCountedByClass(t *testing.T) {
	h := small("a b new otherbytes pend zombie", "a b gone otherbytes pend:pending zombie:deleted old:deleted")
	g, err := newWorker(h, records{h}).Pass(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	want := Gaps{Walked: 6, Missing: 2, Changed: 1, Gone: 1, Pending: 1, Unpurged: 1}
	if g.Took = 0; g != want {
		t.Errorf("gaps %+v, want %+v", g, want)
	}
	if got := strings.Join(h.looked, " "); got != "new otherbytes pend zombie old gone" {
		t.Errorf("looked at %q", got)
	}
}

// A bucket that cannot be listed is not an empty bucket.
func TestAnErrorRemovesNothing(t *testing.T) {
	broken := errors.New("connection reset")
	h := small("a b c", "a b c d e")
	h.fail = func(k string) error {
		if k == "b" {
			return broken
		}
		return nil
	}
	if _, err := newWorker(h, records{h}).Pass(t.Context(), true); !errors.Is(err, broken) {
		t.Errorf("err %v", err)
	}
	if len(h.looked) > 0 {
		t.Errorf("looked at %q", h.looked)
	}
}

func TestTooManyGoneAreHeld(t *testing.T) {
	var known []string
	for i := range 50 {
		known = append(known, fmt.Sprintf("k%02d", i))
	}
	h := small(strings.Join(known[:30], " "), strings.Join(known, " "))
	w := newWorker(h, records{h})
	g, err := w.Pass(t.Context(), false)
	if err != nil || g.Held != 20 || g.Gone != 0 || len(h.looked) != 0 {
		t.Errorf("unasked: %+v, %v, looked at %q", g, err, h.looked)
	}
	if g, err = w.Pass(t.Context(), true); err != nil || g.Gone != 20 || len(h.looked) != 20 {
		t.Errorf("told to: %+v, %v", g, err)
	}
}

// A walk that was cut off goes on where it stopped, and still knows what it saw before.
func TestAPassResumes(t *testing.T) {
	var keys []string
	for i := range 95 {
		keys = append(keys, fmt.Sprintf("k%02d", i))
	}
	all := strings.Join(keys, " ")
	h := small(all, all)
	w := newWorker(h, records{h})
	broken := errors.New("killed")
	h.fail = func(k string) error {
		if k == "k57" {
			return broken
		}
		return nil
	}
	if _, err := w.Pass(t.Context(), false); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	h.fail = nil
	g, err := w.Pass(t.Context(), false)
	if err != nil || !g.Resumed || g.Walked != 45+95 || g.Gone != 0 || len(h.looked) != 0 {
		t.Errorf("%+v, %v, looked at %q; want the 45 keys behind the last save, and then all of them once more", g, err, h.looked)
	}
	for info := range h.Store.List(t.Context(), "fingerpost-derived", "", "") {
		t.Errorf("%s is left", info.Key)
	}
}

// Killed after the cursor was set back and before the parts were gone, or with a part lost: the next pass is whole.
func TestAPassSurvivesItsOwnEnd(t *testing.T) {
	var keys []string
	for i := range 35 {
		keys = append(keys, fmt.Sprintf("k%02d", i))
	}
	all := strings.Join(keys, " ")
	h := small(all, all)
	w := newWorker(h, records{h})
	broken := errors.New("killed")
	h.fail = func(k string) error {
		if k == "k25" {
			return broken
		}
		return nil
	}
	if _, err := w.Pass(t.Context(), false); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	for info := range h.Store.List(t.Context(), "fingerpost-derived", "", "") { // what was seen is lost
		if err := h.Store.Delete(t.Context(), "fingerpost-derived", info.Key); err != nil {
			t.Fatal(err)
		}
	}
	h.fail = nil
	for range 2 {
		if g, err := w.Pass(t.Context(), false); err != nil || g.Gone+g.Missing+g.Changed != 0 || len(h.looked) != 0 {
			t.Fatalf("%+v, %v, looked at %q", g, err, h.looked)
		}
	}
}

// A bucket that is broken keeps no other source from being walked, and an object that cannot be looked at no other object.
func TestOneBrokenSourceStopsNoOther(t *testing.T) {
	h := small("a b c", "a")
	w := newWorker(h, records{h})
	w.Sources = append([]origin.Source{{Bucket: "nowhere", Tenant: "t", Own: func(string) bool { return true }}}, w.Sources...)
	bad := errors.New("no answer for b")
	w.Look = func(ctx context.Context, bucket, key string) error {
		if key == "b" {
			return bad
		}
		return h.look(ctx, bucket, key)
	}
	g, err := w.Pass(t.Context(), false)
	if !errors.Is(err, blob.ErrNoBucket) || !errors.Is(err, bad) || g.Walked != 3 || strings.Join(h.looked, " ") != "c" {
		t.Errorf("%+v, %v, looked at %q", g, err, h.looked)
	}
}

// millions answers Get for every key but each thousandth, without a table of them.
type millions struct{ *house }

func (m millions) Get(context.Context, doc.Tenant, doc.ID) (ledger.Record, error) {
	return ledger.Record{Standing: ledger.Standing{State: doc.Indexed}, ETag: "e", Size: 1}, nil
}

func TestAMillionKeysInLittleMemory(t *testing.T) {
	n := 1_000_000
	if testing.Short() {
		n = 100_000
	}
	h := &house{}
	h.keys = func(yield func(string) bool) {
		for i := range n {
			if i%1000 != 0 && !yield(fmt.Sprintf("folder/%09d.md", i)) { // each thousandth is gone
				return
			}
		}
	}
	h.known = func(yield func(ledger.Record) bool) {
		for i := range n {
			k := fmt.Sprintf("folder/%09d.md", i)
			if !yield(ledger.Record{Tenant: "t", Bucket: "documents", Key: k, DocID: doc.NewID("t", "documents", k), Standing: ledger.Standing{State: doc.Indexed}}) {
				return
			}
		}
	}
	w := newWorker(h, millions{h})
	w.FlushEvery = 0
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	g, err := w.Pass(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if want := n / 1000; g.Gone != want || len(h.looked) != want {
		t.Errorf("%d gone, %d looked at, want %d", g.Gone, len(h.looked), want)
	}
	grown := int64(after.HeapSys-before.HeapSys) >> 20
	t.Logf("%d keys walked in %v; the heap grew by %d MB", g.Walked, g.Took, grown)
	if grown > 200 {
		t.Errorf("the heap grew by %d MB", grown)
	}
}
