package testenv

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// airgapEnv has the test binary bring up the loopback interface of its own network namespace, and then run the program
// named in it, or the tests of its arguments.
const airgapEnv = "FINGERPOST_TEST_AIRGAP"

// loopback brings up the interface lo, the only one of a new namespace, and makes sure that nothing else is reached.
func loopback() error {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(s)
	var req struct {
		name  [16]byte
		flags uint16
		_     [22]byte
	}
	copy(req.name[:], "lo")
	req.flags = unix.IFF_UP | unix.IFF_RUNNING
	if _, _, no := unix.Syscall(unix.SYS_IOCTL, uintptr(s), unix.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&req))); no != 0 {
		return fmt.Errorf("lo up: %w", no)
	}
	c, err := net.DialTimeout("tcp", "192.0.2.1:80", time.Second)
	if err == nil {
		_ = c.Close()
	}
	if !errors.Is(err, unix.ENETUNREACH) {
		return fmt.Errorf("a dial out of the namespace says %v, not that there is no way", err)
	}
	return nil
}

// Airgapped is what TestMain does first: in a namespace of Alone it becomes the program that was named, and does not
// return. It returns whether it was in one, and why it could not.
func Airgapped() (bool, error) {
	program := os.Getenv(airgapEnv)
	if program == "" {
		return false, nil
	}
	if err := loopback(); err != nil {
		return true, err
	}
	if err := os.Unsetenv(airgapEnv); err != nil {
		return true, err
	}
	return true, syscall.Exec(program, append([]string{program}, os.Args[1:]...), os.Environ())
}

// Alone runs a program in a network namespace in which only loopback is up, and gives what it printed. An error of the
// program, or eight minutes without its end, fails the test. TestMain must call Airgapped.
func Alone(t *testing.T, program string, args ...string) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Env = append(os.Environ(), airgapEnv+"="+program)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) {
		Missing(t, "the right to make a network namespace")
	}
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", filepath.Base(program), args, err, tail(string(out)))
	}
	return string(out)
}
