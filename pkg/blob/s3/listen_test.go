package s3_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/blob/s3"
)

// listening is a Listen under way.
type listening struct {
	up   chan struct{}
	keys chan string
	over chan error
	stop context.CancelFunc
}

func listen(t *testing.T, s *s3.Store, bucket string) listening {
	ctx, stop := context.WithCancel(t.Context())
	l := listening{make(chan struct{}, 10), make(chan string, 1000), make(chan error, 1), stop}
	go func() {
		l.over <- s.Listen(ctx, bucket, func() { l.up <- struct{}{} }, func(key string) { l.keys <- key })
	}()
	t.Cleanup(stop)
	return l
}

func got[T any](t *testing.T, what string, c <-chan T) (x T) {
	t.Helper()
	select {
	case x = <-c:
	case <-time.After(30 * time.Second):
		t.Fatalf("not within 30 s: %s", what)
	}
	return x
}

// Keys come raw and in order; a connection that the store ends is an error, never a silent new one; another call goes on.
func TestListen(t *testing.T) {
	srv, s := minio(t)
	l := listen(t, s, "docs")
	got(t, "the store listens", l.up)
	for i := range 100 {
		srv.Tell("docs", fmt.Sprintf("a b+c%%25 %d.txt", i))
	}
	srv.Tell("other", "not ours")
	for i := range 100 {
		if key := got(t, "a key", l.keys); key != fmt.Sprintf("a b+c%%25 %d.txt", i) {
			t.Fatalf("key %d is %q", i, key)
		}
	}
	srv.Cut()
	if err := got(t, "the end is told", l.over); !errors.Is(err, blob.ErrAway) {
		t.Errorf("after a restart: %v", err)
	}
	srv.Tell("docs", "while nobody listens")
	again := listen(t, s, "docs")
	got(t, "the store listens again", again.up)
	srv.Tell("docs", "z.md")
	if key := got(t, "a key", again.keys); key != "z.md" {
		t.Errorf("heard %q", key)
	}
	again.stop()
	if err := got(t, "the end is told", again.over); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

// A store without the call lists the bucket instead, or refuses; one that is away is away.
func TestListenThatCannotBe(t *testing.T) {
	srv, s := minio(t)
	srv.Deny("NotImplemented")
	if err := got(t, "the end", listen(t, s, "docs").over); !errors.Is(err, blob.ErrUnsupported) {
		t.Errorf("a store that lists instead: %v", err)
	}
	srv.Starting(1, 0)
	if err := got(t, "the end", listen(t, s, "docs").over); !errors.Is(err, blob.ErrAway) {
		t.Errorf("a store that starts: %v", err)
	}
	away, err := s3.New(s3.Config{Endpoint: "127.0.0.1:1", AccessKey: "a", SecretKey: "b"})
	if err != nil {
		t.Fatal(err)
	}
	if err := got(t, "the end", listen(t, away, "docs").over); !errors.Is(err, blob.ErrAway) {
		t.Errorf("nobody there: %v", err)
	}
}
