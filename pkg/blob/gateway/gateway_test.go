package gateway

import (
	"context"
	"net/http"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/fingerpost/fingerpost/pkg/blob/blobtest"
	"github.com/fingerpost/fingerpost/pkg/blob/s3"
)

const access, secret = "fingerpost", "secret-for-tests"

// open starts a gateway in a folder of the test and stops it at the end.
func open(t testing.TB, c Config) *Server {
	t.Helper()
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	c.Addr, c.AccessKey, c.SecretKey = "127.0.0.1:0", access, secret
	ctx, cancel := context.WithCancel(context.Background())
	s, err := Start(ctx, c)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		cancel()
		if err := s.Wait(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func store(t testing.TB, g *Server) *s3.Store {
	t.Helper()
	s, err := s3.New(s3.Config{Endpoint: g.Addr(), AccessKey: access, SecretKey: secret})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func client(t testing.TB, g *Server) *minio.Client {
	t.Helper()
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections) // before the gateway stops
	c, err := minio.New(g.Addr(), &minio.Options{Creds: credentials.NewStaticV4(access, secret, ""), Region: "us-east-1", MaxRetries: 1, Transport: tr})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func removeBucket(c *minio.Client) func(context.Context, string) error {
	return func(ctx context.Context, bucket string) error {
		for o := range c.ListObjects(ctx, bucket, minio.ListObjectsOptions{Recursive: true}) {
			if o.Err != nil {
				return o.Err
			}
			if err := c.RemoveObject(ctx, bucket, o.Key, minio.RemoveObjectOptions{}); err != nil {
				return err
			}
		}
		return c.RemoveBucket(ctx, bucket)
	}
}

func TestConformance(t *testing.T) {
	g := open(t, Config{})
	blobtest.Run(t, store(t, g), blobtest.Options{Files: true, RemoveBucket: removeBucket(client(t, g))})
}

// Other clients may do to the embedded gateway what they do to any store.
func TestOtherClients(t *testing.T) {
	for name, versions := range map[string]bool{"versions": true, "none": false} {
		t.Run(name, func(t *testing.T) {
			g := open(t, Config{Versions: versions})
			blobtest.RunForeign(t, store(t, g), client(t, g), blobtest.ForeignOptions{Versions: versions, Lock: versions, Conditions: true})
		})
	}
}
