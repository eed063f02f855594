package embedded_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/bus/nats"
	"github.com/fingerpost/fingerpost/pkg/bus/nats/embedded"
	"github.com/fingerpost/fingerpost/pkg/doc"
)

func start(t *testing.T, opt embedded.Options) *embedded.Server {
	t.Helper()
	s, err := embedded.Start(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop() })
	return s
}

func connect(t *testing.T, opt nats.Options) *nats.Bus {
	t.Helper()
	b, err := nats.Connect(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// serve answers fingerpost.*.find with the subject that it was asked on, and fingerpost.admin.ping.
func serve(t *testing.T, b *nats.Bus) {
	t.Helper()
	echo := func(_ context.Context, subject string, _ []byte) ([]byte, error) { return []byte(subject), nil }
	ready, done := make(chan struct{}), make(chan error, 1)
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		done <- b.Serve(ctx, bus.Service{Name: "query", Version: "1.0.0", Ready: ready, Endpoints: []bus.Endpoint{
			{Name: "find", Subject: "fingerpost.*.find", Handle: echo}, {Name: "ping", Subject: "fingerpost.admin.ping", Handle: echo}}})
	}()
	<-ready
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestRequestWithTenantCreds(t *testing.T) {
	s := start(t, embedded.Options{Dir: t.TempDir(), Tenants: []doc.Tenant{"default", "other"}})
	serve(t, connect(t, s.Client()))
	for _, tenant := range []doc.Tenant{"default", "other"} {
		b := connect(t, nats.Options{URLs: []string{s.URL()}, CredsFile: s.TenantCreds(tenant)})
		got, err := b.Request(t.Context(), "fingerpost."+string(tenant)+".find", []byte("{}"))
		if want := "fingerpost." + string(tenant) + ".find"; err != nil || string(got) != want {
			t.Errorf("the service saw %q, %v; want %q", got, err, want)
		}
	}
}

func TestOperatorSeesServices(t *testing.T) {
	s := start(t, embedded.Options{Dir: t.TempDir(), Tenants: []doc.Tenant{"default"}})
	serve(t, connect(t, s.Client()))
	b := connect(t, nats.Options{URLs: []string{s.URL()}, CredsFile: s.OperatorCreds()})
	for _, subject := range []string{"$SRV.PING", "$SRV.INFO.query", "$SRV.STATS", "fingerpost.admin.ping"} {
		if got, err := b.Request(t.Context(), subject, nil); err != nil || len(got) == 0 {
			t.Errorf("%s: %q, %v", subject, got, err)
		}
	}

	serve(t, connect(t, s.Client()))
	nc, _ := raw(t, s, s.OperatorCreds())
	sub, err := nc.SubscribeSync(nc.NewInbox())
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.PublishRequest("$SRV.PING", sub.Subject, nil); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if _, err := sub.NextMsg(10 * time.Second); err != nil {
			t.Fatalf("%d of two workers answer: %v", i, err)
		}
	}
}

// Who may only ask names a stream or the server's interface as the place of the reply, for the service to
// publish there with its own rights.
func TestRepliesCannotBeSmuggled(t *testing.T) {
	s := start(t, embedded.Options{Dir: t.TempDir(), Tenants: []doc.Tenant{"a"}})
	ours := connect(t, s.Client())
	serve(t, ours)
	if err := ours.Declare(t.Context(), []bus.Stream{{Name: "FP_PARSE", Subjects: []string{"fp.>"}, MaxBytes: 1 << 20}}, nil); err != nil {
		t.Fatal(err)
	}
	if err := ours.Publish(t.Context(), bus.Message{Subject: "fp.x", Data: []byte("kept")}); err != nil {
		t.Fatal(err)
	}
	for creds, subjects := range map[string][]string{s.OperatorCreds(): {"$SRV.PING", "$SRV.INFO", "fingerpost.admin.ping"}, s.TenantCreds("a"): {"fingerpost.a.find"}} {
		nc, _ := raw(t, s, creds)
		for _, subject := range subjects {
			for _, reply := range []string{"fp.live.parse.a.x", "$JS.API.STREAM.PURGE.FP_PARSE", "fingerpost.b.find", "fingerpost.a.find", "_R_.x", "$SRV.PING"} {
				if err := nc.PublishRequest(subject, reply, nil); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := nc.Request(subject, nil, 10*time.Second); err != nil { // comes after those above
				t.Errorf("%s: %v", subject, err)
			}
		}
	}
	if n, _, err := ours.Backlog(t.Context(), "FP_PARSE"); n != 1 || err != nil {
		t.Errorf("%d messages in the stream, %v; want the 1 that was there", n, err)
	}
}

// A refusal is told at once, as one; without it the request would wait for its time to run out.
func TestForeignTenantIsDeniedAtOnce(t *testing.T) {
	s := start(t, embedded.Options{Dir: t.TempDir(), Tenants: []doc.Tenant{"a", "b"}})
	serve(t, connect(t, s.Client()))
	b := connect(t, nats.Options{URLs: []string{s.URL()}, CredsFile: s.TenantCreds("a"), Timeout: time.Hour})
	for _, subject := range []string{"fingerpost.b.find", "fingerpost.admin.ping"} {
		if _, err := b.Request(t.Context(), subject, nil); !errors.Is(err, bus.ErrDenied) || !strings.Contains(err.Error(), subject) {
			t.Errorf("%s: %v, want a denial", subject, err)
		}
	}
	if err := b.Publish(t.Context(), bus.Message{Subject: "fp.live.parse.a.x"}); !errors.Is(err, bus.ErrDenied) {
		t.Errorf("publish: %v, want a denial", err)
	}
}

// raw is a connection as any NATS program makes it, with the errors that the server sends.
func raw(t *testing.T, s *embedded.Server, creds string) (*natsgo.Conn, <-chan error) {
	t.Helper()
	errs := make(chan error, 16)
	nc, err := natsgo.Connect(s.URL(), natsgo.UserCredentials(creds),
		natsgo.ErrorHandler(func(_ *natsgo.Conn, _ *natsgo.Subscription, err error) { errs <- err }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc, errs
}

func TestRefusals(t *testing.T) {
	s := start(t, embedded.Options{Dir: t.TempDir(), Tenants: []doc.Tenant{"a", "b"}})
	ours := connect(t, s.Client())
	serve(t, ours)
	if err := ours.Declare(t.Context(), []bus.Stream{{Name: "FP_PARSE", Subjects: []string{"fp.>"}, MaxBytes: 1 << 20}}, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		creds              string
		publish, subscribe []string
	}{
		{s.TenantCreds("a"),
			[]string{"fingerpost.b.find", "fingerpost.admin.ping", "fingerpost.a", "fp.live.parse.a.x", "$JS.API.INFO", "$JS.API.STREAM.NAMES",
				"$KV.FP_DOCS.a.x", "$SRV.PING", "$SYS.REQ.SERVER.PING", "_INBOX.x.y", "_FP_INBOX.x", "_R_.x", "$JS.ACK.x"},
			[]string{">", "fp.>", "fingerpost.>", "fingerpost.a.find", "fingerpost.b.>", "$JS.>", "$KV.>", "$SRV.>", "$SYS.>", "_FP_INBOX.>", "_R_.>", "_INBOX_x"}},
		{s.OperatorCreds(),
			[]string{"fp.live.parse.a.x", "fingerpost.a.find", "$JS.API.STREAM.NAMES", "$KV.FP_DOCS.a.x", "$SYS.REQ.SERVER.PING", "_FP_INBOX.x", "_R_.x"},
			[]string{">", "fp.>", "fingerpost.>", "fingerpost.admin.>", "$JS.>", "$KV.>", "$SRV.>", "_FP_INBOX.>", "_R_.>"}},
	} {
		nc, errs := raw(t, s, c.creds)
		for _, subject := range c.publish {
			if err := nc.Publish(subject, []byte("x")); err != nil {
				t.Fatal(err)
			}
			wantViolation(t, errs, filepath.Base(c.creds)+" publishes "+subject)
		}
		for _, subject := range c.subscribe {
			if _, err := nc.SubscribeSync(subject); err != nil {
				t.Fatal(err)
			}
			wantViolation(t, errs, filepath.Base(c.creds)+" subscribes "+subject)
		}
	}
	if n, _, err := ours.Backlog(t.Context(), "FP_PARSE"); n != 0 || err != nil {
		t.Errorf("%d messages came into the stream, %v", n, err)
	}
}

func wantViolation(t *testing.T, errs <-chan error, what string) {
	t.Helper()
	select {
	case err := <-errs:
		if !errors.Is(err, natsgo.ErrPermissionViolation) {
			t.Errorf("%s: %v, want a permissions violation", what, err)
		}
	case <-time.After(10 * time.Second):
		t.Fatalf("%s: not refused", what)
	}
}

// A tenant listens to every inbox that it may, while another one asks: it must hear nothing.
func TestTenantHearsNoForeignReply(t *testing.T) {
	s := start(t, embedded.Options{Dir: t.TempDir(), Tenants: []doc.Tenant{"a", "b"}})
	serve(t, connect(t, s.Client()))
	spies := map[string]*natsgo.Subscription{}
	for name, creds := range map[string]string{"b": s.TenantCreds("b"), "operator": s.OperatorCreds()} {
		nc, _ := raw(t, s, creds)
		sub, err := nc.SubscribeSync("_INBOX.>")
		if err != nil {
			t.Fatal(err)
		}
		if err := nc.Flush(); err != nil {
			t.Fatal(err)
		}
		spies[name] = sub
	}
	a := connect(t, nats.Options{URLs: []string{s.URL()}, CredsFile: s.TenantCreds("a")})
	for range 20 {
		if _, err := a.Request(t.Context(), "fingerpost.a.find", nil); err != nil {
			t.Fatal(err)
		}
	}
	for name, sub := range spies {
		if msg, err := sub.NextMsg(50 * time.Millisecond); err == nil {
			t.Errorf("%s heard %s: %s", name, msg.Subject, msg.Data)
		}
	}
}

func TestRestartKeepsKeysAndTakesNewTenants(t *testing.T) {
	dir := t.TempDir()
	first := start(t, embedded.Options{Dir: dir, Tenants: []doc.Tenant{"a"}})
	b := connect(t, first.Client())
	if err := b.Declare(t.Context(), []bus.Stream{{Name: "FP_PARSE", Subjects: []string{"fp.>"}, MaxBytes: 1 << 20}}, nil); err != nil {
		t.Fatal(err)
	}
	if err := b.Publish(t.Context(), bus.Message{Subject: "fp.x", Data: []byte("kept")}); err != nil {
		t.Fatal(err)
	}
	before := read(t, first.TenantCreds("a"))
	if err := errors.Join(b.Close(), first.Stop()); err != nil {
		t.Fatal(err)
	}

	second := start(t, embedded.Options{Dir: dir, Tenants: []doc.Tenant{"b", "a"}})
	if read(t, second.TenantCreds("a")) != before {
		t.Error("the credentials of a changed")
	}
	b = connect(t, second.Client())
	if n, _, err := b.Backlog(t.Context(), "FP_PARSE"); n != 1 || err != nil {
		t.Errorf("%d messages after the restart, %v; want 1", n, err)
	}
	serve(t, b)
	for _, tenant := range []doc.Tenant{"a", "b"} {
		c := connect(t, nats.Options{URLs: []string{second.URL()}, CredsFile: second.TenantCreds(tenant)})
		if _, err := c.Request(t.Context(), "fingerpost."+string(tenant)+".find", nil); err != nil {
			t.Error(err)
		}
	}
	if err := second.Stop(); err != nil {
		t.Fatal(err)
	}

	third := start(t, embedded.Options{Dir: dir, Tenants: []doc.Tenant{"b"}})
	if _, err := nats.Connect(t.Context(), nats.Options{URLs: []string{third.URL()}, CredsFile: third.TenantCreds("a")}); !errors.Is(err, natsgo.ErrAuthorization) {
		t.Errorf("a tenant that is configured no more logs in: %v", err)
	}
}

func TestSecretsAreOurs(t *testing.T) {
	dir := t.TempDir()
	start(t, embedded.Options{Dir: dir, Tenants: []doc.Tenant{"a"}})
	for _, name := range []string{"keys.json", ".internal.creds", "operator.creds", "a.creds"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %o, want 600", name, info.Mode().Perm())
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".new-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestNoCredentialsNoEntry(t *testing.T) {
	s := start(t, embedded.Options{Dir: t.TempDir()})
	foreign := start(t, embedded.Options{Dir: t.TempDir(), Port: -1})
	for _, creds := range []string{"", foreign.OperatorCreds()} {
		if _, err := nats.Connect(t.Context(), nats.Options{URLs: []string{s.URL()}, CredsFile: creds}); !errors.Is(err, natsgo.ErrAuthorization) {
			t.Errorf("credentials %q: %v, want a refusal", creds, err)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("more than a sentence: %q", err)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("%q does not say %q", err, p)
		}
	}
}
