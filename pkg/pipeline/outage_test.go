package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/retry"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

// A whole server is away for a while under a full stream: after the first tries only probes go, one at a time and ever
// fewer; when it is back, everything is done soon, and nobody has an attempt.
func TestAnOutagePausesTheStage(t *testing.T) {
	l := open(t, nil)
	l.runner.Pauses = retry.Delays{} // the real ones
	const slots, jobs = 4, 40
	for i := range jobs {
		lane := wire.Live
		if i%2 == 1 {
			lane = wire.Bulk
		}
		l.put(lane, l.job(fmt.Sprint(i)))
	}
	var away atomic.Bool
	away.Store(true)
	calls := make(chan time.Time, 10_000)
	l.start(parse(slots, func(context.Context, wire.Job) ([]pipeline.Next, error) {
		if !away.Load() {
			return nil, nil
		}
		calls <- time.Now()
		return nil, fmt.Errorf("write: %w", blob.ErrAway)
	}))
	const down = 5 * time.Second
	<-time.After(down)
	away.Store(false)
	back := time.Now()
	for done := 0; done < jobs; {
		switch s := l.await(); s.Outcome {
		case "done":
			done++
		case "outage":
		default:
			t.Fatalf("%+v", s)
		}
	}
	if took := time.Since(back); took > 10*time.Second {
		t.Errorf("all was done %v after the server's return", took)
	}
	// At first 2 lanes fill their places; then .25, .5, 1, 2 s: a handful of probes in five seconds.
	if n := len(calls); n > 2*slots+10 || n < 3 {
		t.Errorf("%d tries in %v", n, down)
	}
	for i := range jobs {
		if r := l.record(l.job(fmt.Sprint(i))); r.Attempts != 0 {
			t.Errorf("document %d has %d attempts", i, r.Attempts)
		}
	}
}

// A job whose own fault is called an outage delays the others but little.
func TestOneJobsOutageDelaysOthersLittle(t *testing.T) {
	l := open(t, nil)
	l.put(wire.Live, l.job("bad"))
	for i := range 50 {
		l.put(wire.Live, l.job(fmt.Sprint(i)))
	}
	l.start(parse(2, func(_ context.Context, j wire.Job) ([]pipeline.Next, error) {
		if j.Key == "bad" {
			return nil, fault.Outagef("this one only")
		}
		return nil, nil
	}))
	for done := 0; done < 50; {
		if s := l.await(); s.Outcome == "done" {
			done++
		}
	}
}

// unfetchable is a bus whose fetches fail until it is mended.
type unfetchable struct {
	bus.Bus
	broken atomic.Bool
	fails  chan struct{}
}

func (u *unfetchable) Fetch(ctx context.Context, c bus.Consumer, n int, d time.Duration) ([]bus.Delivery, error) {
	if u.broken.Load() {
		u.fails <- struct{}{}
		return nil, bus.ErrAway
	}
	return u.Bus.Fetch(ctx, c, n, d)
}

// However long fetches have failed, the next one comes within about a second.
func TestFetchesThatFailArePacedUpToASecond(t *testing.T) {
	old := retry.Redelivery
	retry.Redelivery = retry.Delays{First: time.Millisecond, Most: time.Hour}
	l := open(t, nil)
	u := &unfetchable{Bus: l.bus, fails: make(chan struct{}, 100_000)}
	u.broken.Store(true)
	l.runner.Bus = u
	l.put(wire.Live, l.job("a.md"))
	stop := l.start(parse(1, func(context.Context, wire.Job) ([]pipeline.Next, error) { return nil, nil }))
	for range 2 * 14 { // two lanes: 1, 2, 4 ... 512 ms, then a second each
		receive(t, u.fails, "a fetch that fails")
	}
	u.broken.Store(false)
	back := time.Now()
	if s := l.await(); s.Outcome != "done" || time.Since(back) > 3*time.Second {
		t.Errorf("%s after %v", s.Outcome, time.Since(back))
	}
	stop()
	retry.Redelivery = old
}

// An error text of any size ends its document like a short one, is kept in short, and stays readable.
func TestErrorsOfAnySize(t *testing.T) {
	l := open(t, nil)
	long := strings.Repeat("ж\xff", 2<<20)
	errs := map[string]error{
		"retry":   errors.New(long),
		"failed":  fault.Failf(doc.Corrupt, "%w", errors.New(long)),
		"skipped": fault.Skipf(doc.Empty, "%s", long),
	}
	deep := errors.New(long)
	for i := range 30 {
		deep = fmt.Errorf("level %d: %w", i, deep)
	}
	errs["deep"] = fault.Failf(doc.Internal, "%w", deep)
	for key := range errs {
		l.put(wire.Live, l.job(key))
	}
	l.start(parse(2, func(_ context.Context, j wire.Job) ([]pipeline.Next, error) {
		if j.Key == "panic" {
			panic(long)
		}
		return nil, errs[j.Key]
	}))
	l.put(wire.Live, l.job("panic"))
	if err := l.bus.Publish(t.Context(), bus.Message{Subject: "fp.live.parse.acme.garbage", Data: []byte(strings.Repeat("\x01", 900_000))}); err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{"retry": {"retry", "retry", "failed"}, "failed": {"failed"}, "skipped": {"skipped"}, "deep": {"failed"}, "panic": {"failed"}, "": {"failed"}}
	got := l.outcomes(8)
	for key, w := range want {
		if !slices.Equal(got[key], w) {
			t.Errorf("%s: %q, want %q", key, got[key], w)
		}
		if key == "" {
			continue
		}
		r := l.record(l.job(key))
		if !r.Ended() || len(r.Reason) == 0 || len(r.Reason) > 2000 || !utf8.ValidString(r.Reason) {
			t.Errorf("%s: state %s, a reason of %d bytes", key, r.State, len(r.Reason))
		}
	}
	for _, x := range l.letters() {
		for _, e := range x.Errors {
			if len(e) > 2000 {
				t.Errorf("%s: an error of %d bytes", x.Job.Key, len(e))
			}
		}
	}
}

