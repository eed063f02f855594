package weaviate

import (
	"sync"
	"time"
)

// pace sizes the batches by how long the last ones took: the server says to stay under ten seconds a batch, and
// answers a larger one no faster. What it can't take is felt upstream as a slow Put.
type pace struct {
	mu   sync.Mutex
	size int // objects a batch
}

// The bounds of a batch.
const (
	firstBatch = 500
	leastBatch = 25
	mostBatch  = 1000
	batchBytes = 8 << 20
	slow       = 4 * time.Second
	quick      = time.Second
)

// next is how many of the objects the next batch takes: at least one.
func (p *pace) next(objects []object) int {
	p.mu.Lock()
	most := p.size
	p.mu.Unlock()
	if most == 0 {
		most = firstBatch
	}
	bytes := 0
	for i := range objects[:min(most, len(objects))] {
		if bytes += objects[i].size(); bytes > batchBytes && i > 0 {
			return i
		}
	}
	return min(most, len(objects))
}

// measure sends a batch and sizes those to come.
func (p *pace) measure(send func() error) error {
	start := time.Now()
	err := send()
	p.took(time.Since(start), err)
	return err
}

func (p *pace) took(d time.Duration, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.size == 0 {
		p.size = firstBatch
	}
	switch {
	case d > slow || err != nil && d > quick:
		p.size = max(leastBatch, p.size/2)
	case d < quick && err == nil:
		p.size = min(mostBatch, p.size+p.size/8)
	}
}
