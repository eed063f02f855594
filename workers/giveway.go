package workers

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

// giveWay lets what people wait for go first: embedding takes every core it gets for seconds, while a document that was
// just dropped needs milliseconds of it to be found by words. The zero value is ready.
type giveWay struct {
	busy atomic.Int32 // jobs of the other stages in hand
	last atomic.Int64 // when one began or ended, in nanoseconds since 1970
}

const (
	quiet    = 25 * time.Millisecond  // without other jobs; between two stages of a document there are some milliseconds
	mostWait = 500 * time.Millisecond // for one batch: a long load must not starve vectors
	lookEach = 5 * time.Millisecond
)

// first counts the jobs of a stage that bring a document to be found by words.
func (g *giveWay) first(s pipeline.Stage) pipeline.Stage {
	do := s.Do
	s.Do = func(ctx context.Context, j wire.Job) ([]pipeline.Next, error) {
		if j.Kind != wire.Dropped && j.Kind != wire.Parsed && j.Kind != wire.Chunked {
			return do(ctx, j) // vectors on their way to the index: to wait for these would be to wait for oneself
		}
		g.busy.Add(1)
		g.last.Store(time.Now().UnixNano())
		defer func() {
			g.busy.Add(-1)
			g.last.Store(time.Now().UnixNano())
		}()
		return do(ctx, j)
	}
	return s
}

// wait returns when the other stages have been quiet for a moment, when it has waited long enough, or when ctx ends.
func (g *giveWay) wait(ctx context.Context) {
	t := time.NewTicker(lookEach)
	defer t.Stop()
	for begin := time.Now(); time.Since(begin) < mostWait; {
		if g.busy.Load() == 0 && time.Since(time.Unix(0, g.last.Load())) >= quiet {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}
