package testenv

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Process is a server of the test's own in a process of its own, which can be stopped and started again: its address and
// its data stay the same.
type Process struct {
	Name    string   // for errors
	Command []string // program and arguments
	Env     []string // beside the test's own
	Ready   string   // URL that is answered 200 once the server works

	cmd  *exec.Cmd
	log  *Log
	over chan struct{} // closed at the end of the process
}

// Log collects what a process writes.
type Log struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// String is what was written so far.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// startWithin is how long a server may take until it works.
const startWithin = time.Minute

// Start starts the process and waits until it works.
func (p *Process) Start() error {
	if err := p.Launch(); err != nil {
		return err
	}
	return p.Await()
}

// Launch starts the process and does not wait.
func (p *Process) Launch() error {
	p.log, p.over = &Log{}, make(chan struct{})
	p.cmd = exec.Command(p.Command[0], p.Command[1:]...)
	p.cmd.Env = append(os.Environ(), p.Env...)
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	p.cmd.SysProcAttr = endWithParent()
	if err := p.cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	go func(cmd *exec.Cmd, over chan struct{}) { _ = cmd.Wait(); close(over) }(p.cmd, p.over)
	return nil
}

// Await waits until the process works.
func (p *Process) Await() error {
	ctx, cancel := context.WithTimeout(context.Background(), startWithin)
	defer cancel()
	go func(over chan struct{}) { // a later Launch has another
		select {
		case <-over:
			cancel()
		case <-ctx.Done():
		}
	}(p.over)
	if err := answers(ctx, p.Ready); err != nil {
		return fmt.Errorf("%s: %w\n%s", p.Name, err, tail(p.log.String()))
	}
	return nil
}

// Stop ends the process in order and waits for it. Safe to call twice.
func (p *Process) Stop() { p.end(syscall.SIGTERM) }

// Kill ends the process at once, as a crash would. Safe to call twice.
func (p *Process) Kill() { p.end(syscall.SIGKILL) }

// PID is the process, 0 when it does not run.
func (p *Process) PID() int {
	if p.cmd == nil {
		return 0
	}
	return p.cmd.Process.Pid
}

func (p *Process) end(with syscall.Signal) {
	if p.cmd == nil {
		return
	}
	_ = p.cmd.Process.Signal(with) // it may have ended already
	select {
	case <-p.over:
	case <-time.After(startWithin):
		_ = p.cmd.Process.Kill()
		<-p.over
	}
	p.cmd = nil
}

// built is the program that a script of scripts/ put into the user's cache folder; Missing when it has not run.
func built(t testing.TB, pattern, script string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(cache, "fingerpost", "bin", pattern))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		Missing(t, "a server ("+script+" builds it)")
	}
	return found[len(found)-1]
}
