package layout

import (
	"runtime"
	"syscall"
	"time"
)

// cpu is the processor time that f takes on its own thread: other work on the machine does not
// count.
func cpu(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const thisThread = 1 // RUSAGE_THREAD
	var before, after syscall.Rusage
	_ = syscall.Getrusage(thisThread, &before)
	f()
	_ = syscall.Getrusage(thisThread, &after)
	return time.Duration(after.Utime.Nano() - before.Utime.Nano() + after.Stime.Nano() - before.Stime.Nano())
}