// A job that goes to its own stage while that is full is done in the same hand: nothing waits for itself.
func TestAStageThatFeedsItselfNeverWaitsForItself(t *testing.T) {
	l := open(t, map[string]int64{"FP_PARSE": 8 << 10})
	const documents = 200
	second := make(chan string, 10*documents)
	l.start(parse(2, func(_ context.Context, j wire.Job) ([]pipeline.Next, error) {
		if j.Kind == wire.Sectioned {
			second <- j.Key
			return nil, nil
		}
		j.Kind = wire.Sectioned
		return []pipeline.Next{{Stage: wire.Parse, Job: j}}, nil
	}))
	var put sync.WaitGroup
	put.Go(func() {
		for i := range documents {
			l.put(wire.Live, l.job(fmt.Sprint(i)))
		}
	})
	seen := map[string]bool{}
	for len(seen) < documents {
		seen[receive(t, second, fmt.Sprintf("the second step of another document after %d", len(seen)))] = true
	}
	put.Wait()
}

// A purge that index itself asks for does not wait for a place in the stream of index, full of jobs that end the same way.
func TestAPurgeOfIndexNeverWaitsForIndex(t *testing.T) {
	l := open(t, map[string]int64{"FP_INDEX": 8 << 10})
	const documents = 200
	purged := make(chan string, 10*documents)
	l.start(pipeline.Stage{Name: wire.Index, Slots: 2, Lease: lease, Do: func(_ context.Context, j wire.Job) ([]pipeline.Next, error) {
		if j.Kind == wire.Removed {
			purged <- j.Key
			return nil, nil
		}
		return nil, fault.Failf(doc.ResourceLimit, "no room")
	}})
	var put sync.WaitGroup
	put.Go(func() {
		for i := range documents {
			j := l.job(fmt.Sprint(i))
			j.Kind = wire.Chunked
			if err := pipeline.Publish(t.Context(), l.bus, wire.Live, pipeline.Next{Stage: wire.Index, Job: j}); err != nil {
				t.Error(err)
				return
			}
		}
	})
	seen := map[string]bool{}
	for len(seen) < documents {
		seen[receive(t, purged, fmt.Sprintf("the purge of another document after %d", len(seen)))] = true
	}
	put.Wait()
}

// Work that failed after its document was deleted comes again, so that its stage can take back what it had written.
func TestSupersededWorkThatFailedComesAgain(t *testing.T) {
	l := open(t, nil)
	for name, err := range map[string]error{"plain": errTorn, "final": fault.Failf(doc.ResourceLimit, "half written"), "skipped": fault.Skipf(doc.Empty, "x")} {
		j := l.job(name)
		l.put(wire.Live, j)
		tries := 0
		stop := l.start(parse(1, func(context.Context, wire.Job) ([]pipeline.Next, error) {
			if tries++; tries == 1 {
				if _, _, err := l.ledger.Remove(t.Context(), tenant, j.DocID, time.Now()); err != nil {
					t.Error(err)
				}
				return nil, err
			}
			return nil, fault.Supersededf("taken back")
		}))
		if got := l.outcomes(2)[name]; !slices.Equal(got, []string{"retry", "superseded"}) {
			t.Errorf("%s: %q", name, got)
		}
		stop()
	}
	if x := l.letters(); len(x) != 0 {
		t.Errorf("%d letters of documents that are gone", len(x))
	}
}

// The trace of a document's first message is that of all that follow, and of its letter.
func TestATraceGoesWithTheDocument(t *testing.T) {
	l := open(t, nil)
	const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for _, key := range []string{"good", "bad"} {
		if err := pipeline.Publish(pipeline.WithTrace(t.Context(), trace), l.bus, wire.Live, pipeline.Next{Stage: wire.Parse, Job: l.job(key)}); err != nil {
			t.Fatal(err)
		}
	}
	l.start(parse(1, func(_ context.Context, j wire.Job) ([]pipeline.Next, error) {
		if j.Key == "bad" {
			return nil, fault.Failf(doc.Corrupt, "torn")
		}
		j.Kind = wire.Chunked
		return []pipeline.Next{{Stage: wire.Index, Job: j}}, nil
	}))
	for range 2 {
		if s := l.await(); s.Trace != trace || s.Attempt != 1 {
			t.Errorf("%+v", s)
		}
	}
	follows := l.drain("FP_INDEX")
	for _, m := range follows {
		if m.Header["traceparent"] != trace {
			t.Errorf("%s follows with %q", m.Subject, m.Header["traceparent"])
		}
	}
	if x := l.letters(); len(x) != 1 || x[0].Trace != trace || len(follows) != 2 {
		t.Errorf("%d follow, letters %+v", len(follows), x)
	}
	if err := pipeline.Publish(pipeline.WithTrace(t.Context(), "no traceparent"), l.bus, wire.Live, pipeline.Next{Stage: wire.Index, Job: l.job("x")}); err != nil {
		t.Fatal(err)
	}
	if h := l.drain("FP_INDEX")[0].Header["traceparent"]; len(h) != 55 || h == trace {
		t.Errorf("a new one is %q", h)
	}
}
