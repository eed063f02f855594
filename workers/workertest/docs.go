package workertest

import (
	"context"
	"sync"

	"github.com/fingerpost/fingerpost/pkg/bus"
)

// Docs is FP_DOCS, whose watch can be held back: reads and writes are as ever, but who follows the changes
// learns of none until it is let go.
type Docs struct {
	bus.KV
	mu sync.Mutex // held: the watch tells nothing
}

// Hold holds the watch back until the function it returns is called.
func (d *Docs) Hold() (release func()) {
	d.mu.Lock()
	return sync.OnceFunc(d.mu.Unlock)
}

// Watch passes on what may be told.
func (d *Docs) Watch(ctx context.Context, prefix string, ready chan<- struct{}, f func(key string, value []byte, revision uint64)) error {
	return d.KV.Watch(ctx, prefix, ready, func(k string, v []byte, rev uint64) {
		d.mu.Lock()
		defer d.mu.Unlock()
		f(k, v, rev)
	})
}
