//go:build unix

package pdf

import "syscall"

// limitSelf bounds what is left of this process should its parent die: CPU time, and no core dump.
func limitSelf() {
	_ = syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: 3600, Max: 3600})
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
}
