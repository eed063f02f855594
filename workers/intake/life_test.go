package intake_test

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/blob/faulty"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/retry"
	"github.com/fingerpost/fingerpost/pkg/trail"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers/intake"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// The flood of one tenant goes to bulk; the few documents of another stay live.
func TestTheFloodOfOneTenantIsNotThatOfAnother(t *testing.T) {
	h := workertest.Open(t, workertest.Config{BulkOver: 3, Sources: []intake.Source{{Bucket: "documents", Tenant: "flood"}, {Bucket: "others", Tenant: "calm"}}})
	for i := range 20 {
		h.Store("documents", fmt.Sprint(i, ".md"), "x")
		h.Look("documents", fmt.Sprint(i, ".md"))
	}
	for i := range 3 {
		h.Store("others", fmt.Sprint(i, ".md"), "x")
		h.Look("others", fmt.Sprint(i, ".md"))
	}
	lanes := map[string]int{}
	for _, s := range []string{"FP_PARSE", "FP_PARSE_BULK"} {
		if err := h.Bus.Scan(t.Context(), s, "", func(m bus.Stored) error { lanes[s+" "+strings.Split(m.Subject, ".")[3]]++; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if want := map[string]int{"FP_PARSE flood": 4, "FP_PARSE_BULK flood": 16, "FP_PARSE calm": 3}; fmt.Sprint(lanes) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", lanes, want)
	}
}

var trace = regexp.MustCompile(`^00-[0-9a-f]{32}-[0-9a-f]{16}-01$`)

// A document's way has one trace from its first message on: in all that follows, in its letter, in its trail.
func TestTheFirstMessageBeginsATrace(t *testing.T) {
	h := workertest.Open(t, workertest.Config{MaxSize: 1000})
	h.Put("a.md", "# A\n\nText.\n")
	h.Put("b.md", "# B\n\nText.\n")
	h.Put("large.md", strings.Repeat("x", 2000))
	traces := map[string]string{}
	if err := h.Bus.Scan(t.Context(), "FP_PARSE", "", func(m bus.Stored) error { traces[m.Subject] = m.Header["traceparent"]; return nil }); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for s, tr := range traces {
		if !trace.MatchString(tr) || seen[tr] {
			t.Errorf("%s has the trace %q", s, tr)
		}
		seen[tr] = true
	}
	if l := h.Letters(); len(l) != 1 || !trace.MatchString(l[0].Trace) {
		t.Errorf("letters %+v", l)
	}
	ways := make(chan pipeline.Settled, 1000)
	h.Start(func(s pipeline.Settled) { ways <- s })
	h.Until("both are full", func() bool {
		return h.Record(workertest.ID("a.md")).Level == doc.LevelFull && h.Record(workertest.ID("b.md")).Level == doc.LevelFull
	})
	for len(ways) > 0 {
		if s := <-ways; s.Job.Kind != wire.Removed && s.Trace != traces[s.Job.Subject(wire.Live, wire.Parse)] {
			t.Errorf("%s of %s has the trace %q", s.Stage, s.Job.Key, s.Trace)
		}
	}
}

// What came in and what was decided stands in the trail, with generation and version; a walk that finds all well leaves
// nothing there.
func TestKnown53TheTrailTellsEventsAndDecisions(t *testing.T) {
	h := workertest.Open(t, workertest.Config{MaxSize: 100})
	if err := h.Bus.Declare(t.Context(), []bus.Stream{trail.Stream}, nil); err != nil {
		t.Fatal(err)
	}
	l := trail.Log{Bus: h.Bus}
	w := trail.NewWriter(l, slog.New(slog.DiscardHandler))
	h.Intake.Trail = w
	say := func() {
		t.Helper()
		if err := h.Intake.Handle(t.Context(), event(t, "a.md"), ""); err != nil {
			t.Fatal(err)
		}
	}
	h.Store(workertest.Bucket, "a.md", "one")
	say()
	h.Settle()
	say()
	h.Look(workertest.Bucket, "a.md")
	h.Store(workertest.Bucket, "a.md", strings.Repeat("x", 200))
	h.Look(workertest.Bucket, "a.md")
	if err := h.Blobs.Delete(t.Context(), workertest.Bucket, "a.md"); err != nil {
		t.Fatal(err)
	}
	say()
	w.Close()
	all, err := l.Of(t.Context(), workertest.Tenant, workertest.ID("a.md"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range all {
		kind := "look"
		if e.Kind != "look" {
			kind = "event"
		}
		got = append(got, fmt.Sprintf("%s %s g%d %.14s %v %v", e.What, kind, e.Generation, e.Outcome, e.Version != "", trace.MatchString(e.Trace)))
	}
	want := []string{"event event g1 a new generati true true", "event event g1 the same bytes true true", "event look g2 a new generati true true",
		"event look g2 failed: object true true", "event event g3 gone: a tombst false true"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// However long object storage was away, events go on within seconds of its return; meanwhile each place tries one at a time.
func TestAnOutageHoldsEventsForSecondsAtMost(t *testing.T) {
	old := retry.Redelivery
	retry.Redelivery = retry.Delays{First: time.Hour, Most: time.Hour}
	h := workertest.Open(t, workertest.Config{})
	var away atomic.Bool
	away.Store(true)
	tries := make(chan struct{}, 1000)
	h.Fail(func(op faulty.Op, bucket, _ string) faulty.Fault {
		if op == faulty.Head && bucket == workertest.Bucket && away.Load() {
			tries <- struct{}{}
			return faulty.Fault{Err: blob.ErrAway}
		}
		return faulty.Fault{}
	})
	h.Store(workertest.Bucket, "a.md", "text")
	tell(t, h, event(t, "a.md"))
	ctx, stop := context.WithCancel(t.Context())
	var run sync.WaitGroup
	run.Go(func() { h.Intake.Run(ctx) })
	<-tries
	<-tries // an hour later by the delays of messages
	away.Store(false)
	got, err := h.Bus.Fetch(t.Context(), pipeline.Consumer(wire.Live, wire.Parse, 30*time.Second), 1, 10*time.Second)
	if err != nil || len(got) != 1 {
		t.Errorf("%d jobs, %v", len(got), err)
	}
	stop()
	run.Wait()
	retry.Redelivery = old
}
