package realtest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/testenv"
)

// program builds the program once a version: two versions are two builds.
var program = func() func(t *testing.T, version string) string {
	var mu sync.Mutex
	made := map[string]string{}
	return func(t *testing.T, version string) string {
		t.Helper()
		mu.Lock()
		defer mu.Unlock()
		if made[version] != "" {
			return made[version]
		}
		file := filepath.Join(binaries, "fingerpost-"+version)
		cmd := exec.Command("go", "build", "-o", file, "-ldflags", "-s -w -X github.com/fingerpost/fingerpost/workers.Version="+version, "./workers/fingerpost")
		cmd.Dir = testenv.Root()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("build %s: %v\n%s", version, err, out)
		}
		made[version] = file
		return file
	}
}()

// binaries is the folder of the programs.
var binaries string

func TestMain(m *testing.M) {
	if gapped, err := testenv.Airgapped(); gapped {
		fmt.Fprintln(os.Stderr, err) // else another program stands here now
		os.Exit(1)
	}
	os.Exit(func() int {
		var err error
		if binaries, err = os.MkdirTemp("", "realtest"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(binaries)
		return m.Run()
	}())
}

// The builds.
const (
	oneBuild     = "0.1.0-one"
	anotherBuild = "0.1.1-another"
)

// job is a line of a worker's log about a job that ended.
type job struct {
	Time                      time.Time
	Msg, Stage, Key, Outcome  string
	Kind, Err, Level, Version string
}

// journal is what the workers of a system log.
type journal struct {
	mu   sync.Mutex
	jobs []job
	tail []string // the last lines, for when a test fails
}

// read reads a worker's log to its end.
func (j *journal) read(who string, from io.Reader) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var x job
		err := json.Unmarshal(lines.Bytes(), &x)
		j.mu.Lock()
		if err == nil && x.Msg == "job" {
			x.Version = who
			j.jobs = append(j.jobs, x)
		}
		if err != nil || x.Level != "INFO" {
			j.tail = append(j.tail, who+": "+lines.Text())
			j.tail = j.tail[max(0, len(j.tail)-60):]
		}
		j.mu.Unlock()
	}
}

// since is the first job after a moment that f picks.
func (j *journal) since(start time.Time, f func(job) bool) (first job, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, x := range j.jobs {
		if x.Time.After(start) && f(x) && (!ok || x.Time.Before(first.Time)) {
			first, ok = x, true
		}
	}
	return first, ok
}

// count is how many jobs f picks.
func (j *journal) count(f func(job) bool) (n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, x := range j.jobs {
		if f(x) {
			n++
		}
	}
	return n
}

func (j *journal) last() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Join(j.tail, "\n")
}

// hand is a process of the program.
type hand struct {
	who  string
	cmd  *exec.Cmd
	said chan struct{} // closed when it is ready
	over chan struct{} // closed at its end
}

// begin starts a process, which is ready when it says so.
func begin(t *testing.T, j *journal, who, ready string, command ...string) *hand {
	t.Helper()
	h := &hand{who: who, cmd: exec.Command(command[0], command[1:]...), said: make(chan struct{}), over: make(chan struct{})}
	h.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // it has children
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	log, err := h.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var reading sync.WaitGroup
	reading.Go(func() { j.read(who, log) })
	reading.Go(func() {
		var all bytes.Buffer
		tell := sync.OnceFunc(func() { close(h.said) })
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if all.WriteString(lines.Text()); strings.Contains(all.String(), ready) {
				tell()
			}
		}
	})
	go func() { reading.Wait(); _ = h.cmd.Wait(); close(h.over) }()
	t.Cleanup(func() { h.end(syscall.SIGKILL) })
	return h
}

// await waits until the process is ready.
func (h *hand) await(t *testing.T, j *journal) {
	t.Helper()
	select {
	case <-h.said:
	case <-h.over:
		t.Fatalf("%s ended before it was ready:\n%s", h.who, j.last())
	case <-time.After(2 * time.Minute):
		t.Fatalf("%s is not ready after two minutes:\n%s", h.who, j.last())
	}
}

// end signals the process and waits for its end.
func (h *hand) end(with syscall.Signal) {
	select {
	case <-h.over:
		return
	default:
	}
	_ = h.cmd.Process.Signal(with)
	select {
	case <-h.over:
	case <-time.After(time.Minute):
		_ = h.cmd.Process.Kill()
		<-h.over
	}
}
