package realtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/blob/s3"
	"github.com/fingerpost/fingerpost/pkg/bus"
	busnats "github.com/fingerpost/fingerpost/pkg/bus/nats"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers"
	"github.com/fingerpost/fingerpost/workers/admin"
	"github.com/fingerpost/fingerpost/workers/audit"
)

// system is processes of the program, the servers below them, and clients.
type system struct {
	t      *testing.T
	file   string // fingerpost.yaml
	conf   workers.Config
	log    journal
	hands  map[workers.Role]*hand
	bus    bus.Bus
	admin  bus.Bus
	blobs  blob.Store
	tenant doc.Tenant

	patience time.Duration // for one fact
}

// servers are those below a system.
type servers struct {
	nats     []*testenv.NATSServer
	s3       *testenv.S3Server
	weaviate *testenv.WeaviateServer
	ollama   *testenv.OllamaServer
}

// natsURLs are the addresses of all nodes.
func (s servers) natsURLs() (urls []string) {
	for _, n := range s.nats {
		urls = append(urls, n.URL)
	}
	return urls
}

// events is the subject on which the S3 server tells of changes.
const events = wire.EventSubject + ".versitygw"

// real is a system on servers, with no process yet; tenant and bucket have one name.
func real(t *testing.T, on servers, tenant string, change func(*workers.Config)) *system {
	t.Helper()
	c := workers.Defaults()
	c.Data, c.HTTP, c.Embedder = t.TempDir(), "127.0.0.1:0", "none"
	c.Sources = []workers.Source{{Bucket: tenant, Tenant: tenant}}
	// versitygw marshals an event after it has answered, from memory that the next request writes to: now and then an event
	// names another object, and only a walk finds the one it was about.
	c.ReconcileEvery = 5 * time.Second
	c.Servers.NATS.URLs = on.natsURLs()
	c.Servers.S3 = workers.S3{Endpoint: on.s3.Endpoint, AccessKey: on.s3.AccessKey, SecretKey: on.s3.SecretKey}
	c.Servers.Weaviate = workers.Weaviate{URL: on.weaviate.URL, GRPC: on.weaviate.GRPC}
	if on.ollama != nil {
		c.Embedder, c.Servers.Ollama = "ollama", workers.Ollama{URL: on.ollama.URL, Model: "all-minilm"}
	}
	if change != nil {
		change(&c)
	}
	s := newSystem(t, c)
	s.clients(busnats.Options{URLs: on.natsURLs()}, busnats.Options{URLs: on.natsURLs()},
		s3.Config{Endpoint: on.s3.Endpoint, AccessKey: on.s3.AccessKey, SecretKey: on.s3.SecretKey})
	return s
}

// newSystem writes the configuration.
func newSystem(t *testing.T, c workers.Config) *system {
	t.Helper()
	s := &system{t: t, file: filepath.Join(t.TempDir(), "fingerpost.yaml"), conf: c, hands: map[workers.Role]*hand{}, tenant: c.Tenants()[0], patience: patience}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the workers said:\n%s", s.log.last())
		}
	})
	s.write(c)
	return s
}

