package testenv

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// OllamaServer is a real Ollama server on a free loopback port, ended with its test. It holds the models
// all-minilm and smollm2:135m, which compute with one thread.
type OllamaServer struct {
	URL string // http://127.0.0.1:port

	binary, store string
	cmd           *exec.Cmd
	log           *os.File
}

// ollamaVersion is that of scripts/servers-ollama.
const ollamaVersion = "v0.17.4"

// Ollama starts a server; Missing when scripts/servers-models has not run on this machine.
func Ollama(t testing.TB) *OllamaServer {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	built, err := filepath.Glob(filepath.Join(cache, "fingerpost", "ollama-"+ollamaVersion+"-r*", "bin", "ollama"))
	if err != nil {
		t.Fatal(err)
	}
	store := filepath.Join(cache, "fingerpost", "ollama-models-r2")
	if _, err := os.Stat(filepath.Join(store, ".ok")); err != nil || len(built) == 0 {
		Missing(t, "Ollama "+ollamaVersion+" with its models (scripts/servers-models builds it)")
	}
	s := &OllamaServer{binary: built[len(built)-1], store: store}
	if s.log, err = os.Create(filepath.Join(t.TempDir(), "ollama.log")); err != nil {
		t.Fatal(err)
	}
	s.URL = "http://" + freeAddress(t)
	t.Cleanup(func() { s.Stop(); s.log.Close() })
	s.Start(t)
	return s
}

// Start starts the server anew under its address and waits until it answers.
func (s *OllamaServer) Start(t testing.TB) {
	t.Helper()
	s.cmd = exec.Command(s.binary, "serve")
	s.cmd.Env = append(os.Environ(), "OLLAMA_HOST="+s.URL, "OLLAMA_MODELS="+s.store, "OLLAMA_NOPRUNE=1")
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // its model runner ends with it
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := answers(ctx, s.URL+"/api/version"); err != nil {
		b, _ := os.ReadFile(s.log.Name())
		t.Fatalf("ollama: %v\n%s", err, b)
	}
}

// Stop kills the server and its model runner, as a crash would. Safe to call twice.
func (s *OllamaServer) Stop() {
	if s.cmd == nil || s.cmd.Process == nil {
		return
	}
	_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL) // it may have ended already
	_ = s.cmd.Wait()                                      // "killed"
	s.cmd = nil
}

// addresses were given out by this process: the system may offer one twice before it is listened on.
var addresses struct {
	sync.Mutex
	given map[string]bool
}

// freeAddress is a loopback address on which nobody listened a moment ago.
func freeAddress(t testing.TB) string {
	t.Helper()
	addresses.Lock()
	defer addresses.Unlock()
	for {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		a := l.Addr().String()
		l.Close()
		if !addresses.given[a] {
			if addresses.given == nil {
				addresses.given = map[string]bool{}
			}
			addresses.given[a] = true
			return a
		}
	}
}

// answers waits until a GET of url is answered 200.
func answers(ctx context.Context, url string) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(r)
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
			err = fmt.Errorf("status %d", resp.StatusCode)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("%s: %w: %w", url, ctx.Err(), err)
		}
	}
}
