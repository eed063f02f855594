//go:build unix

package sqlite

import (
	"syscall"
	"time"
)

// cpu is the processor time this process has used: what a measurement means on a busy machine.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
