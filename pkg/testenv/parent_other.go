//go:build !linux

package testenv

import "syscall"

// endWithParent does nothing where the system can't.
func endWithParent() *syscall.SysProcAttr { return nil }
