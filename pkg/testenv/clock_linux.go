package testenv

import (
	"runtime"
	"syscall"
	"time"
)

// CPU is the processor time that f takes on its own thread, so that other work on a shared machine does not count.
func CPU(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const thread = 1 // RUSAGE_THREAD
	var from, to syscall.Rusage
	_ = syscall.Getrusage(thread, &from)
	f()
	_ = syscall.Getrusage(thread, &to)
	return time.Duration(to.Utime.Nano() - from.Utime.Nano() + to.Stime.Nano() - from.Stime.Nano())
}
