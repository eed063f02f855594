package nats_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/fingerpost/fingerpost/pkg/bus/nats"
	"github.com/fingerpost/fingerpost/pkg/bus/nats/natstest"
)

func TestLogins(t *testing.T) {
	user, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	public, err := user.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := user.Seed()
	if err != nil {
		t.Fatal(err)
	}
	seedFile := filepath.Join(t.TempDir(), "user.nk")
	write(t, seedFile, seed)
	other, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	otherSeed, err := other.Seed()
	if err != nil {
		t.Fatal(err)
	}
	otherFile := filepath.Join(t.TempDir(), "other.nk")
	write(t, otherFile, otherSeed)
	for name, c := range map[string]struct {
		server      func(*server.Options)
		right       nats.Options
		wrong, none nats.Options
	}{
		"user": {func(o *server.Options) { o.Username, o.Password = "u", "p" },
			nats.Options{User: "u", Password: "p"}, nats.Options{User: "u", Password: "x"}, nats.Options{}},
		"token": {func(o *server.Options) { o.Authorization = "secret" },
			nats.Options{Token: "secret"}, nats.Options{Token: "x"}, nats.Options{}},
		"nkey": {func(o *server.Options) { o.Nkeys = []*server.NkeyUser{{Nkey: public}} },
			nats.Options{NKeyFile: seedFile}, nats.Options{NKeyFile: otherFile}, nats.Options{}},
	} {
		t.Run(name, func(t *testing.T) {
			s := natstest.Start(t, c.server)
			c.right.URLs = []string{s.URL()}
			connect(t, c.right)
			for _, bad := range []nats.Options{c.wrong, c.none} {
				bad.URLs = c.right.URLs
				if _, err := nats.Connect(t.Context(), bad); !errors.Is(err, natsgo.ErrAuthorization) || !strings.Contains(err.Error(), s.URL()) {
					t.Errorf("wrong login: %v", err)
				}
			}
		})
	}
}

func TestBadOptions(t *testing.T) {
	for name, opt := range map[string]nats.Options{
		"no address":   {},
		"two logins":   {URLs: []string{"nats://127.0.0.1:1"}, User: "u", Token: "t"},
		"no such seed": {URLs: []string{"nats://127.0.0.1:1"}, NKeyFile: "/no/such.nk"},
		"no such file": {URLs: []string{"nats://127.0.0.1:1"}, CredsFile: "/no/such.creds"},
		"no such ca":   {URLs: []string{"nats://127.0.0.1:1"}, CAFile: "/no/such.pem"},
		"no address 2": {URLs: []string{"nats://127.0.0.1:port"}},
	} {
		if _, err := nats.Connect(t.Context(), opt); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestTLS(t *testing.T) {
	dir := t.TempDir()
	ca := newAuthority(t, dir)
	good := ca.certificate(t, dir, "good", time.Now().Add(time.Hour))
	old := ca.certificate(t, dir, "old", time.Now().Add(-time.Hour))
	stranger := newAuthority(t, t.TempDir())

	serve := func(cert tls.Certificate, mutual bool) *natstest.Server {
		return natstest.Start(t, func(o *server.Options) {
			o.TLSTimeout = 10
			o.TLSConfig = &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}
			if mutual {
				o.TLSConfig.ClientAuth, o.TLSConfig.ClientCAs = tls.RequireAndVerifyClientCert, ca.pool()
			}
		})
	}
	s := serve(good, false)
	connect(t, nats.Options{URLs: []string{s.URL()}, CAFile: ca.file})
	connect(t, nats.Options{URLs: []string{s.URL()}, TLS: &tls.Config{RootCAs: ca.pool(), MinVersion: tls.VersionTLS12}})
	for name, c := range map[string]struct {
		opt  nats.Options
		want string
	}{
		"foreign authority": {nats.Options{URLs: []string{s.URL()}, CAFile: stranger.file}, "unknown authority"},
		"expired":           {nats.Options{URLs: []string{serve(old, false).URL()}, CAFile: ca.file}, "expired"},
	} {
		if _, err := nats.Connect(t.Context(), c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	both := serve(good, true)
	connect(t, nats.Options{URLs: []string{both.URL()}, CAFile: ca.file, CertFile: filepath.Join(dir, "good.pem"), KeyFile: filepath.Join(dir, "good.key")})
}

// authority signs certificates for loopback.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string
}

func newAuthority(t *testing.T, dir string) *authority {
	t.Helper()
	key := newKey(t)
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "ca"}, NotBefore: time.Now().Add(-2 * time.Hour),
		NotAfter: time.Now().Add(2 * time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	a := &authority{key: key, file: filepath.Join(dir, "ca.pem")}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	write(t, a.file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	return a
}

func (a *authority) pool() *x509.CertPool {
	p := x509.NewCertPool()
	p.AddCert(a.cert)
	return p
}

func (a *authority) certificate(t *testing.T, dir, name string, until time.Time) tls.Certificate {
	t.Helper()
	key := newKey(t)
	c := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: until,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(rand.Reader, c, a.cert, key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER})
	write(t, filepath.Join(dir, name+".pem"), certPEM)
	write(t, filepath.Join(dir, name+".key"), keyPEM)
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		t.Fatal(err)
	}
	return pair
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
