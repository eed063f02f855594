package mem

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/vector/vectortest"
)

var ctx = context.Background()

// windows is n windows of document d in generation g, a few words each.
func windows(r *rand.Rand, d byte, g doc.Generation, n int) (out []vector.Entry) {
	for i := range n {
		e := vector.Entry{ID: doc.Place{Prefix: doc.Prefix{d, 1}, Generation: g, Node: i / 9, Ordinal: i % 9}.ID()}
		for range 1 + r.IntN(20) {
			e.Terms = append(e.Terms, vectortest.Word(r, 500))
		}
		if i == 7 {
			e.Terms = append(e.Terms, slices.Repeat([]string{"often"}, 300)...)
		}
		out = append(out, e)
	}
	return out
}

func put(t *testing.T, ix *Index, entries []vector.Entry) {
	t.Helper()
	if err := ix.Put(ctx, 1, "acme", doc.KindWindow, entries); err != nil {
		t.Error(err)
	}
}

// TestMergedEqualsBuiltAtOnce rewrites documents from many goroutines, so that merges run behind them, and
// compares with an index that got what is left in one Put: to the last bit.
func TestMergedEqualsBuiltAtOnce(t *testing.T) {
	const docs, generations, each = 12, 8, 150
	ix, once := New(0), New(0)
	var wg sync.WaitGroup
	var left []vector.Entry
	for d := range byte(docs) {
		last := windows(rand.New(rand.NewPCG(uint64(d), generations)), d, generations, each)
		left = append(left, last...)
		wg.Go(func() {
			for g := doc.Generation(1); g <= generations; g++ {
				entries := windows(rand.New(rand.NewPCG(uint64(d), uint64(g))), d, g, each)
				put(t, ix, entries[:each/2])
				put(t, ix, entries[each/3:])
				if _, err := ix.Purge(ctx, 1, "acme", doc.Prefix{d, 1}, 0, g-1); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	put(t, once, left)
	if n := len(ix.see(1, "acme", doc.KindWindow)); n > 20 {
		t.Errorf("%d parts are left", n)
	}
	if ix.Len() != docs*each {
		t.Errorf("%d entries, want %d", ix.Len(), docs*each)
	}
	r := rand.New(rand.NewPCG(2, 2))
	for range 50 {
		terms := []string{vectortest.Word(r, 500), vectortest.Word(r, 500), "often"}
		a, _ := ix.Words(ctx, 1, "acme", doc.KindWindow, vector.Terms, terms, nil, 40)
		b, _ := once.Words(ctx, 1, "acme", doc.KindWindow, vector.Terms, terms, nil, 40)
		if !slices.Equal(a, b) {
			t.Fatalf("%q: unlike hits", terms)
		}
	}
}

func TestReadersDoNotWaitForWriters(t *testing.T) {
	ix := New(0)
	put(t, ix, windows(rand.New(rand.NewPCG(1, 1)), 1, 1, 50))
	l := ix.find(1, "acme", doc.KindWindow)
	l.mu.Lock() // a writer at work
	defer l.mu.Unlock()
	if hits, err := ix.Words(ctx, 1, "acme", doc.KindWindow, vector.Terms, []string{"w0"}, nil, 5); len(hits) == 0 || err != nil {
		t.Errorf("%v, %v", hits, err)
	}
	if n, err := ix.Count(ctx, 1, "acme", doc.Prefix{1, 1}, 1); n[doc.KindWindow] != 50 || err != nil {
		t.Errorf("%v, %v", n, err)
	}
}

func TestLimitHoldsAgainstManyWriters(t *testing.T) {
	ix := New(100)
	var wg sync.WaitGroup
	var mu sync.Mutex
	full := 0
	for d := range byte(20) {
		wg.Go(func() {
			err := ix.Put(ctx, 1, doc.Tenant(fmt.Sprint("t", d)), doc.KindWindow, windows(rand.New(rand.NewPCG(1, 1)), d, 1, 10))
			mu.Lock()
			defer mu.Unlock()
			switch {
			case errors.Is(err, vector.ErrFull):
				full++
			case err != nil:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if ix.Len() > 100 || ix.Len()%10 != 0 || full < 10 {
		t.Errorf("%d entries, %d puts refused", ix.Len(), full)
	}
}

func TestStats(t *testing.T) {
	ix := New(0)
	put(t, ix, windows(rand.New(rand.NewPCG(1, 1)), 1, 1, 50))
	s := ix.Stats(1, "acme")
	if s.Entries[doc.KindWindow] != 50 || s.Bytes < 50*16 {
		t.Errorf("%+v", s)
	}
	if s := ix.Stats(1, "zeta"); len(s.Entries) != 0 || s.Bytes != 0 {
		t.Errorf("another tenant: %+v", s)
	}
}
