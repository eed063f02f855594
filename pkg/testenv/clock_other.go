//go:build !linux

package testenv

import "time"

// CPU is the time that f takes: the processor time of one thread is told on Linux only.
func CPU(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// Work is the time that f takes, as CPU.
func Work(f func()) time.Duration { return CPU(f) }
