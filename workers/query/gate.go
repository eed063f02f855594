package query

import (
	"sync"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// gate counts the requests of each tenant that are under way.
type gate struct {
	mu    sync.Mutex
	limit int
	busy  map[doc.Tenant]int
}

func newGate(limit int) *gate { return &gate{limit: max(limit, 1), busy: map[doc.Tenant]int{}} }

func (g *gate) enter(t doc.Tenant) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.busy[t] >= g.limit {
		return false
	}
	g.busy[t]++
	return true
}

func (g *gate) leave(t doc.Tenant) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.busy[t]--
}
