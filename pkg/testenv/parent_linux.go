package testenv

import "syscall"

// endWithParent ends a server when the test process dies without its clean-up.
func endWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
