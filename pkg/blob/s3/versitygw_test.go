package s3

import (
	"context"
	"errors"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/blob/blobtest"
	"github.com/fingerpost/fingerpost/pkg/testenv"
)

// versity is the port over a versitygw in a process of its own, and another client of it.
func versity(t *testing.T, srv *testenv.S3Server, change func(*Config)) (*Store, *minio.Client) {
	t.Helper()
	c := Config{Endpoint: srv.Endpoint, AccessKey: srv.AccessKey, SecretKey: srv.SecretKey}
	if change != nil {
		change(&c)
	}
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	other, err := minio.New(strings.TrimPrefix(srv.Endpoint, "http://"), &minio.Options{
		Creds: credentials.NewStaticV4(srv.AccessKey, srv.SecretKey, ""), Region: "us-east-1", MaxRetries: 1, Transport: &http.Transport{DisableKeepAlives: true}})
	if err != nil {
		t.Fatal(err)
	}
	return s, other
}

func TestVersitygw(t *testing.T) {
	srv := testenv.Versitygw(t, "", "")
	s, c := versity(t, srv, nil)
	t.Run("suite", func(t *testing.T) {
		blobtest.Run(t, s, blobtest.Options{Files: true, Cleans: true, RemoveBucket: func(ctx context.Context, bucket string) error {
			for o := range c.ListObjects(ctx, bucket, minio.ListObjectsOptions{Recursive: true}) {
				if err := errors.Join(o.Err, c.RemoveObject(ctx, bucket, o.Key, minio.RemoveObjectOptions{})); err != nil {
					return err
				}
			}
			return c.RemoveBucket(ctx, bucket)
		}})
	})
	t.Run("other clients", func(t *testing.T) {
		blobtest.RunForeign(t, s, c, blobtest.ForeignOptions{Versions: true, Lock: true, Conditions: true})
	})
	t.Run("no rules", func(t *testing.T) {
		if err := s.MakeBucket(t.Context(), "docs"); err != nil {
			t.Fatal(err)
		}
		_, err := s.Rules(t.Context(), "docs")
		_, err2 := s.AddRule(t.Context(), "docs", "arn:minio:sqs::SAFE:nats")
		if !errors.Is(err, blob.ErrUnsupported) || !errors.Is(err2, blob.ErrUnsupported) {
			t.Errorf("rules: %v; %v", err, err2)
		}
		if err := s.Listen(t.Context(), "docs", func() { t.Error("it listens") }, func(string) {}); !errors.Is(err, blob.ErrUnsupported) {
			t.Errorf("listen: %v", err)
		}
	})
	t.Run("restart", func(t *testing.T) {
		if _, err := s.Put(t.Context(), "docs", "k.md", strings.NewReader("kept"), 4, blob.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		srv.Kill()
		if _, err := s.Head(t.Context(), "docs", "k.md"); !errors.Is(err, blob.ErrAway) {
			t.Errorf("while it is down: %v", err)
		}
		if err := srv.Start(); err != nil {
			t.Fatal(err)
		}
		if b, _, err := blob.ReadAll(t.Context(), s, "docs", "k.md", blob.GetOptions{}, 10); string(b) != "kept" || err != nil {
			t.Errorf("after it is back: %q, %v", b, err)
		}
	})
}

// A user without rights on a bucket is told 403 for what is there, what is not, and a bucket that is not; one with rights 404.
func TestVersitygwRights(t *testing.T) {
	srv := testenv.Versitygw(t, "", "")
	srv.Stop()
	srv.Env = append(srv.Env, "VGW_IAM_DIR="+t.TempDir())
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	root, _ := versity(t, srv, nil)
	if err := root.MakeBucket(t.Context(), "docs"); err != nil {
		t.Fatal(err)
	}
	if _, err := root.Put(t.Context(), "docs", "k.md", strings.NewReader("text"), 4, blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(srv.Command[0], "admin", "-a", srv.AccessKey, "-s", srv.SecretKey, "-er", srv.Endpoint,
		"create-user", "-a", "reader", "-s", "reader-secret", "-r", "user").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	as := func(key, secret string) *Store {
		s, _ := versity(t, srv, func(c *Config) { c.AccessKey, c.SecretKey = key, secret })
		return s
	}
	for who, c := range map[string]struct {
		s    *Store
		want [3]error // of an object, a missing one, a missing bucket
	}{
		"root":         {root, [3]error{nil, blob.ErrNotFound, blob.ErrNoBucket}},
		"no rights":    {as("reader", "reader-secret"), [3]error{blob.ErrDenied, blob.ErrDenied, blob.ErrNoBucket}},
		"wrong secret": {as("reader", "wrong"), [3]error{blob.ErrDenied, blob.ErrDenied, blob.ErrDenied}},
		"unknown":      {as("nobody", "x"), [3]error{blob.ErrDenied, blob.ErrDenied, blob.ErrDenied}},
	} {
		for i, at := range [][2]string{{"docs", "k.md"}, {"docs", "none.md"}, {"no-such-bucket", "k.md"}} {
			_, head := c.s.Head(t.Context(), at[0], at[1])
			_, _, get := c.s.Get(t.Context(), at[0], at[1], blob.GetOptions{})
			if !errors.Is(head, c.want[i]) || !errors.Is(get, c.want[i]) {
				t.Errorf("%s, %v: head %v; get %v; want %v", who, at, head, get, c.want[i])
			}
		}
	}
}

// The bucket in the host's name instead of the path.
func TestVersitygwVirtualHosts(t *testing.T) {
	srv := testenv.Versitygw(t, "", "")
	srv.Stop()
	srv.Env = append(srv.Env, "VGW_VIRTUAL_DOMAIN=s3.test")
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	address := strings.TrimPrefix(srv.Endpoint, "http://")
	s, _ := versity(t, srv, func(c *Config) { c.Endpoint, c.Style = "http://s3.test", Virtual })
	s.transport.DialContext = dialer(address)
	if err := s.MakeBucket(t.Context(), "docs"); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"k.md", "a b+c/100%.md", "пробел и/ключ.md"} {
		if _, err := s.Put(t.Context(), "docs", key, strings.NewReader("text"), 4, blob.PutOptions{}); err != nil {
			t.Error(err)
		}
		if b, _, err := blob.ReadAll(t.Context(), s, "docs", key, blob.GetOptions{}, 10); string(b) != "text" || err != nil {
			t.Errorf("%s: %q, %v", key, b, err)
		}
	}
}
