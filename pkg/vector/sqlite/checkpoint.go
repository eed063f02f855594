package sqlite

import (
	"sync"
	"sync/atomic"
)

// When the log is moved, and from what length on writers are held up until all of it is.
const (
	moveBytes  = 8 << 20
	stopFrames = 64 << 10
)

// checkpointer moves the write-ahead log into the file, beside the writers, so that no Put waits for the disk.
type checkpointer struct {
	bytes atomic.Int64 // written since the last time
	wake  chan struct{}
	done  chan struct{}
	once  sync.Once
}

func (c *checkpointer) start(x *Index) {
	c.wake, c.done = make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(c.done)
		for range c.wake {
			c.move(x)
		}
	}()
}

func (c *checkpointer) wrote(n int) {
	if c.bytes.Add(int64(n)) < moveBytes {
		return
	}
	c.bytes.Store(0)
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// move copies what is committed; an error is left to the next time, or to Close.
func (c *checkpointer) move(x *Index) {
	var busy, frames, moved int
	err := x.read.QueryRow("PRAGMA wal_checkpoint(PASSIVE)").Scan(&busy, &frames, &moved)
	if err != nil || frames < stopFrames {
		return
	}
	x.schema.Lock()
	defer x.schema.Unlock()
	x.write.QueryRow("PRAGMA wal_checkpoint(RESTART)").Scan(&busy, &frames, &moved)
}

func (c *checkpointer) stop() {
	if c.wake == nil {
		return
	}
	c.once.Do(func() { close(c.wake) })
	<-c.done
}
