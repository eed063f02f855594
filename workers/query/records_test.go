package query_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// slow is FP_DOCS whose reads wait until so many are under way at once, or until nobody else will come.
type slow struct {
	bus.KV
	mu         sync.Mutex
	busy, most int
	want       int
	met        chan struct{}
}

func (s *slow) Get(ctx context.Context, key string) ([]byte, uint64, error) {
	s.mu.Lock()
	s.busy++
	if s.most = max(s.most, s.busy); s.busy == s.want {
		close(s.met)
	}
	s.mu.Unlock()
	select {
	case <-s.met:
	case <-ctx.Done():
	}
	s.mu.Lock()
	s.busy--
	s.mu.Unlock()
	return s.KV.Get(ctx, key)
}

// The documents of the best candidates are looked up side by side: reads that wait for one another do not wait for ever.
func TestDocumentsAreLookedUpSideBySide(t *testing.T) {
	h := workertest.Open(t, workertest.Config{NoVectors: true})
	for i := range 8 {
		h.Put(fmt.Sprint(i, ".md"), paper(fmt.Sprint("Paper ", i), 1))
	}
	h.Settle()
	s := &slow{KV: h.Docs, want: 4, met: make(chan struct{})}
	h.Query.Ledger = ledger.New(s, nil, nil)
	if got := find(t, h, "paper", 4); len(got) != 4 || s.most < 4 {
		t.Errorf("%d places, %d read at once", len(got), s.most)
	}
}
