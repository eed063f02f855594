package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

// hands is work that the test starts to see and lets go.
type hands struct {
	started chan wire.Job
	mu      sync.Mutex
	release map[string]chan struct{}
}

func newHands() *hands {
	return &hands{started: make(chan wire.Job, 1000), release: map[string]chan struct{}{}}
}

func (h *hands) door(key string) chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.release[key] == nil {
		h.release[key] = make(chan struct{})
	}
	return h.release[key]
}

func (h *hands) do(ctx context.Context, j wire.Job) ([]pipeline.Next, error) {
	h.started <- j
	select {
	case <-h.door(j.Key):
		return nil, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (h *hands) let(key string) { close(h.door(key)) }

// While live work is in hand bulk has one place of its own: neither starves. Without it bulk has them all.
func TestLiveBeforeBulk(t *testing.T) {
	l, h := open(t, nil), newHands()
	for i := range 2 {
		l.put(wire.Live, l.job(fmt.Sprint("live", i)))
	}
	l.start(parse(2, h.do))
	for range 2 {
		if j := receive(t, h.started, "live work"); j.Key[:4] != "live" {
			t.Fatalf("%s was started", j.Key)
		}
	}
	for i := range 4 {
		l.put(wire.Bulk, l.job(fmt.Sprint("bulk", i)))
	}
	if j := receive(t, h.started, "bulk's share beside live work"); j.Key != "bulk0" {
		t.Fatalf("%s was started", j.Key)
	}
	h.let("bulk0")
	if s := l.await(); s.Job.Key != "bulk0" || s.Lane != wire.Bulk {
		t.Fatalf("settled %+v", s)
	}
	if j := receive(t, h.started, "the next of bulk"); j.Key != "bulk1" {
		t.Fatalf("%s was started", j.Key)
	}
	// A live job that comes now needs a place, and gets the next one that is free; bulk2 waits behind bulk1.
	l.put(wire.Live, l.job("live2"))
	h.let("live0")
	if j := receive(t, h.started, "live work"); j.Key != "live2" {
		t.Fatalf("%s was started", j.Key)
	}
	h.let("live1")
	h.let("live2")
	if j := receive(t, h.started, "bulk in all places"); j.Key != "bulk2" {
		t.Fatalf("%s was started", j.Key)
	}
	for _, k := range []string{"bulk1", "bulk2", "bulk3"} {
		h.let(k)
	}
	for range 6 {
		if s := l.await(); s.Outcome != "done" {
			t.Errorf("%s: %s", s.Job.Key, s.Outcome)
		}
	}
}

// One worker has in hand what it can start, and no more: another one does the rest.
func TestKnown13NothingIsFetchedAhead(t *testing.T) {
	l, h := open(t, nil), newHands()
	for i := range 10 {
		l.put(wire.Live, l.job(fmt.Sprint(i)))
	}
	l.start(parse(1, h.do))
	held := receive(t, h.started, "the first job")
	l.start(parse(1, func(context.Context, wire.Job) ([]pipeline.Next, error) { return nil, nil }))
	for range 9 {
		if s := l.await(); s.Job.Key == held.Key {
			t.Errorf("%s was done twice", held.Key)
		}
	}
	h.let(held.Key)
	if s := l.await(); s.Job.Key != held.Key || s.Outcome != "done" {
		t.Errorf("%+v", s)
	}
}

// Work that outlasts its lease keeps it.
func TestKnown14LongWorkKeepsItsLease(t *testing.T) {
	l, h := open(t, nil), newHands()
	l.put(wire.Live, l.job("long"))
	s := parse(1, h.do)
	s.Lease = 300 * time.Millisecond
	l.start(s)
	receive(t, h.started, "the job")
	got, err := l.bus.Fetch(t.Context(), pipeline.Consumer(wire.Live, wire.Parse, s.Lease), 1, 4*s.Lease)
	if err != nil || len(got) != 0 {
		t.Errorf("another worker was given %d jobs, %v", len(got), err)
	}
	h.let("long")
	if s := l.await(); s.Outcome != "done" {
		t.Errorf("%+v", s)
	}
}

// A late worker's result does not count once a newer version is accepted.
func TestKnown15ALateWorkerIsFenced(t *testing.T) {
	l, h := open(t, nil), newHands()
	j := l.job("a.md")
	l.put(wire.Live, j)
	l.start(parse(1, func(ctx context.Context, j wire.Job) ([]pipeline.Next, error) {
		if _, err := h.do(ctx, j); err != nil {
			return nil, err
		}
		_, err := l.ledger.SetCurrent(ctx, tenant, j.DocID, j.Generation, doc.LevelWords, nil)
		return nil, err
	}))
	receive(t, h.started, "the job")
	if _, _, err := l.ledger.Remove(t.Context(), tenant, j.DocID, time.Now()); err != nil {
		t.Fatal(err)
	}
	h.let("a.md")
	if s := l.await(); s.Outcome != "superseded" {
		t.Errorf("%+v", s)
	}
	if r := l.record(j); r.State != doc.Deleted || r.Current != 0 {
		t.Errorf("record %+v", r)
	}
}

// refusing tells how often a stream was full.
type refusing struct {
	bus.Bus
	full chan struct{}
}

func (r *refusing) Publish(ctx context.Context, m bus.Message) error {
	err := r.Bus.Publish(ctx, m)
	if errors.Is(err, bus.ErrFull) {
		r.full <- struct{}{}
	}
	return err
}

// A full stream pushes back: the job waits with its lease, is done once, and nothing is dropped.
func TestKnown24AFullStreamPushesBack(t *testing.T) {
	l := open(t, map[string]int64{"FP_INDEX": 8 << 10})
	for fits := true; fits; {
		err := l.bus.Publish(t.Context(), bus.Message{Subject: "fp.live.index.acme.filler", Data: make([]byte, 1<<10)})
		if fits = err == nil; !fits && !errors.Is(err, bus.ErrFull) {
			t.Fatal(err)
		}
	}
	full := &refusing{l.bus, make(chan struct{}, 100_000)}
	l.runner.Bus = full
	calls := make(chan wire.Job, 100)
	s := parse(1, func(_ context.Context, j wire.Job) ([]pipeline.Next, error) {
		calls <- j
		j.Kind = wire.Chunked
		j.ETag = string(make([]byte, 900)) // as large as a filler
		return []pipeline.Next{{Stage: wire.Index, Job: j}}, nil
	})
	s.Lease = 200 * time.Millisecond
	l.put(wire.Live, l.job("a.md"))
	l.start(s)
	for range 50 { // about a second: five leases
		receive(t, full.full, "a refusal")
	}
	if len(l.seen) != 0 || len(calls) != 1 {
		t.Fatalf("%d settled, %d calls while the stream is full", len(l.seen), len(calls))
	}
	all := l.drain("FP_INDEX")
	if s := l.await(); s.Outcome != "done" || len(calls) != 1 {
		t.Errorf("%s after %d calls, %v", s.Outcome, len(calls), s.Err)
	}
	all = append(all, l.drain("FP_INDEX")...)
	if n := strings.Count(fmt.Sprint(all), "ce-id:"); n != 1 {
		t.Errorf("%d jobs follow", n)
	}
}

// A full FP_DEAD pauses what feeds it: the document is not ended without its letter.
func TestAFullDeadStreamPauses(t *testing.T) {
	l := open(t, map[string]int64{wire.DeadStream: 4 << 10})
	for fits := true; fits; {
		fits = l.bus.Publish(t.Context(), bus.Message{Subject: "fp.dead.x.y.z", Data: make([]byte, 512)}) == nil
	}
	j := l.job("a.md")
	l.put(wire.Live, j)
	l.start(parse(1, func(context.Context, wire.Job) ([]pipeline.Next, error) { return nil, fault.Failf(doc.Corrupt, "torn") }))
	for range 3 {
		if s := l.await(); s.Outcome != "retry" {
			t.Fatalf("%+v", s)
		}
	}
	if r := l.record(j); r.State != doc.Pending {
		t.Errorf("the document is %s without a letter", r.State)
	}
	all := l.drain(wire.DeadStream)
	for s := l.await(); s.Outcome != "failed"; s = l.await() {
	}
	all = append(all, l.drain(wire.DeadStream)...)
	if n := strings.Count(fmt.Sprint(all), "fp.dead.parse.acme"); n != 1 {
		t.Errorf("%d letters", n)
	}
}

// After the stop work in hand finishes; nothing new is begun.
func TestDrainFinishesWorkInHand(t *testing.T) {
	l, h := open(t, nil), newHands()
	l.put(wire.Live, l.job("first"))
	l.put(wire.Live, l.job("second"))
	stop := l.start(parse(1, h.do))
	receive(t, h.started, "the first job")
	stopped := make(chan struct{})
	go func() { stop(); close(stopped) }()
	h.let("first")
	receive(t, stopped, "the end")
	if s := l.await(); s.Outcome != "done" || s.Job.Key != "first" {
		t.Errorf("%+v", s)
	}
	if n := l.backlog("FP_PARSE"); n != 1 {
		t.Errorf("%d jobs are left, want the second", n)
	}
}

// What is not done within the grace is handed back and done by another worker at once.
func TestHandedBackAfterGrace(t *testing.T) {
	l, h := open(t, nil), newHands()
	l.runner.Grace = time.Millisecond
	l.put(wire.Live, l.job("a.md"))
	stop := l.start(parse(1, h.do))
	receive(t, h.started, "the job")
	stop()
	if s := l.await(); s.Outcome != "retry" {
		t.Errorf("%+v", s)
	}
	l.start(parse(1, func(context.Context, wire.Job) ([]pipeline.Next, error) { return nil, nil }))
	if s := l.await(); s.Outcome != "done" || s.Took > lease/2 {
		t.Errorf("%+v", s)
	}
	if r := l.record(l.job("a.md")); r.Attempts != 0 {
		t.Errorf("the stop counts as %d tries", r.Attempts)
	}
}

// The same message twice: work is done twice, what follows is stored once.
func TestKnown21TwiceIsOnce(t *testing.T) {
	l := open(t, nil)
	j := l.job("a.md")
	l.put(wire.Live, j)
	j.Epoch = 1 // another id for the stream, so that both are stored
	l.put(wire.Live, j)
	l.start(parse(1, func(_ context.Context, j wire.Job) ([]pipeline.Next, error) {
		j.Kind, j.Epoch = wire.Chunked, 0
		return []pipeline.Next{{Stage: wire.Index, Job: j}}, nil
	}))
	if got := l.outcomes(2)["a.md"]; len(got) != 2 {
		t.Errorf("%q", got)
	}
	if n := len(l.follows()); n != 1 {
		t.Errorf("%d jobs follow", n)
	}
}

// What follows is a CloudEvent in binary mode.
func TestJobsAreCloudEvents(t *testing.T) {
	l := open(t, nil)
	j := l.job("a.md")
	if err := pipeline.Publish(t.Context(), l.bus, wire.Live, pipeline.Next{Stage: wire.Index, Job: j}); err != nil {
		t.Fatal(err)
	}
	m := l.drain("FP_INDEX")[0]
	for k, want := range map[string]string{"ce-specversion": "1.0", "ce-id": j.ID(wire.Index), "ce-source": "/fingerpost/acme",
		"ce-type": "io.fingerpost.document.dropped.v1", "ce-subject": string(j.DocID), "content-type": "application/json"} {
		if m.Header[k] != want {
			t.Errorf("%s is %q, want %q", k, m.Header[k], want)
		}
	}
	if m.Subject != j.Subject(wire.Live, wire.Index) || m.Header["ce-time"] == "" {
		t.Errorf("subject %s, headers %v", m.Subject, m.Header)
	}
}
