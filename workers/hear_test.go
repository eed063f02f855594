package workers_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/blob/miniotest"
	"github.com/fingerpost/fingerpost/pkg/bus/nats/natstest"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/workers"
)

// A store that is listened to wakes intake by the names of keys alone. What happens while the connection is cut is found by
// the walk that follows it, and a word about nothing does nothing.
func TestListeningWakesIntake(t *testing.T) {
	srv := testenv.Versitygw(t, "", "")
	minio := miniotest.Start(t, strings.TrimPrefix(srv.Endpoint, "http://"))
	c := workers.Defaults()
	c.Data, c.Embedder, c.NATS, c.ReconcileEvery = t.TempDir(), "none", "127.0.0.1:0", 0
	c.Servers.S3 = workers.S3{Endpoint: minio.URL, AccessKey: srv.AccessKey, SecretKey: srv.SecretKey, Listen: true}
	ctx, stop := context.WithCancel(context.Background())
	sys, err := workers.Open(ctx, c, workers.Own{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- sys.Run(ctx, ready) }()
	defer func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := sys.Close(); err != nil {
			t.Error(err)
		}
	}()
	select {
	case <-ready:
	case <-time.After(time.Minute):
		t.Fatal("not ready within a minute")
	}
	listens := func() {
		natstest.Await(t, "somebody listens", func() bool { return minio.Listeners("documents") == 1 })
	}
	put := func(key string) {
		if _, err := sys.Blobs.Put(ctx, "documents", key, strings.NewReader("# "+key+"\n\nText.\n"), -1, blob.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	found := func(key string) bool {
		r, err := sys.Ledger.Get(ctx, "default", doc.NewID("default", "documents", key))
		return err == nil && r.State == doc.Indexed
	}
	listens()
	put("told a+b.md")
	minio.Tell("documents", "told a+b.md")
	minio.Tell("documents", "never there.md")
	natstest.Await(t, "what was told is found", func() bool { return found("told a+b.md") })
	minio.Cut()
	put("untold.md")
	natstest.Await(t, "what nobody told is found after the connection is back", func() bool { return found("untold.md") })
	listens()
	put("again.md")
	minio.Tell("documents", "again.md")
	natstest.Await(t, "what is told afterwards is found", func() bool { return found("again.md") })
}
