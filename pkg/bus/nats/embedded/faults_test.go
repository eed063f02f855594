package embedded_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/bus/nats/embedded"
	"github.com/fingerpost/fingerpost/pkg/doc"
)

func TestPortInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	port := l.Addr().(*net.TCPAddr).Port
	dir := t.TempDir()
	_, err = embedded.Start(embedded.Options{Dir: dir, Port: port})
	wantError(t, err, strconv.Itoa(port), "in use", "choose another port")
	start(t, embedded.Options{Dir: dir}) // the refused start let go of the folder
}

func TestSecondServerOnTheFolder(t *testing.T) {
	dir := t.TempDir()
	first := start(t, embedded.Options{Dir: dir, Port: -1})
	_, err := embedded.Start(embedded.Options{Dir: dir, Port: -1})
	wantError(t, err, dir, "in use by another process", strconv.Itoa(os.Getpid()))
	if err := first.Stop(); err != nil {
		t.Fatal(err)
	}
	start(t, embedded.Options{Dir: dir, Port: -1})
}

func TestTenantNames(t *testing.T) {
	for _, bad := range []doc.Tenant{"admin", "operator", "", "A", "a.b", "*", ">", "../x", "a b"} {
		if _, err := embedded.Start(embedded.Options{Dir: t.TempDir(), Port: -1, Tenants: []doc.Tenant{bad}}); err == nil {
			t.Errorf("tenant %q is taken", bad)
		}
	}
}

// filled is a folder that holds a stream, stopped.
func filled(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	s := start(t, embedded.Options{Dir: dir, Port: -1})
	b := connect(t, s.Client())
	if err := b.Declare(t.Context(), []bus.Stream{{Name: "FP_PARSE", Subjects: []string{"fp.>"}, MaxBytes: 1 << 20}}, nil); err != nil {
		t.Fatal(err)
	}
	if err := b.Publish(t.Context(), bus.Message{Subject: "fp.x", Data: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestBadFolders(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(t *testing.T, dir string)
		want  []string
	}{
		"newer": {func(t *testing.T, dir string) {
			edit(t, filepath.Join(dir, "keys.json"), `"format": 1`, `"format": 7`)
		}, []string{"newer version", "format 7", "update"}},
		"keys cut": {func(t *testing.T, dir string) {
			if err := os.Truncate(filepath.Join(dir, "keys.json"), 40); err != nil {
				t.Fatal(err)
			}
		}, []string{"keys.json", "damaged"}},
		"seed spoilt": {func(t *testing.T, dir string) { edit(t, filepath.Join(dir, "keys.json"), `"SA`, `"XX`) }, []string{"seed", "damaged"}},
		"keys gone": {func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, "keys.json")); err != nil {
				t.Fatal(err)
			}
		}, []string{"keys.json", "missing", "put the file back"}},
		"stream's settings cut": {func(t *testing.T, dir string) {
			if err := os.Truncate(only(t, dir, "meta.inf"), 10); err != nil {
				t.Fatal(err)
			}
		}, []string{"FP_PARSE", "damaged", "start again"}},
		"newer stream": {func(t *testing.T, dir string) {
			edit(t, only(t, dir, "meta.inf"), `"_nats.req.level":"0"`, `"_nats.req.level":"99"`)
		}, []string{"FP_PARSE", "newer server", "99"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filled(t)
			c.spoil(t, dir)
			_, err := embedded.Start(embedded.Options{Dir: dir, Port: -1})
			wantError(t, err, c.want...)
		})
	}
}

// A stream sets its bytes aside when it is declared.
func TestStoreTooSmall(t *testing.T) {
	s := start(t, embedded.Options{Dir: t.TempDir(), Port: -1, MaxStore: 1 << 20})
	b := connect(t, s.Client())
	err := b.Declare(t.Context(), []bus.Stream{{Name: "FP_PARSE", Subjects: []string{"fp.>"}, MaxBytes: 2 << 20}}, nil)
	wantError(t, err, "FP_PARSE", "2097152", "free disk space")
	if !errors.Is(err, bus.ErrFull) {
		t.Errorf("%v is not ErrFull", err)
	}
	kv, err := b.KV(t.Context(), "K")
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; err == nil && i < 100; i++ {
		_, err = kv.Put(t.Context(), "k"+strconv.Itoa(i), make([]byte, 100_000), 0)
	}
	if !errors.Is(err, bus.ErrFull) {
		t.Errorf("state beyond the server's storage: %v", err)
	}
}

// A kill between the two files of a stream's settings must not cost the stream.
func TestCutOffSettingsAreMended(t *testing.T) {
	dir := filled(t)
	if err := os.Remove(only(t, dir, "meta.sum")); err != nil {
		t.Fatal(err)
	}
	unborn := filepath.Join(filepath.Dir(filepath.Dir(only(t, dir, "meta.inf"))), "FP_CHUNK", "msgs")
	if err := os.MkdirAll(unborn, 0o700); err != nil {
		t.Fatal(err)
	}
	b := connect(t, start(t, embedded.Options{Dir: dir, Port: -1}).Client())
	if n, _, err := b.Backlog(t.Context(), "FP_PARSE"); n != 1 || err != nil {
		t.Errorf("%d messages, %v; want 1", n, err)
	}
	if err := b.Declare(t.Context(), []bus.Stream{{Name: "FP_CHUNK", Subjects: []string{"c.>"}, MaxBytes: 1 << 20}}, nil); err != nil {
		t.Error(err)
	}
}

func TestFolderIsAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := embedded.Start(embedded.Options{Dir: path, Port: -1})
	wantError(t, err, path)
}

// only is the stream's file of that name.
func only(t *testing.T, dir, name string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "jetstream", "*", "streams", "FP_PARSE", name))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v, %v", name, found, err)
	}
	return found[0]
}

func edit(t *testing.T, path, old, new string) {
	t.Helper()
	text := read(t, path)
	if !strings.Contains(text, old) {
		t.Fatalf("%s does not hold %s: %s", path, old, text)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(text, old, new, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}
