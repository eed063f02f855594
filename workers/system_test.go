package workers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/blob/s3"
	"github.com/fingerpost/fingerpost/pkg/bus"
	busnats "github.com/fingerpost/fingerpost/pkg/bus/nats"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/embedding/scripted"
	"github.com/fingerpost/fingerpost/pkg/source/pdf"
	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/workers"
	"github.com/fingerpost/fingerpost/workers/gateway"
)

// A system is always a process of its own here, because a process runs one S3 gateway: the test binary starts
// itself again with systemEnv set. So a test may kill it at any moment.
const systemEnv = "FINGERPOST_TEST_SYSTEM"

func TestMain(m *testing.M) {
	pdf.ChildMain()
	if gapped, err := testenv.Airgapped(); gapped {
		fmt.Fprintln(os.Stderr, err) // else another program stands here now
		os.Exit(1)
	}
	if conf := os.Getenv(systemEnv); conf != "" {
		if err := serve(conf); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// systemConfig is what a test asks of the process.
type systemConfig struct {
	Config workers.Config
	// Scripted: the scripted embedder instead of the model.
	Scripted bool
	Poison   string        // texts that hold it get a vector of NaN
	Call     time.Duration // how long a call of it takes
	Gate     string        // calls of it wait until this file is there
	Second   bool          // another scripted embedder, which a re-index names "second"
	Rules    string        // another version of the rules of parsing: its Sources end with a line that names it
	// Scramble, if not 0, is the seed by which events are lost, doubled, swapped and invented.
	Scramble uint64
	Roles    []workers.Role // none: all
	Join     bool           // join the system that runs on the data folder
	Via      *via           // joined: how it reaches that system's servers
}

// serve is the process: it runs the system until it is terminated.
func serve(conf string) error {
	var sc systemConfig
	if err := json.Unmarshal([]byte(conf), &sc); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	var own workers.Own
	if sc.Scripted {
		o := []scripted.Option{scripted.Forgetful()} // nothing here asks what it was given
		if sc.Poison != "" {
			o = append(o, scripted.Poisoned(sc.Poison, scripted.NaN))
		}
		if sc.Call > 0 {
			o = append(o, scripted.Delay(sc.Call))
		}
		own.Embedder = scripted.New(o...)
		if sc.Gate != "" {
			own.Embedder = gated{own.Embedder, sc.Gate}
		}
	}
	if sc.Second {
		own.Second = scripted.New(scripted.Model("second"), scripted.Dimensions(48))
	}
	if own.Rules = sc.Rules; sc.Rules != "" {
		own.Read = readBy(sc.Rules)
	}
	if sc.Scramble != 0 {
		own.Events = newScrambler(sc.Scramble).event
	}
	log := slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelInfo}))
	if sc.Join {
		if err := sc.Config.Join(); err != nil {
			return err
		}
	}
	if sc.Via != nil {
		sc.Config.Servers.NATS.URLs, sc.Config.Servers.S3.Endpoint = []string{"nats://" + sc.Via.NATS}, sc.Via.S3
	}
	sys, err := workers.Open(ctx, sc.Config, own, log, sc.Roles...)
	if err != nil {
		return err
	}
	page, err := gateway.Listen(sc.Config.HTTP, sys.Health, sys.Live, sys.Routes()...)
	if err != nil {
		return err
	}
	defer page.Close()
	if err := sys.SetHTTP(page.Addr()); err != nil {
		return err
	}
	ready := make(chan struct{})
	go func() {
		<-ready
		fmt.Println("ready")
	}()
	return errors.Join(sys.Run(ctx, ready), sys.Close())
}

// system is a running process and clients of it.
type system struct {
	t     *testing.T
	conf  systemConfig
	cmd   *exec.Cmd
	alone bool // the test has clients of its own
	log   *lockedBuffer
	blobs *blob.Counted
	buses map[doc.Tenant]bus.Bus
	admin bus.Bus
}

// lockedBuffer collects what the process writes.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// testConfig is a system in a folder of the test, on free ports.
func testConfig(t *testing.T) workers.Config {
	c := workers.Defaults()
	c.Data, c.S3, c.NATS, c.HTTP = t.TempDir(), "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0"
	return c
}

// start runs a system and stops it at the end of the test.
func start(t *testing.T, conf systemConfig) *system {
	t.Helper()
	s := &system{t: t, conf: conf}
	s.up()
	t.Cleanup(func() {
		s.kill(syscall.SIGTERM)
		if t.Failed() {
			t.Logf("the system said:\n%s", tail(s.log.String(), 4000))
		}
	})
	return s
}

func tail(s string, n int) string { return s[max(0, len(s)-n):] }

