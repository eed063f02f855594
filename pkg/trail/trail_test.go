package trail_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/bus/nats"
	"github.com/fingerpost/fingerpost/pkg/bus/nats/embedded"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/trail"
)

const tenant doc.Tenant = "acme"

func open(t *testing.T) bus.Bus {
	t.Helper()
	srv, err := embedded.Start(embedded.Options{Dir: t.TempDir(), Port: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Stop() })
	b, err := nats.Connect(t.Context(), srv.Client())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	if err := b.Declare(t.Context(), []bus.Stream{trail.Stream}, nil); err != nil {
		t.Fatal(err)
	}
	return b
}

// What is noted is written in order, whatever else happens, by the time the writer is closed.
func TestNotedIsWritten(t *testing.T) {
	l := trail.Log{Bus: open(t)}
	w := trail.NewWriter(l, slog.New(slog.DiscardHandler))
	id, other := doc.NewID(tenant, "documents", "a.md"), doc.NewID(tenant, "documents", "b.md")
	for i := range 200 {
		w.Note(tenant, id, trail.Event{What: "parse", Attempt: i + 1, Version: doc.VersionOf(nil)})
		w.Note(tenant, other, trail.Event{What: trail.Came, Kind: "s3:ObjectCreated:Put", Outcome: "a new generation"})
	}
	w.Close()
	got, err := l.Of(t.Context(), tenant, id)
	if err != nil || len(got) != 200 || w.Dropped() != 0 {
		t.Fatalf("%d events, %v, %d dropped", len(got), err, w.Dropped())
	}
	for i, e := range got {
		if e.Attempt != i+1 || e.Version == "" {
			t.Fatalf("event %d: %+v", i, e)
		}
	}
	if n, err := l.Erase(t.Context(), tenant, id); err != nil || n != 200 {
		t.Errorf("%d erased, %v", n, err)
	}
	if got, err := l.Of(t.Context(), tenant, other); err != nil || len(got) != 200 {
		t.Errorf("the other has %d, %v", len(got), err)
	}
}

// silent is a bus that does not answer.
type silent struct{ bus.Bus }

func (silent) Publish(ctx context.Context, _ bus.Message) error {
	<-ctx.Done()
	return bus.ErrAway
}

// A bus that does not answer holds nobody up: what has no place is dropped and counted.
func TestNotingNeverWaits(t *testing.T) {
	w := trail.NewWriter(trail.Log{Bus: silent{}}, slog.New(slog.DiscardHandler))
	id := doc.NewID(tenant, "documents", "a.md")
	start := time.Now()
	const n = 10_000
	for i := range n {
		w.Note(tenant, id, trail.Event{What: fmt.Sprint(i)})
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("%d events took their callers %v", n, took)
	}
	if d := w.Dropped(); d < n-5000 || d >= n {
		t.Errorf("%d of %d dropped", d, n)
	}
	w.Close()
	if took := time.Since(start); took > 6*time.Second {
		t.Errorf("closed after %v", took)
	}
}
