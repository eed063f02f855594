package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/fingerpost/fingerpost/pkg/testenv"
)

// secrets runs make-secrets as compose does and gives its folder.
func secrets(t *testing.T, dir string) string {
	t.Helper()
	out, err := exec.Command("sh", filepath.Join(testenv.Root(), "deploy", "compose", "make-secrets"), dir).CombinedOutput()
	if err != nil {
		t.Fatalf("make-secrets: %v\n%s", err, out)
	}
	return dir
}

func read(t *testing.T, elem ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// configured starts a server with the file of deploy/nats, its secrets made as compose makes them.
func configured(t *testing.T) (url, role string) {
	t.Helper()
	made := secrets(t, t.TempDir())
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(made, "nats"), filepath.Join(dir, "secrets")); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{"compose.conf", "accounts.conf"} {
		text := read(t, testenv.Root(), "deploy", "nats", f)
		if err := os.WriteFile(filepath.Join(dir, f), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o, err := server.ProcessConfigFile(filepath.Join(dir, "compose.conf"))
	if err != nil {
		t.Fatal(err)
	}
	o.Host, o.Port, o.HTTPPort, o.StoreDir, o.NoSigs, o.NoLog = "127.0.0.1", -1, 0, t.TempDir(), true, true
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	go s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server is not ready")
	}
	return s.ClientURL(), filepath.Join(made, "role")
}

func connect(t *testing.T, url, user, password string) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(url, nats.UserInfo(user, password), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		t.Fatalf("%s: %v", user, err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// denied reports whether the server refuses what do does.
func denied(t *testing.T, nc *nats.Conn, do func() error) bool {
	t.Helper()
	refused := make(chan error, 8)
	nc.SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err })
	if err := do(); err != nil {
		return true
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-refused:
		return strings.Contains(strings.ToLower(err.Error()), "permissions violation")
	case <-time.After(300 * time.Millisecond): // the server says nothing when it allows
		return false
	}
}

func TestRightsInNATS(t *testing.T) {
	url, role := configured(t)
	worker := connect(t, url, "worker", read(t, role, "nats_password"))
	tenant := connect(t, url, "default", read(t, role, "tenant_password"))
	operator := connect(t, url, "operator", read(t, role, "operator_password"))
	js, err := jetstream.New(worker)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "FP_EVENTS", Subjects: []string{"fp.events.>"}}); err != nil {
		t.Fatal(err)
	}
	for _, subject := range []string{"fingerpost.default.find", "fingerpost.admin.audit"} {
		if _, err := worker.Subscribe(subject, func(m *nats.Msg) { _ = m.Respond([]byte("answer")) }); err != nil {
			t.Fatal(err)
		}
	}
	if err := worker.Flush(); err != nil {
		t.Fatal(err)
	}
	ask := func(nc *nats.Conn, subject string) error {
		_, err := nc.Request(subject, nil, 2*time.Second)
		return err
	}
	for _, c := range []struct {
		who     string
		nc      *nats.Conn
		subject string
	}{{"tenant", tenant, "fingerpost.default.find"}, {"operator", operator, "fingerpost.admin.audit"}} {
		if err := ask(c.nc, c.subject); err != nil {
			t.Errorf("%s asks %s: %v", c.who, c.subject, err)
		}
	}
	for _, subject := range []string{"fingerpost.other.find", "fingerpost.admin.audit", "fp.events.minio", "fp.live.parse.default.x", "$JS.API.STREAM.NAMES", "$SRV.PING", "x"} {
		if !denied(t, tenant, func() error { return tenant.Publish(subject, nil) }) {
			t.Errorf("a tenant may publish %s", subject)
		}
	}
	for _, subject := range []string{"fingerpost.>", "fp.>", ">", "$JS.>", "_FP_INBOX.>"} {
		if !denied(t, tenant, func() error { _, err := tenant.SubscribeSync(subject); return err }) {
			t.Errorf("a tenant may hear %s", subject)
		}
	}
}

// MinIO's user may report events, with the stream's confirmation, and nothing else.
func TestMinIOsRightsInNATS(t *testing.T) {
	url, role := configured(t)
	worker := connect(t, url, "worker", read(t, role, "nats_password"))
	js, err := jetstream.New(worker)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "FP_EVENTS", Subjects: []string{"fp.events.>"}}); err != nil {
		t.Fatal(err)
	}
	minio := connect(t, url, "minio", read(t, filepath.Dir(role), "nats", "minio_password"))
	mjs, err := jetstream.New(minio)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mjs.Publish(t.Context(), "fp.events.minio", []byte("{}")); err != nil {
		t.Errorf("an event is not confirmed: %v", err)
	}
	if !denied(t, minio, func() error { return minio.Publish("fp.live.parse.default.x", nil) }) {
		t.Error("MinIO may publish jobs")
	}
	if !denied(t, minio, func() error { return minio.Publish("fp.events.other", nil) }) {
		t.Error("MinIO may publish events of other sources")
	}
}

func TestSecretsAreMadeOnce(t *testing.T) {
	a := secrets(t, t.TempDir())
	first := read(t, a, "role", "s3_secret_key")
	env := read(t, a, "minio", "minio.env")
	if again := read(t, secrets(t, a), "role", "s3_secret_key"); again != first {
		t.Error("a second run changes a secret")
	}
	if read(t, a, "minio", "minio.env") != env {
		t.Error("a second run changes minio.env")
	}
	if other := read(t, secrets(t, t.TempDir()), "role", "s3_secret_key"); other == first {
		t.Error("two machines have one secret")
	}
	if len(first) != 40 || strings.Trim(first, "0123456789abcdefx") != "" || first[0] != 'x' {
		t.Errorf("secret of a form that NATS may read as a number: %d characters", len(first))
	}
	if !strings.Contains(env, "MINIO_ROOT_PASSWORD="+first+"\n") {
		t.Error("MinIO does not get the secret key of the roles")
	}
}
