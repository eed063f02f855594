//go:build !linux

package layout

import "time"

// cpu is the time that f takes.
func cpu(f func()) time.Duration {
	begin := time.Now()
	f()
	return time.Since(begin)
}
