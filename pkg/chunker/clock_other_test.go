//go:build !linux

package chunker

import "time"

// cpu is the time that f takes.
func cpu(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}
