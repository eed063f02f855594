package weaviate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/vector/vectortest"
)

// Known failures 26, 27: the server deletes 10,000 a call at most, and calls that delete thousands time out.
func TestKnown26And27ADocumentAboveTheServersLimitIsPurged(t *testing.T) {
	t.Parallel()
	const rows = maxLimit + 2345
	for name, conf := range map[string]func(testing.TB) Config{"gRPC": fresh, "REST": byREST} {
		t.Run(name, func(t *testing.T) {
			x := open(t, conf(t))
			var entries []vector.Entry
			for i := range rows {
				entries = append(entries, vector.Entry{ID: place(1, 1, i, 0), Terms: []string{"row", fmt.Sprintf("r%d", i%50)}})
			}
			put(t, x, doc.KindRow, entries...)
			put(t, x, doc.KindRow, vector.Entry{ID: place(2, 1, 1, 1), Terms: []string{"row"}})
			if n, err := x.Count(t.Context(), 1, "acme", prefix(1), 1); n[doc.KindRow] != rows || err != nil {
				t.Fatalf("count %v, %v", n, err)
			}
			walked := 0
			if err := x.Each(t.Context(), 1, "acme", doc.KindRow, func(doc.EntryID) error { walked++; return nil }); err != nil || walked != rows+1 {
				t.Errorf("walk over %d, %v", walked, err)
			}
			if n, err := x.Purge(t.Context(), 1, "acme", prefix(1), 0, 1); n != rows || err != nil {
				t.Errorf("purged %d, %v", n, err)
			}
			if n, err := x.Count(t.Context(), 1, "acme", prefix(1), 1); len(n) != 0 || err != nil {
				t.Errorf("count after the purge %v, %v", n, err)
			}
			if _, total, err := x.Frequencies(t.Context(), 1, "acme", doc.KindRow, vector.Terms, nil); total != 1 || err != nil {
				t.Errorf("%d are left, %v", total, err)
			}
			if s := x.Stats(1, "acme"); len(s.Entries) != 1 || s.Entries[doc.KindRow] != 1 {
				t.Errorf("stats %v", s)
			}
		})
	}
}

// noted is a wire that notes what passes, in order.
type noted struct {
	wire
	mu    sync.Mutex
	steps map[string][]string // by class
	fail  error               // of every remove
}

func (n *noted) note(class, step string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.steps[class] = append(n.steps[class], step)
}

func (n *noted) write(ctx context.Context, to tenantClass, objects []object) error {
	if isReserved(objects[0].id) {
		n.note(to.class, "reserved")
	}
	return n.wire.write(ctx, to, objects)
}

func (n *noted) remove(ctx context.Context, from tenantClass, ids []doc.EntryID) (int, error) {
	n.note(from.class, fmt.Sprint("delete ", len(ids)))
	if n.fail != nil {
		return 0, n.fail
	}
	return n.wire.remove(ctx, from, ids)
}

// Known failure 30: deletes are paced, one window at a time; and none is without the reserved entries before and after it,
// not even one that fails. A purge of nothing writes nothing.
func TestKnown30DeletesAreWindowsBetweenReservedEntries(t *testing.T) {
	t.Parallel()
	x := open(t, fresh(t))
	var entries []vector.Entry
	for i := range 2*window + 7 {
		entries = append(entries, vector.Entry{ID: place(1, 1, i, 0), Terms: []string{"row"}})
	}
	put(t, x, doc.KindRow, entries...)
	n := &noted{wire: x.wire, steps: map[string][]string{}, fail: errors.New("no")}
	x.wire = n
	rows := x.className(1, doc.KindRow)
	if _, err := x.Purge(t.Context(), 1, "acme", prefix(1), 0, 1); !errors.Is(err, n.fail) {
		t.Errorf("purge: %v", err)
	}
	n.fail = nil
	for range 2 {
		if _, err := x.Purge(t.Context(), 1, "acme", prefix(1), 0, 1); err != nil {
			t.Fatal(err)
		}
	}
	want := fmt.Sprint([]string{"reserved", "delete 1000", "reserved", "reserved", "delete 1000", "reserved", "reserved", "delete 1000", "reserved", "reserved", "delete 7", "reserved"})
	if got := fmt.Sprint(n.steps[rows]); got != want || len(n.steps) != 1 {
		t.Errorf("steps %v, want %v", n.steps, want)
	}
}

// Known failure 32: what concurrent batches wrote is all there, by count.
func TestKnown32NoVectorOfConcurrentBatchesIsLost(t *testing.T) {
	t.Parallel()
	x := open(t, fresh(t))
	var writers sync.WaitGroup
	for d := range byte(6) {
		writers.Go(func() {
			r := rand.New(rand.NewPCG(uint64(d), 1))
			var entries []vector.Entry
			for i := range 400 {
				entries = append(entries, vector.Entry{ID: place(d, 1, i, 0), Vector: vectortest.Unit(r, 32)})
			}
			if err := x.Put(t.Context(), 1, "acme", doc.KindChunk, entries); err != nil {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	for d := range byte(6) {
		if n, err := x.Count(t.Context(), 1, "acme", prefix(d), 1); n[doc.KindChunk] != 400 || err != nil {
			t.Errorf("document %d: %v, %v", d, n, err)
		}
	}
}

// Known failure 31: the switch to another build under load: no question fails, neither on the build that goes nor on the
// one that stays, and after it the old one is empty.
func TestKnown31ABuildIsDroppedUnderLoad(t *testing.T) {
	t.Parallel()
	x := open(t, fresh(t))
	other := open(t, x.conf) // another process
	e := vector.Entry{ID: place(1, 1, 1, 1), Terms: []string{"tariff"}}
	for b := vector.Build(1); b <= 2; b++ {
		if err := x.Put(t.Context(), b, "acme", doc.KindWindow, []vector.Entry{e}); err != nil {
			t.Fatal(err)
		}
	}
	reading, stop := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	for b := vector.Build(1); b <= 2; b++ {
		readers.Go(func() {
			for reading.Err() == nil {
				hits, err := other.Words(t.Context(), b, "acme", doc.KindWindow, vector.Terms, []string{"tariff"}, nil, 9)
				if err != nil || b == 2 && len(hits) != 1 {
					t.Errorf("build %d: %v, %v", b, hits, err)
					return
				}
			}
		})
	}
	err := x.DropBuild(t.Context(), 1)
	stop()
	readers.Wait()
	if err != nil {
		t.Fatal(err)
	}
	for _, ix := range []*Index{x, other} {
		if hits, err := ix.Words(t.Context(), 1, "acme", doc.KindWindow, vector.Terms, []string{"tariff"}, nil, 9); len(hits) != 0 || err != nil {
			t.Errorf("the dropped build: %v, %v", hits, err)
		}
	}
	if err := other.Put(t.Context(), 1, "acme", doc.KindWindow, []vector.Entry{e}); err != nil {
		t.Errorf("a process that did not see the drop writes: %v", err)
	}
}
