//go:build clockjump

package workers_test

import (
	"math/rand/v2"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
	_ "unsafe" // for go:linkname
)

// clockJump is how far time.Now is off in this process, in seconds. It is there only in a build with the overlay that
// scripts/chaos --clock makes of package time.
//
//go:linkname clockJump time.clockJump
var clockJump int64

// farthest is how far a clock may be off: with more than a quarter of an hour S3 refuses every signature, as it must.
const farthest = 600

func init() {
	jumps = true
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR1)
	go func() {
		for range asked {
			atomic.StoreInt64(&clockJump, rand.Int64N(2*farthest)-farthest)
		}
	}()
	before := time.Now()
	atomic.StoreInt64(&clockJump, farthest)
	if time.Now().Round(0).Sub(before.Round(0)) < farthest/2*time.Second {
		panic("time.Now does not jump: was this built with the overlay?")
	}
	atomic.StoreInt64(&clockJump, 0)
}
