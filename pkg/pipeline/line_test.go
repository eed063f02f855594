package pipeline_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/bus/nats"
	"github.com/fingerpost/fingerpost/pkg/bus/nats/embedded"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/retry"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

func TestMain(m *testing.M) {
	retry.Redelivery = retry.Delays{First: time.Millisecond, Most: 20 * time.Millisecond}
	os.Exit(m.Run())
}

const (
	tenant doc.Tenant = "acme"
	lease             = 30 * time.Second
	late              = 20 * time.Second // a fact that does not come within is missing
	tries             = 3
)

// line is a runner over a real server and a ledger, with the streams of two stages: parse, whose work the test
// writes, and index, where the test sees what follows.
type line struct {
	t      *testing.T
	bus    bus.Bus
	ledger *ledger.Ledger
	runner *pipeline.Runner
	seen   chan pipeline.Settled
}

// bytesOf bounds streams by name; 64 MiB where it says nothing.
func open(t *testing.T, bytesOf map[string]int64) *line {
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
	l := &line{t: t, bus: b, seen: make(chan pipeline.Settled, 10_000)}
	stream := func(name, subjects string) {
		most := bytesOf[name]
		if most == 0 {
			most = 64 << 20
		}
		if err := b.Declare(t.Context(), []bus.Stream{{Name: name, Subjects: []string{subjects}, MaxBytes: most}}, nil); err != nil {
			t.Fatal(err)
		}
	}
	stream(wire.DeadStream, wire.DeadSubject+".>")
	for _, s := range []wire.Stage{wire.Parse, wire.Index} {
		for _, lane := range []wire.Lane{wire.Live, wire.Bulk} {
			stream(wire.StreamName(lane, s), fmt.Sprintf("fp.%s.%s.>", lane, s))
		}
	}
	docs, err1 := b.KV(t.Context(), wire.DocsBucket)
	prefixes, err2 := b.KV(t.Context(), wire.PrefixesBucket)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	l.ledger = ledger.New(docs, prefixes, func(context.Context, doc.Tenant, doc.ID) (doc.Generation, error) { return 0, nil })
	l.runner = &pipeline.Runner{Bus: b, Ledger: l.ledger, Log: slog.New(slog.DiscardHandler), Tries: tries, Grace: late, Pauses: retry.Delays{First: time.Millisecond, Most: 20 * time.Millisecond}, Seen: func(s pipeline.Settled) { l.seen <- s }}
	return l
}

// start runs a stage until stop, which returns when it has drained.
func (l *line) start(stages ...pipeline.Stage) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); l.runner.Run(ctx, stages...) }()
	stop = func() { cancel(); <-done }
	l.t.Cleanup(stop)
	return stop
}

// parse is the stage with the test's work.
func parse(slots int, do func(context.Context, wire.Job) ([]pipeline.Next, error)) pipeline.Stage {
	return pipeline.Stage{Name: wire.Parse, Slots: slots, Lease: lease, Do: do}
}

// job is a job of a document that the ledger has accepted.
func (l *line) job(key string) wire.Job {
	l.t.Helper()
	r, _, err := l.ledger.Accept(l.t.Context(), ledger.Object{Tenant: tenant, Bucket: "documents", Key: key, Version: doc.VersionOf([]byte(key))})
	if err != nil {
		l.t.Fatal(err)
	}
	return wire.Job{Tenant: tenant, DocID: r.DocID, Bucket: r.Bucket, Key: key, Generation: r.Generation, Version: r.Version, Build: 1, Kind: wire.Dropped}
}

func (l *line) put(lane wire.Lane, j wire.Job) {
	l.t.Helper()
	if err := pipeline.Publish(l.t.Context(), l.bus, lane, pipeline.Next{Stage: wire.Parse, Job: j}); err != nil {
		l.t.Fatal(err)
	}
}

// await is the next settled job.
func (l *line) await() pipeline.Settled {
	l.t.Helper()
	return receive(l.t, l.seen, "a settled job")
}

// outcomes are those of the next n settled jobs, by key in order.
func (l *line) outcomes(n int) map[string][]string {
	l.t.Helper()
	got := map[string][]string{}
	for range n {
		s := l.await()
		got[s.Job.Key] = append(got[s.Job.Key], s.Outcome)
	}
	return got
}

func receive[T any](t *testing.T, c <-chan T, what string) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(late):
		t.Fatalf("not within %v: %s", late, what)
	}
	return v
}

func (l *line) record(j wire.Job) ledger.Record {
	l.t.Helper()
	r, err := l.ledger.Get(l.t.Context(), tenant, j.DocID)
	if err != nil {
		l.t.Fatal(err)
	}
	return r
}

func (l *line) backlog(stream string) int {
	l.t.Helper()
	n, _, err := l.bus.Backlog(l.t.Context(), stream)
	if err != nil {
		l.t.Fatal(err)
	}
	return int(n)
}

// drain takes everything out of a stream.
func (l *line) drain(stream string) (all []bus.Message) {
	l.t.Helper()
	c := bus.Consumer{Stream: stream, Durable: "drain", Lease: lease}
	if len(stream) > 3 && stream != wire.DeadStream {
		c.Durable = string(wire.Index)
	}
	for l.backlog(stream) > 0 {
		got, err := l.bus.Fetch(l.t.Context(), c, 10, late)
		if err != nil {
			l.t.Fatal(err)
		}
		for _, d := range got {
			all = append(all, d.Message())
			if err := d.Ack(l.t.Context()); err != nil {
				l.t.Fatal(err)
			}
		}
	}
	return all
}

// letters are the dead letters.
func (l *line) letters() (all []pipeline.Letter) {
	l.t.Helper()
	for _, m := range l.drain(wire.DeadStream) {
		var x pipeline.Letter
		if err := json.Unmarshal(m.Data, &x); err != nil {
			l.t.Fatal(err)
		}
		all = append(all, x)
	}
	return all
}

// follows are the jobs that wait for index.
func (l *line) follows() (all []wire.Job) {
	l.t.Helper()
	for _, m := range l.drain(wire.StreamName(wire.Live, wire.Index)) {
		var j wire.Job
		if err := json.Unmarshal(m.Data, &j); err != nil {
			l.t.Fatal(err)
		}
		all = append(all, j)
	}
	return all
}
