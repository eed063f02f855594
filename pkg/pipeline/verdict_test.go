package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

var errTorn = errors.New("page 3 is torn")

// Each error ends the document as its verdict says; no document holds up another.
func TestVerdicts(t *testing.T) {
	l := open(t, nil)
	type want struct {
		outcomes []string
		state    doc.State
		class    doc.Class
		follows  []wire.Kind // at index
		letter   string      // the last of its errors; "" for none
		attempts int
	}
	cases := map[string]struct {
		do   func(try int64) error
		want want
	}{
		"good":       {func(int64) error { return nil }, want{[]string{"done"}, doc.Pending, "", []wire.Kind{wire.Chunked}, "", 0}},
		"skipped":    {func(int64) error { return fault.Skipf(doc.Empty, "empty") }, want{[]string{"skipped"}, doc.Skipped, doc.Empty, []wire.Kind{wire.Removed}, "", 0}},
		"failed":     {func(int64) error { return fault.Failf(doc.Corrupt, "scan: %w", errTorn) }, want{[]string{"failed"}, doc.Failed, doc.Corrupt, []wire.Kind{wire.Removed}, errTorn.Error(), 0}},
		"superseded": {func(int64) error { return fault.Supersededf("newer") }, want{[]string{"superseded"}, doc.Pending, "", nil, "", 0}},
		"panic":      {func(int64) error { panic("index out of range") }, want{[]string{"failed"}, doc.Failed, doc.Internal, []wire.Kind{wire.Removed}, "parse of panic: panic: index out of range", 0}},
		"hopeless":   {func(int64) error { return errTorn }, want{[]string{"retry", "retry", "failed"}, doc.Failed, doc.Upstream, []wire.Kind{wire.Removed}, errTorn.Error(), tries}},
		"third time": {func(n int64) error { return unless(n == 3, errTorn) }, want{[]string{"retry", "retry", "done"}, doc.Pending, "", []wire.Kind{wire.Chunked}, "", 2}},
	}
	for i, away := range []error{bus.ErrAway, bus.ErrFull, blob.ErrAway, blob.ErrFull, vector.ErrAway, vector.ErrReadOnly, vector.ErrNoRoom, vector.ErrDenied, vector.ErrNewer, fault.Outagef("model away")} {
		outages := slices.Repeat([]string{"outage"}, 2*tries)
		cases[fmt.Sprint("outage ", i)] = struct {
			do   func(int64) error
			want want
		}{func(n int64) error { return unless(n > 2*tries, fmt.Errorf("write: %w", away)) }, want{append(outages, "done"), doc.Pending, "", []wire.Kind{wire.Chunked}, "", 0}}
	}
	jobs, counts, settled := map[string]wire.Job{}, map[string]*atomic.Int64{}, 0
	for key, c := range cases {
		jobs[key], counts[key] = l.job(key), &atomic.Int64{}
		l.put(wire.Live, jobs[key])
		settled += len(c.want.outcomes)
	}
	l.start(parse(4, func(_ context.Context, j wire.Job) ([]pipeline.Next, error) {
		if err := cases[j.Key].do(counts[j.Key].Add(1)); err != nil {
			return nil, err
		}
		j.Kind = wire.Chunked
		return []pipeline.Next{{Stage: wire.Index, Job: j}}, nil
	}))
	outcomes := l.outcomes(settled)
	follows, letters := map[string][]wire.Kind{}, map[string]pipeline.Letter{}
	for _, j := range l.follows() {
		follows[j.Key] = append(follows[j.Key], j.Kind)
	}
	for _, x := range l.letters() {
		letters[x.Job.Key] = x
	}
	for key, c := range cases {
		r := l.record(jobs[key])
		x := letters[key]
		last := ""
		if len(x.Errors) > 0 {
			last = x.Errors[len(x.Errors)-1]
		}
		got := want{outcomes[key], r.State, r.Class, follows[key], last, r.Attempts}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: got  %+v\nwant %+v", key, got, c.want)
		}
		if r.Ended() && r.Reason == "" {
			t.Errorf("%s: no reason", key)
		}
		if last != "" && (x.Stage != wire.Parse || x.Job != jobs[key] || x.Class != c.want.class || x.Time.IsZero() || x.Attempts != len(c.want.outcomes)) {
			t.Errorf("%s: letter %+v", key, x)
		}
	}
	if n := l.backlog("FP_PARSE"); n != 0 {
		t.Errorf("%d jobs are left", n)
	}
}

func unless(good bool, err error) error {
	if good {
		return nil
	}
	return err
}

