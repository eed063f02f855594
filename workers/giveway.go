package workers

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

// giveWay lets what people wait for go first: embedding takes every core it gets for seconds, while a document that was
// just dropped needs milliseconds of it to be found by words; and what comes in the bulk lane (a re-index, a first load)
// has time. The zero value is ready.
type giveWay struct {
	live traffic    // jobs of the live lane that bring a document to be found by words
	all  traffic    // those of both lanes
	turn sync.Mutex // of bulk jobs while there is live traffic: one at a time over all stages
}

// traffic is jobs in hand.
type traffic struct {
	busy atomic.Int32
	last atomic.Int64 // when one began or ended, in nanoseconds since 1970
}

const (
	recently = time.Second            // since a live job ended: there may be more of them
	quiet    = 25 * time.Millisecond  // without such jobs; between two stages of a document there are some milliseconds
	mostWait = 500 * time.Millisecond // for one batch, or one job: a long load must not starve the others
	lookEach = 5 * time.Millisecond
)

// first counts the jobs of a stage that bring a document to be found by words. Those of the bulk lane wait for the live
// ones, and go one by one while there are any: each that runs beside a live one takes of its time.
func (g *giveWay) first(s pipeline.Stage) pipeline.Stage {
	do := s.Do
	s.Do = func(ctx context.Context, j wire.Job) ([]pipeline.Next, error) {
		bulk := pipeline.LaneOf(ctx) == wire.Bulk
		if bulk && j.Kind != wire.Removed && g.live.lately() {
			g.turn.Lock()
			defer g.turn.Unlock()
			g.live.wait(ctx)
		}
		if j.Kind != wire.Dropped && j.Kind != wire.Parsed && j.Kind != wire.Chunked {
			return do(ctx, j) // vectors on their way to the index: to wait for these would be to wait for oneself
		}
		if !bulk {
			defer g.live.enter()()
		}
		defer g.all.enter()()
		return do(ctx, j)
	}
	return s
}

// wait is what embedding does before each batch.
func (g *giveWay) wait(ctx context.Context) { g.all.wait(ctx) }

// enter begins a job, until what it returns is called.
func (t *traffic) enter() (leave func()) {
	t.busy.Add(1)
	t.last.Store(time.Now().UnixNano())
	return func() {
		t.busy.Add(-1)
		t.last.Store(time.Now().UnixNano())
	}
}

// lately reports whether there is such a job, or was one a moment ago.
func (t *traffic) lately() bool {
	return t.busy.Load() > 0 || time.Since(time.Unix(0, t.last.Load())) < recently
}

// wait returns when there has been no such job for a moment, when it has waited long enough, or when ctx ends.
func (t *traffic) wait(ctx context.Context) {
	look := time.NewTicker(lookEach)
	defer look.Stop()
	for begin := time.Now(); time.Since(begin) < mostWait; {
		if t.busy.Load() == 0 && time.Since(time.Unix(0, t.last.Load())) >= quiet {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
}