// up starts the process and waits until it is ready.
func (s *system) up() {
	s.t.Helper()
	conf, err := json.Marshal(s.conf)
	if err != nil {
		s.t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	s.log = &lockedBuffer{}
	s.cmd = exec.Command(exe)
	s.cmd.Env = append(os.Environ(), systemEnv+"="+string(conf))
	s.cmd.Stderr = s.log
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	line := make([]byte, 6)
	if _, err := io.ReadFull(out, line); err != nil {
		_ = s.cmd.Wait()
		s.t.Fatalf("the system did not come up: %s", tail(s.log.String(), 3000))
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	if !s.conf.Join && !s.alone {
		s.connect()
	}
}

// connect makes clients from what the data folder says, as any program would.
func (s *system) connect() {
	s.t.Helper()
	a, err := workers.ReadAddresses(s.conf.Config.Data)
	if err != nil {
		s.t.Fatal(err)
	}
	k, err := workers.ReadKeys(s.conf.Config.Data)
	if err != nil {
		s.t.Fatal(err)
	}
	store, err := s3.New(s3.Config{Endpoint: a.S3, AccessKey: k.AccessKey, SecretKey: k.SecretKey})
	if err != nil {
		s.t.Fatal(err)
	}
	s.blobs = blob.Count(store)
	s.buses = map[doc.Tenant]bus.Bus{}
	for _, tn := range s.conf.Config.Tenants() {
		b, err := busnats.Connect(s.t.Context(), busnats.Options{URLs: []string{"nats://" + a.NATS}, CredsFile: workers.CredsFile(s.conf.Config.Data, tn)})
		if err != nil {
			s.t.Fatal(err)
		}
		s.t.Cleanup(func() { _ = b.Close() })
		s.buses[tn] = b
	}
	if s.admin, err = busnats.Connect(s.t.Context(), busnats.Options{URLs: []string{"nats://" + a.NATS}, CredsFile: workers.CredsFile(s.conf.Config.Data, "operator")}); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = s.admin.Close() })
}

// operate asks an admin verb.
func (s *system) operate(verb string, req, rep any) {
	s.t.Helper()
	b, err := json.Marshal(req)
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), 2*time.Minute)
	defer cancel()
	out, err := s.admin.Request(ctx, "fingerpost.admin."+verb, b)
	if err != nil {
		s.t.Fatalf("%s: %v", verb, err)
	}
	if err := json.Unmarshal(out, rep); err != nil {
		s.t.Fatalf("%s: %v", verb, err)
	}
}

// kill signals the process and waits for its end.
func (s *system) kill(sig syscall.Signal) {
	if s.cmd.ProcessState != nil {
		return
	}
	_ = s.cmd.Process.Signal(sig)
	_ = s.cmd.Wait()
}

// ask calls a verb for a tenant.
func (s *system) ask(tn doc.Tenant, v api.Verb, req, rep any) error {
	b, err := json.Marshal(req)
	if err != nil {
		return err
	}
	out, err := s.buses[tn].Request(s.t.Context(), api.Subject(tn, v), b)
	if err != nil {
		return err
	}
	return json.Unmarshal(out, rep)
}

// find asks the default tenant.
func (s *system) find(question string, k int) api.FindReply {
	s.t.Helper()
	var rep api.FindReply
	if err := s.ask("default", api.Find, api.FindRequest{Question: question, K: k}, &rep); err != nil {
		s.t.Fatal(err)
	}
	return rep
}

// put stores an object; an unanswered PUT is repeated, as a client does.
func (s *system) put(key, text string) {
	s.t.Helper()
	if err := s.tryPut(key, text); err != nil {
		s.t.Fatal(err)
	}
}

func (s *system) tryPut(key, text string) error {
	_, err := s.blobs.Put(s.t.Context(), "documents", key, bytes.NewReader([]byte(text)), int64(len(text)), blob.PutOptions{})
	return err
}

// documents lists every document of the default tenant by key.
func (s *system) documents() map[string]api.Document {
	s.t.Helper()
	all := map[string]api.Document{}
	for req := (api.DocumentsRequest{Limit: api.MaxPage}); ; {
		var rep api.DocumentsReply
		if err := s.ask("default", api.Documents, req, &rep); err != nil {
			s.t.Fatal(err)
		}
		for _, d := range rep.Documents {
			all[d.Key] = d
		}
		if req.Cursor = rep.Next; rep.Next == "" {
			return all
		}
	}
}

func (s *system) status() (st api.StatusReply) {
	s.t.Helper()
	if err := s.ask("default", api.Status, struct{}{}, &st); err != nil {
		s.t.Fatal(err)
	}
	return st
}

// until waits for a fact, looking every few milliseconds, and fails the test when it does not come.
func (s *system) until(what string, fact func() bool) {
	s.t.Helper()
	deadline := time.After(2 * time.Minute)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !fact() {
		select {
		case <-deadline:
			s.t.Fatalf("%s did not come to pass; status %+v", what, s.status())
		case <-tick.C:
		}
	}
}

// settled waits until n documents have ended and nothing is on its way, at the highest level.
func (s *system) settled(n int) {
	s.t.Helper()
	s.until(fmt.Sprintf("%d documents at rest", n), func() bool {
		st := s.status()
		d := st.Documents
		return d.Pending == 0 && d.Indexed+d.Skipped+d.Failed == n && st.Levels.Full == d.Indexed
	})
}

// refused starts a system that cannot start and gives the sentence it says.
func refused(t *testing.T, conf systemConfig) string {
	t.Helper()
	b, err := json.Marshal(conf)
	if err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = append(os.Environ(), systemEnv+"="+string(b))
	var out bytes.Buffer
	cmd.Stderr = &out
	if err := cmd.Run(); err == nil {
		t.Errorf("the system started all the same")
	}
	var said []string
	for line := range strings.Lines(out.String()) {
		if !strings.HasPrefix(line, "{") { // log lines apart
			said = append(said, line)
		}
	}
	return strings.Join(said, "")
}
