package workers

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/retry"
)

// listener is a store that tells those who are connected of its changes.
type listener interface {
	Listen(ctx context.Context, bucket string, up func(), told func(key string)) error
}

// relisten bounds the wait for the next try.
const relisten = 30 * time.Second

// hear listens to the buckets of the sources until ctx ends, when the configuration says so. What is heard wakes intake,
// which looks at the object itself; each time a connection is made the buckets are walked, for nobody tells what happened
// before. So a lost, false or doubled word costs at most a look.
func (s *System) hear(ctx context.Context, walk func(context.Context)) {
	l, ok := s.Blobs.(listener)
	if !ok || !s.Config.Servers.S3.Listen {
		return
	}
	missed := make(chan struct{}, 1)
	miss := func() {
		select {
		case missed <- struct{}{}:
		default: // a walk is due already
		}
	}
	var all sync.WaitGroup
	for _, bucket := range s.Config.sourceBuckets() {
		all.Go(func() { s.hearBucket(ctx, l, bucket, miss) })
	}
	all.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-missed:
				walk(ctx)
			}
		}
	})
	all.Wait()
}

func (s *System) hearBucket(ctx context.Context, l listener, bucket string, miss func()) {
	told := func(key string) {
		if err := s.look(ctx, bucket, key); err != nil && ctx.Err() == nil {
			s.Log.Warn("what the store told could not be passed on; the buckets are walked", "bucket", bucket, "key", key, "err", err)
			miss()
		}
	}
	for tries := 1; ctx.Err() == nil; tries++ {
		err := l.Listen(ctx, bucket, func() { tries = 1; miss() }, told)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, blob.ErrUnsupported):
			s.Log.Warn("servers.s3.listen is set, and this store cannot be listened to: changes are found by its own events or by the walk", "bucket", bucket)
			return
		}
		wait := min(retry.Delay(tries), relisten)
		s.Log.Warn("listening to the store is cut off; it is tried again, and the buckets are walked then", "bucket", bucket, "wait", wait, "err", err)
		t := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			t.Stop()
			return
		case <-t.C:
		}
	}
}
