package testenv

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// WeaviateServer is a Weaviate of the test's own, in a process of its own, on free ports of the loopback interface.
type WeaviateServer struct {
	URL  string // http://127.0.0.1:port
	GRPC string // 127.0.0.1:port
	Dir  string // its data

	env  []string
	port int
	cmd  *exec.Cmd
	log  *bytes.Buffer
	over chan error // the end of the process
}

// Weaviate starts a server with empty data and waits until it is ready, about four seconds; it ends with the test.
// Missing when scripts/servers-weaviate has not built it. Its gRPC and cluster ports listen on every interface: run the
// tests by `scripts/servers-weaviate alone` where that matters.
func Weaviate(t testing.TB) *WeaviateServer {
	t.Helper()
	s, err := StartWeaviate(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if s == nil {
		Missing(t, "Weaviate (scripts/servers-weaviate builds it)")
	}
	t.Cleanup(s.Stop)
	return s
}

// StartWeaviate starts a server with its data below dir, for tests that share one; nil when it is not built. env are settings of its own.
func StartWeaviate(dir string, env ...string) (*WeaviateServer, error) {
	if exec.Command(weaviateScript(), "have").Run() != nil {
		return nil, nil
	}
	s := &WeaviateServer{Dir: dir, env: env}
	var err error
	for range 5 { // another process may take a port between the look and the start
		if s.port, err = freeBlock(6); err != nil {
			return nil, err
		}
		s.URL, s.GRPC = fmt.Sprintf("http://127.0.0.1:%d", s.port), fmt.Sprintf("127.0.0.1:%d", s.port+1)
		if err = s.Start(); err == nil {
			return s, nil
		}
		s.Stop()
	}
	return nil, err
}

func weaviateScript() string { return filepath.Join(Root(), "scripts", "servers-weaviate") }

// Start starts the process, again after Stop, with the same ports and data.
func (s *WeaviateServer) Start() error {
	s.log, s.over = &bytes.Buffer{}, make(chan error, 1)
	s.cmd = exec.Command(weaviateScript(), "run", s.Dir, fmt.Sprint(s.port))
	s.cmd.Env = append(append(os.Environ(), "PERSISTENCE_MEMTABLES_FLUSH_DIRTY_AFTER_SECONDS=1"), s.env...) // tests wait for it
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	s.cmd.SysProcAttr = endWithParent()
	if err := s.cmd.Start(); err != nil {
		return err
	}
	go func(cmd *exec.Cmd, over chan error) { over <- cmd.Wait() }(s.cmd, s.over)
	return s.ready(2 * time.Minute)
}

// ready waits until the server answers.
func (s *WeaviateServer) ready(within time.Duration) error {
	deadline := time.After(within)
	for {
		r, err := http.Get(s.URL + "/v1/.well-known/ready")
		if err == nil {
			r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case end := <-s.over:
			s.over <- end
			return fmt.Errorf("weaviate on port %d ended: %v\n%s", s.port, end, tail(s.log.String()))
		case <-deadline:
			return fmt.Errorf("weaviate on port %d is not ready after %v", s.port, within)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Stop ends the process and waits for it. Safe to call twice.
func (s *WeaviateServer) Stop() { s.end(syscall.SIGTERM) }

// Kill ends the process at once, as a crash would.
func (s *WeaviateServer) Kill() { s.end(syscall.SIGKILL) }

func (s *WeaviateServer) end(with syscall.Signal) {
	if s.cmd == nil || s.cmd.Process == nil {
		return
	}
	_ = s.cmd.Process.Signal(with)
	select {
	case <-s.over:
	case <-time.After(30 * time.Second):
		_ = s.cmd.Process.Kill()
		<-s.over
	}
	s.cmd = nil
}

// PID is the process, 0 when it does not run.
func (s *WeaviateServer) PID() int {
	if s.cmd == nil {
		return 0
	}
	return s.cmd.Process.Pid
}

// freeBlock is the first of n neighbouring ports that are free, below those that the system hands out by itself.
func freeBlock(n int) (int, error) {
	for range 100 {
		first := 20_000 + rand.IntN(10_000)
		if allFree(first, n) {
			return first, nil
		}
	}
	return 0, fmt.Errorf("no %d neighbouring ports are free", n)
}

func allFree(first, n int) bool {
	for p := first; p < first+n; p++ {
		l, err := net.Listen("tcp", fmt.Sprintf(":%d", p))
		if err != nil {
			return false
		}
		l.Close()
	}
	return true
}

// tail is the end of a log.
func tail(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}
