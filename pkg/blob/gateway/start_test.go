package gateway

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/versity/versitygw/backend"
	"github.com/versity/versitygw/s3err"
	"github.com/versity/versitygw/s3response"

	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/blob/blobtest"
	vendor "github.com/fingerpost/fingerpost/pkg/blob/s3"
)

func TestStartRefusals(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		conf Config
		says string
	}{
		"port in use":   {Config{Addr: taken.Addr().String(), Dir: t.TempDir(), AccessKey: access, SecretKey: secret}, taken.Addr().String()},
		"bad address":   {Config{Addr: "9000", Dir: t.TempDir(), AccessKey: access, SecretKey: secret}, "host:port"},
		"no keys":       {Config{Addr: "127.0.0.1:0", Dir: t.TempDir()}, "secret key"},
		"dir is a file": {Config{Addr: "127.0.0.1:0", Dir: file, AccessKey: access, SecretKey: secret}, file},
	} {
		_, err := Start(t.Context(), c.conf)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want a word on %q", name, err, c.says)
		}
	}
	open(t, Config{})
	if _, err := Start(t.Context(), Config{Addr: "127.0.0.1:0", Dir: t.TempDir(), AccessKey: access, SecretKey: secret}); !errors.Is(err, ErrRunning) {
		t.Errorf("a second gateway: %v", err)
	}
}

func TestRestartKeepsObjects(t *testing.T) {
	dir := t.TempDir()
	for i, want := range []error{blob.ErrNoBucket, nil} {
		ctx, cancel := context.WithCancel(t.Context())
		g, err := Start(ctx, Config{Addr: "127.0.0.1:0", Dir: dir, AccessKey: access, SecretKey: secret})
		if err != nil {
			t.Fatal(err)
		}
		s := store(t, g)
		info, err := s.Head(ctx, "docs", "k.md")
		if !errors.Is(err, want) || want == nil && (info.Meta["language"] != "en" || info.ContentType != "text/markdown") {
			t.Errorf("start %d: %+v, %v", i, info, err)
		}
		if err := s.MakeBucket(ctx, "docs"); err != nil {
			t.Fatal(err)
		}
		o := blob.PutOptions{ContentType: "text/markdown", Meta: map[string]string{"language": "en"}}
		if _, err := s.Put(ctx, "docs", "k.md", strings.NewReader("x"), 1, o); err != nil {
			t.Fatal(err)
		}
		if resp, err := http.Get("http://" + g.Addr() + HealthPath); err != nil || resp.StatusCode != 200 {
			t.Errorf("health: %v, %v", resp, err)
		} else {
			resp.Body.Close()
		}
		s.Close()
		http.DefaultClient.CloseIdleConnections()
		cancel()
		if err := g.Wait(); err != nil {
			t.Errorf("stop %d: %v", i, err)
		}
	}
}

// TestSidecar holds the whole contract where the file system has no extended attributes. A folder
// that was begun with a sidecar stays with it, which is how the test gets one.
func TestSidecar(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "meta"), 0o700); err != nil {
		t.Fatal(err)
	}
	g := open(t, Config{Dir: dir})
	blobtest.Run(t, store(t, g), blobtest.Options{Files: true, RemoveBucket: removeBucket(client(t, g)), Pages: 50})
	if aside("a/meta/metal/meta~") != "a/meta~/metal/meta~~" {
		t.Errorf("a/meta/metal/meta~ lies in %s", aside("a/meta/metal/meta~"))
	}
	if entries, err := os.ReadDir(filepath.Join(dir, "meta")); err != nil || len(entries) == 0 {
		t.Errorf("the sidecar holds nothing, %v", err)
	}
}

func TestWrongKeys(t *testing.T) {
	g := open(t, Config{})
	s, err := vendor.New(vendor.Config{Endpoint: g.Addr(), AccessKey: access, SecretKey: "wrong"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, err = s.Head(t.Context(), "docs", "k")
	_, err2 := s.Put(t.Context(), "docs", "k", strings.NewReader("x"), 1, blob.PutOptions{})
	big := strings.Repeat("x", 4<<20)
	var err3 error
	for range 20 { // the refusal may break the connection before it is read; whoever tries again is told
		if _, err3 = s.Put(t.Context(), "docs", "k", strings.NewReader(big), int64(len(big)), blob.PutOptions{}); errors.Is(err3, blob.ErrDenied) {
			break
		}
	}
	for _, err := range []error{err, err2, err3, s.Delete(t.Context(), "docs", "k"), s.MakeBucket(t.Context(), "docs")} {
		if !errors.Is(err, blob.ErrDenied) {
			t.Errorf("with a wrong secret: %v", err)
		}
	}
}

// full is a backend whose disk is full; like the library it reads the upload to its end.
type full struct {
	backend.Backend
	err error
}

func (f full) PutObject(_ context.Context, in s3response.PutObjectInput) (s3response.PutObjectOutput, error) {
	drain(in.Body)
	return s3response.PutObjectOutput{}, f.err
}

func (f full) UploadPart(_ context.Context, in *s3.UploadPartInput) (*s3.UploadPartOutput, error) {
	drain(in.Body)
	return nil, f.err
}

func TestFullDisk(t *testing.T) {
	for _, code := range []s3err.ErrorCode{s3err.ErrNoSpaceLeftOnDevice, s3err.ErrQuotaExceeded, s3err.ErrExistingObjectIsDirectory} {
		c := Config{Dir: t.TempDir(), AccessKey: access, SecretKey: secret}
		be, err := openDir(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		addr, _, err := pick("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		be.Backend = full{be.Backend, s3err.GetAPIError(code)}
		g, err := serve(ctx, be, c, addr)
		if err != nil {
			t.Fatal(err)
		}
		s := store(t, g)
		if err := s.MakeBucket(ctx, "docs"); err != nil {
			t.Fatal(err)
		}
		for _, size := range []int64{10, 20 << 20} {
			_, err := s.Put(ctx, "docs", "dir/k", strings.NewReader(strings.Repeat("x", int(size))), size, blob.PutOptions{})
			if code == s3err.ErrExistingObjectIsDirectory && size > 10 {
				continue // parts make no folders
			}
			if !errors.Is(err, blob.ErrFull) {
				t.Errorf("%v: a put of %d bytes: %v", code, size, err)
			}
		}
		s.Close()
		cancel()
		if err := g.Wait(); err != nil {
			t.Error(err)
		}
	}
}