// write writes the file that the processes read; secrets stand in it, unlike in what `config` prints.
func (s *system) write(c workers.Config) {
	s.t.Helper()
	text := c.YAML()
	if c.Servers.S3.AccessKey != "" { // the rest of the servers here has no secrets
		text = string(bytes.Replace(bytes.Replace([]byte(text), []byte("access_key: (hidden)"), []byte("access_key: "+c.Servers.S3.AccessKey), 1),
			[]byte("secret_key: (hidden)"), []byte("secret_key: "+c.Servers.S3.SecretKey), 1))
	}
	if err := os.WriteFile(s.file, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *system) clients(tenant, operator busnats.Options, store s3.Config) {
	s.t.Helper()
	connect := func(o busnats.Options) bus.Bus {
		ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
		defer cancel()
		b, err := busnats.Connect(ctx, o)
		if err != nil {
			s.t.Fatal(err)
		}
		s.t.Cleanup(func() { _ = b.Close() })
		return b
	}
	s.bus, s.admin = connect(tenant), connect(operator)
	var err error
	if s.blobs, err = s3.New(store); err != nil {
		s.t.Fatal(err)
	}
}

// work starts a process for each of the roles, all if none is named, of the build.
func (s *system) work(build string, roles ...workers.Role) {
	s.t.Helper()
	if len(roles) == 0 {
		roles = workers.Roles
	}
	for _, r := range roles { // at the same moment, as a supervisor does
		who := string(r) + " " + build
		s.hands[r] = begin(s.t, &s.log, who, "ready:", program(s.t, build), "worker", string(r), "--config", s.file)
	}
	for _, r := range roles {
		s.hands[r].await(s.t, &s.log)
	}
}

// stop ends the processes in order.
func (s *system) stop() {
	s.t.Helper()
	for _, h := range s.hands {
		_ = h.cmd.Process.Signal(syscall.SIGTERM)
	}
	for _, h := range s.hands {
		h.end(syscall.SIGTERM)
		if code := h.cmd.ProcessState.ExitCode(); code != 0 {
			s.t.Errorf("%s ended with %d", h.who, code)
		}
	}
	s.hands = map[workers.Role]*hand{}
}

// embedded is the default: everything in one process, which has started.
func embedded(t *testing.T, tenant string, change func(*workers.Config)) *system {
	t.Helper()
	c := workers.Defaults()
	c.Data, c.S3, c.NATS, c.HTTP = t.TempDir(), "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0"
	c.Sources = []workers.Source{{Bucket: tenant, Tenant: tenant}}
	if change != nil {
		change(&c)
	}
	s := newSystem(t, c)
	s.hands["up"] = begin(t, &s.log, "up", "is up", program(t, oneBuild), "up", "--config", s.file)
	s.hands["up"].await(t, &s.log)
	a, err := workers.ReadAddresses(c.Data)
	if err != nil {
		t.Fatal(err)
	}
	k, err := workers.ReadKeys(c.Data)
	if err != nil {
		t.Fatal(err)
	}
	as := func(who string) busnats.Options {
		return busnats.Options{URLs: []string{"nats://" + a.NATS}, CredsFile: workers.CredsFile(c.Data, doc.Tenant(who))}
	}
	s.clients(as(tenant), as("operator"), s3.Config{Endpoint: a.S3, AccessKey: k.AccessKey, SecretKey: k.SecretKey})
	return s
}

// put stores an object; what is not answered is put again, as clients do.
func (s *system) put(key string, text []byte) {
	s.t.Helper()
	s.until("an answered PUT of "+key, func() bool {
		_, err := s.blobs.Put(s.t.Context(), string(s.tenant), key, bytes.NewReader(text), int64(len(text)), blob.PutOptions{ContentType: "text/markdown"})
		return err == nil
	})
}

// ask asks a verb; an error is that no server answers, or what it says.
func (s *system) ask(v api.Verb, req, rep any) error {
	return request(s.t, s.bus, api.Subject(s.tenant, v), req, rep)
}

// operate asks an operator's verb.
func (s *system) operate(verb string, req, rep any) error {
	return request(s.t, s.admin, "fingerpost.admin."+verb, req, rep)
}

func request(t *testing.T, b bus.Bus, subject string, req, rep any) error {
	t.Helper()
	body, err := json.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := b.Request(ctx, subject, body)
	if err != nil {
		return err
	}
	return json.Unmarshal(out, rep)
}

// patience is how long a test waits for a fact.
const patience = 4 * time.Minute

// until waits for a fact.
func (s *system) until(what string, fact func() bool) {
	s.t.Helper()
	late, look := time.After(s.patience), time.NewTicker(50*time.Millisecond)
	defer look.Stop()
	for !fact() {
		select {
		case <-late:
			var st api.StatusReply
			err := s.ask(api.Status, struct{}{}, &st)
			s.t.Fatalf("not within %v: %s; status %+v, %v", s.patience, what, st, err)
		case <-look.C:
		}
	}
}

// settled waits until n documents are indexed at the highest level and nothing is on its way.
func (s *system) settled(n int) {
	s.t.Helper()
	s.until(fmt.Sprintf("%d documents indexed", n), func() bool {
		var st api.StatusReply
		if s.ask(api.Status, struct{}{}, &st) != nil {
			return false
		}
		if st.Documents.Failed+st.Documents.Skipped > 0 {
			s.t.Fatalf("documents are not indexed: %+v", st)
		}
		return st.Documents.Pending == 0 && st.Documents.Indexed == n && st.Levels.Full == n
	})
}

// once holds that n documents are indexed, each once: no dead letter, and each entry of the index belongs to the one
// version of a document that there is.
func (s *system) once(n int) {
	s.t.Helper()
	var rep audit.Report
	s.until("an audit that adds up", func() bool {
		rep = audit.Report{}
		return s.operate("audit", admin.AuditRequest{}, &rep) == nil && rep.OK()
	})
	if rep.Objects != n || rep.Indexed != n || rep.Failed+rep.Skipped > 0 {
		s.t.Errorf("audit: %+v, want %d indexed", rep, n)
	}
	var dead admin.DeadReply
	if err := s.operate("dead", admin.DeadRequest{Do: "ls"}, &dead); err != nil || len(dead.Letters) > 0 {
		s.t.Errorf("%d dead letters, %v: %+v", len(dead.Letters), err, dead.Letters)
	}
	for req := (api.DocumentsRequest{Limit: api.MaxPage}); ; {
		var page api.DocumentsReply
		if err := s.ask(api.Documents, req, &page); err != nil {
			s.t.Fatal(err)
		}
		for _, d := range page.Documents {
			if d.Generation != 1 {
				s.t.Errorf("%s has generation %d: it was taken for another version", d.Key, d.Generation)
			}
		}
		if req.Cursor = page.Next; page.Next == "" {
			return
		}
	}
}
