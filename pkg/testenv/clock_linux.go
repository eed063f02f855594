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
	return worked(thread, f)
}

// Work is the processor time that the whole process takes while f runs, on all its threads.
func Work(f func()) time.Duration { return worked(syscall.RUSAGE_SELF, f) }

func worked(who int, f func()) time.Duration {
	var from, to syscall.Rusage
	_ = syscall.Getrusage(who, &from)
	f()
	_ = syscall.Getrusage(who, &to)
	return time.Duration(to.Utime.Nano() - from.Utime.Nano() + to.Stime.Nano() - from.Stime.Nano())
}
