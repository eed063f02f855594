package intake

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

// floods counts how many jobs of each tenant wait for parse in the live lane: asked of the stream a few times a second,
// and counted on between.
type floods struct {
	mu sync.Mutex
	of map[doc.Tenant]*flood
}

type flood struct {
	jobs  uint64
	asked time.Time
}

// askEvery is how long a count is counted on.
const askEvery = 250 * time.Millisecond

// lane is live until so many jobs of the tenant wait that this is a bulk load; other tenants stay live. A removal is
// always live.
func (w *Worker) lane(ctx context.Context, t doc.Tenant, s wire.Stage) (wire.Lane, error) {
	if s != wire.Parse || w.BulkOver == 0 {
		return wire.Live, nil
	}
	w.floods.mu.Lock()
	defer w.floods.mu.Unlock()
	if w.floods.of == nil {
		w.floods.of = map[doc.Tenant]*flood{}
	}
	f := w.floods.of[t]
	if f == nil {
		f = &flood{}
		w.floods.of[t] = f
	}
	if time.Since(f.asked) > askEvery {
		n, err := w.Bus.Waiting(ctx, wire.StreamName(wire.Live, s), fmt.Sprintf("fp.%s.%s.%s.>", wire.Live, s, t))
		if err != nil {
			return "", err
		}
		f.jobs, f.asked = n, time.Now()
	}
	if f.jobs > w.BulkOver {
		return wire.Bulk, nil
	}
	f.jobs++
	return wire.Live, nil
}
