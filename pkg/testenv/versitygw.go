package testenv

import (
	"os"
	"path/filepath"
	"testing"
)

// S3Server is a versitygw in a process of its own, which keeps objects with their versions in folders.
type S3Server struct {
	Process
	Endpoint             string // http://127.0.0.1:port
	AccessKey, SecretKey string
}

// Versitygw starts a server with empty data on a free loopback port; it ends with the test. When nats is not "", it tells
// of changes there, on the subject. It tells once and forgets: what it can't deliver is lost.
func Versitygw(t testing.TB, nats, subject string) *S3Server {
	t.Helper()
	address, dir := freeAddress(t), t.TempDir()
	objects, versions := filepath.Join(dir, "objects"), filepath.Join(dir, "versions")
	for _, d := range []string{objects, versions} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s := &S3Server{Endpoint: "http://" + address, AccessKey: "test", SecretKey: "test-secret"}
	command := []string{built(t, "versitygw-v*", "scripts/servers-versitygw"), "--port", address, "--quiet", "--health", "/healthz"}
	if nats != "" {
		command = append(command, "--event-nats-url", nats, "--event-nats-topic", subject)
	}
	s.Process = Process{Name: "versitygw", Command: append(command, "posix", "--versioning-dir", versions, objects),
		Env: []string{"ROOT_ACCESS_KEY=" + s.AccessKey, "ROOT_SECRET_KEY=" + s.SecretKey}, Ready: s.Endpoint + "/healthz"}
	t.Cleanup(s.Kill)
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	return s
}
