package workers_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/fingerpost/fingerpost/pkg/bus"
	busnats "github.com/fingerpost/fingerpost/pkg/bus/nats"
	"github.com/fingerpost/fingerpost/pkg/bus/nats/natstest"
	"github.com/fingerpost/fingerpost/workers"
)

// What is wrong with a server is one sentence, the same from doctor and from the worker that meets it at its start; a job that
// waited is still there, and is taken when the fault is mended.
func TestBadServersGetOneSentence(t *testing.T) {
	c := newClinic(t)
	for _, f := range []struct {
		name  string
		plant func(t *testing.T, conf *workers.Config)
		roles []workers.Role
		want  []string
	}{
		{"wrong keys of the store", func(_ *testing.T, conf *workers.Config) { conf.Servers.S3.SecretKey = "wrong" }, nil, []string{"does not accept these keys", "servers.s3.access_key"}},
		{"wrong password of NATS", func(t *testing.T, conf *workers.Config) {
			conf.Servers.NATS = workers.NATS{URLs: []string{natstest.Start(t, func(o *server.Options) { o.Username, o.Password = "u", "p" }).URL()}, User: "u", Password: "x"}
		}, nil, []string{"do not allow it", "servers.nats"}},
		{"an expired certificate", func(t *testing.T, conf *workers.Config) {
			conf.Servers.NATS = workers.NATS{URLs: []string{natstest.Start(t, expired(t)).URL()}}
		}, nil, []string{"expired", "renew"}},
		{"other dimensions", func(t *testing.T, conf *workers.Config) {
			built(t, conf, 384, "aa")
			conf.Servers.Ollama.URL = ollamaThat(t, 768, "bb")
		}, nil, []string{"vectors of 384 numbers", "gives 768", "re-index"}},
		{"a class made by a newer version", func(t *testing.T, conf *workers.Config) {
			conf.Servers.Weaviate.URL = newerWeaviate(t)
		}, []workers.Role{workers.RoleIndex}, []string{"newer version", "format 99", "run the version"}},
		{"a stream with another retention", func(t *testing.T, conf *workers.Config) {
			conf.Servers.NATS = workers.NATS{URLs: []string{natstest.Start(t).URL()}}
			declare(t, conf, bus.Stream{Name: "FP_CHUNK", Subjects: []string{"fp.live.chunk.>"}, Limits: true})
		}, nil, []string{"FP_CHUNK", "retention", "cannot be changed in place"}},
		{"a bucket without rights", func(*testing.T, *workers.Config) {
			c.shop.change = func(w http.ResponseWriter, r *http.Request) bool {
				if !strings.HasPrefix(r.URL.Path, "/documents") {
					return false
				}
				w.Header().Set("Content-Type", "application/xml")
				w.Header().Set("X-Minio-Error-Code", "AccessDenied")
				w.WriteHeader(http.StatusForbidden)
				if r.Method != http.MethodHead {
					fmt.Fprint(w, `<Error><Code>AccessDenied</Code><Message>Access Denied.</Message></Error>`)
				}
				return true
			}
		}, nil, []string{"documents", "access denied", "lack a right"}},
		{"a model that is missing", func(t *testing.T, conf *workers.Config) {
			conf.Servers.NATS = workers.NATS{URLs: []string{natstest.Start(t).URL()}}
			conf.Embedder, conf.Servers.Ollama = "ollama", workers.Ollama{URL: ollamaThat(t, 384, "aa"), Model: "missing"}
		}, nil, []string{"has not this model", "ollama pull missing"}},
	} {
		t.Run(f.name, func(t *testing.T) {
			c.t = t
			c.mend()
			conf := c.conf
			conf.Servers.NATS = workers.NATS{URLs: []string{natstest.Start(t).URL()}}
			conf.Embedder = "none"
			f.plant(t, &conf)
			left := waits(t, conf)
			said := opened(t, conf, f.roles...)
			one := strings.Count(strings.TrimSpace(said), "\n") == 0
			for _, w := range f.want {
				if !one || !strings.Contains(said, w) {
					t.Errorf("the worker says %q, without %q", said, w)
				}
			}
			found := c.doctor(conf, workers.DoctorOptions{NoProbe: true})
			if !saidBy(found, f.want) {
				t.Errorf("doctor says %+v, without %q", found, f.want)
			}
			left()
		})
	}
}

// opened is what a worker says that cannot start.
func opened(t *testing.T, conf workers.Config, roles ...workers.Role) string {
	t.Helper()
	if len(roles) == 0 {
		roles = []workers.Role{workers.RoleParse}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := workers.Open(ctx, conf, workers.Own{}, slog.New(slog.DiscardHandler), roles...)
	if err == nil {
		t.Error("the worker starts")
		return ""
	}
	return err.Error()
}

func saidBy(found []workers.Finding, want []string) bool {
	for _, f := range found {
		all := !strings.Contains(f.Detail, "\n")
		for _, w := range want {
			all = all && strings.Contains(f.Part+": "+f.Detail, w)
		}
		if all {
			return true
		}
	}
	return false
}

func declare(t *testing.T, conf *workers.Config, s bus.Stream) {
	t.Helper()
	b, err := busnats.Connect(t.Context(), busnats.Options{URLs: conf.Servers.NATS.URLs})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := b.Declare(t.Context(), []bus.Stream{s}, nil); err != nil {
		t.Fatal(err)
	}
}

// waits stores a job where the right credentials are let in, and gives the proof that it is still there.
func waits(t *testing.T, conf workers.Config) (still func()) {
	t.Helper()
	o := busnats.Options{URLs: conf.Servers.NATS.URLs, User: conf.Servers.NATS.User, Password: conf.Servers.NATS.Password}
	if o.Password == "x" {
		o.Password = "p"
	}
	if strings.HasPrefix(o.URLs[0], "nats://") && tlsOnly[o.URLs[0]] {
		o.TLS = &tls.Config{InsecureSkipVerify: true} //nolint:gosec // the test's own server, to see its streams
	}
	b, err := busnats.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	s := bus.Stream{Name: "FP_PARSE", Subjects: []string{"fp.live.parse.>"}, MaxBytes: conf.Limits.StreamBytes}
	if err := b.Declare(t.Context(), []bus.Stream{s}, nil); err != nil {
		t.Fatal(err)
	}
	if err := b.Publish(t.Context(), bus.Message{Subject: "fp.live.parse.default.abc", Data: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if n, _, err := b.Backlog(t.Context(), "FP_PARSE"); err != nil || n != 1 {
			t.Errorf("%d jobs wait after the refused start, error %v", n, err)
		}
	}
}

// tlsOnly are the servers of expired, by their addresses.
var tlsOnly = map[string]bool{}

// expired is a server whose certificate has expired.
func expired(t *testing.T) func(*server.Options) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	cert := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "old"}, NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(-time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	der, err := x509.CreateCertificate(rand.Reader, cert, cert, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return func(o *server.Options) {
		o.TLSTimeout = 10
		o.TLSConfig = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS12}
		tlsOnly[fmt.Sprintf("nats://127.0.0.1:%d", o.Port)] = true
	}
}

// newerWeaviate holds a class of a later version of the program.
func newerWeaviate(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		class := map[string]any{"class": "Fingerpost_1_Node", "description": "Fingerpost's entries of kind node; format 99", "multiTenancyConfig": map[string]any{"enabled": true}}
		switch r.URL.Path {
		case "/v1/meta":
			fmt.Fprint(w, `{"version": "1.35.2"}`)
		case "/v1/schema":
			_ = json.NewEncoder(w).Encode(map[string]any{"classes": []any{class}})
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}