// The letter says what happened, outermost first, and carries the trace and the job as it was.
func TestKnown23ADeadLetterHoldsTheChain(t *testing.T) {
	l := open(t, nil)
	j := l.job("a.md")
	l.put(wire.Live, j)
	l.start(parse(1, func(context.Context, wire.Job) ([]pipeline.Next, error) {
		return nil, fmt.Errorf("page 3: %w", fault.Failf(doc.Corrupt, "object 17: %w", errTorn))
	}))
	l.await()
	all := l.letters()
	if len(all) != 1 {
		t.Fatalf("%d letters", len(all))
	}
	want := []string{"parse of documents/a.md: page 3: object 17: page 3 is torn", "page 3: object 17: page 3 is torn", "object 17: page 3 is torn", "page 3 is torn"}
	if !slices.Equal(all[0].Errors, want) || all[0].Job != j {
		t.Errorf("letter %+v", all[0])
	}
}

// A message that is no job is buried as it came; the next one is not held up.
func TestGarbageIsBuried(t *testing.T) {
	l := open(t, nil)
	good := l.job("good.md")
	garbage := []string{"", "no JSON", "[]", "{}", "null", `{"tenant":"acme"}`, `{"tenant":"acme","doc_id":"x","generation":1,"kind":"dropped"}`, "\xff\xfe", strings.Repeat("[", 100_000)}
	for i, g := range garbage {
		if err := l.bus.Publish(t.Context(), bus.Message{Subject: fmt.Sprintf("fp.live.parse.acme.g%d", i), Data: []byte(g)}); err != nil {
			t.Fatal(err)
		}
	}
	l.put(wire.Live, good)
	l.start(parse(1, func(context.Context, wire.Job) ([]pipeline.Next, error) { return nil, nil }))
	for range garbage {
		if s := l.await(); s.Outcome != "failed" || s.Err == nil {
			t.Errorf("settled as %s, %v", s.Outcome, s.Err)
		}
	}
	if s := l.await(); s.Outcome != "done" || s.Job != good {
		t.Errorf("the good job: %+v", s)
	}
	if all := l.letters(); len(all) != len(garbage) {
		t.Errorf("%d letters of %d", len(all), len(garbage))
	}
	if n := l.backlog("FP_PARSE"); n != 0 {
		t.Errorf("%d messages are left", n)
	}
}

// A purge that cannot be done is one dead letter, not one after the other for ever.
func TestKnown55AHopelessPurgeEnds(t *testing.T) {
	l := open(t, nil)
	for _, state := range []doc.State{doc.Failed, doc.Deleted} {
		j := l.job(string(state) + ".md")
		if state == doc.Failed {
			if err := l.ledger.End(t.Context(), tenant, j.DocID, j.Generation, doc.Failed, doc.Corrupt, "torn"); err != nil {
				t.Fatal(err)
			}
		} else {
			r, _, err := l.ledger.Remove(t.Context(), tenant, j.DocID, j.Dropped)
			if err != nil {
				t.Fatal(err)
			}
			j.Generation = r.Generation
		}
		j.Kind = wire.Removed
		if err := pipeline.Publish(t.Context(), l.bus, wire.Live, pipeline.Next{Stage: wire.Index, Job: j}); err != nil {
			t.Fatal(err)
		}
		stop := l.start(pipeline.Stage{Name: wire.Index, Slots: 1, Lease: lease, Do: func(context.Context, wire.Job) ([]pipeline.Next, error) { return nil, errTorn }})
		if got := l.outcomes(tries)[j.Key]; len(got) != tries || got[tries-1] != "failed" {
			t.Errorf("%s: %q", state, got)
		}
		stop()
		if n := l.backlog("FP_INDEX"); n != 0 {
			t.Errorf("%s: %d jobs follow", state, n)
		}
		if r := l.record(j); r.State != state || state == doc.Failed && r.Class != doc.Upstream {
			t.Errorf("%s: the record is %s, %s: %s", state, r.State, r.Class, r.Reason)
		}
		if n := len(l.letters()); n != 1 {
			t.Errorf("%s: %d letters", state, n)
		}
	}
}

// What fails after the version has ended elsewhere says nothing new: class and reason stand, no letter, and the purge is
// asked for again, for whoever ended it may have died before he could.
func TestWorkOfAnEndedVersion(t *testing.T) {
	l := open(t, nil)
	j := l.job("a.md")
	if err := l.ledger.End(t.Context(), tenant, j.DocID, j.Generation, doc.Failed, doc.Corrupt, "torn"); err != nil {
		t.Fatal(err)
	}
	for i, err := range []error{errTorn, fault.Failf(doc.Internal, "x"), fault.Skipf(doc.Empty, "x")} {
		j.Epoch = i
		l.put(wire.Live, j)
		stop := l.start(parse(1, func(context.Context, wire.Job) ([]pipeline.Next, error) { return nil, err }))
		if s := l.await(); s.Outcome != "superseded" {
			t.Errorf("%v: %s", err, s.Outcome)
		}
		stop()
		if f := l.follows(); len(f) != 1 || f[0].Kind != wire.Removed {
			t.Errorf("%v: %+v follow", err, f)
		}
	}
	if r := l.record(j); r.Class != doc.Corrupt || r.Reason != "torn" || r.Attempts != 0 || len(l.letters()) != 0 {
		t.Errorf("record %+v", r)
	}
}
