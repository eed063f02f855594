package workertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

const (
	lease  = 30 * time.Second
	within = time.Minute // a fact that Until waits for
	soon   = 5 * time.Second
)

var deadConsumer = bus.Consumer{Stream: wire.DeadStream, Durable: "test", Lease: lease}

// Stages is the chain.
func (h *House) Stages() []pipeline.Stage {
	return []pipeline.Stage{
		{Name: wire.Parse, Slots: 2, Lease: lease, Do: h.Parse.Do},
		{Name: wire.Chunk, Slots: 2, Lease: lease, Do: h.Chunk.Do},
		{Name: wire.Embed, Slots: 1, Lease: lease, Do: h.Embed.Do},
		{Name: wire.Index, Slots: 2, Lease: lease, Do: h.Indexer.Do},
	}
}

// Waiting is how many jobs wait for the stage in both lanes.
func (h *House) Waiting(s wire.Stage) (n int) {
	h.T.Helper()
	for _, l := range []wire.Lane{wire.Live, wire.Bulk} {
		n += h.backlog(wire.StreamName(l, s))
	}
	return n
}

func (h *House) backlog(stream string) int {
	h.T.Helper()
	n, _, err := h.Bus.Backlog(h.T.Context(), stream)
	if err != nil {
		h.T.Fatal(err)
	}
	return int(n)
}

// Take takes the next job of a stage out of its stream, live before bulk; the test fails when there is none.
func (h *House) Take(s wire.Stage) wire.Job {
	h.T.Helper()
	j, _ := h.take(s)
	return j
}

func (h *House) take(s wire.Stage) (wire.Job, wire.Lane) {
	h.T.Helper()
	for _, l := range []wire.Lane{wire.Live, wire.Bulk} {
		if h.backlog(wire.StreamName(l, s)) > 0 {
			var j wire.Job
			h.decode(h.next(pipeline.Consumer(l, s, lease)), &j)
			return j, l
		}
	}
	h.T.Fatalf("no job waits for %s", s)
	return wire.Job{}, ""
}

func (h *House) next(c bus.Consumer) []byte {
	h.T.Helper()
	got, err := h.Bus.Fetch(h.T.Context(), c, 1, soon)
	if err != nil || len(got) != 1 {
		h.T.Fatalf("fetch from %s: %d messages, %v", c.Stream, len(got), err)
	}
	if err := got[0].Ack(h.T.Context()); err != nil {
		h.T.Fatal(err)
	}
	return got[0].Message().Data
}

func (h *House) decode(b []byte, v any) {
	h.T.Helper()
	if err := json.Unmarshal(b, v); err != nil {
		h.T.Fatalf("%v: %.200s", err, b)
	}
}

// Letters takes all dead letters out.
func (h *House) Letters() (all []pipeline.Letter) {
	h.T.Helper()
	for h.backlog(wire.DeadStream) > 0 {
		var l pipeline.Letter
		h.decode(h.next(deadConsumer), &l)
		all = append(all, l)
	}
	return all
}

// Do does a job at its stage, publishes what follows, and returns the error as it is.
func (h *House) Do(s wire.Stage, j wire.Job) error {
	h.T.Helper()
	return h.do(s, j, wire.Live)
}

func (h *House) do(s wire.Stage, j wire.Job, l wire.Lane) error {
	h.T.Helper()
	for _, st := range h.Stages() {
		if st.Name != s {
			continue
		}
		next, err := st.Do(h.T.Context(), j)
		for _, n := range next {
			if err := pipeline.Publish(h.T.Context(), h.Bus, l, n); err != nil {
				h.T.Fatal(err)
			}
		}
		return err
	}
	return fmt.Errorf("no stage %q", s)
}

// Settle does every job that waits, and those that follow, one after the other. Superseded work ends quietly;
// any other error fails the test.
func (h *House) Settle() {
	h.T.Helper()
	for more := true; more; {
		more = false
		for _, s := range wire.Stages {
			for h.Waiting(s) > 0 {
				more = true
				j, l := h.take(s)
				err := h.do(s, j, l)
				if v, _ := fault.Of(err); err != nil && v != fault.Superseded {
					h.T.Fatalf("%s (%s) of %s: %v", s, j.Kind, j.Key, err)
				}
			}
		}
	}
}

// Start runs the chain in the background until the test ends or stop is called, which returns when it has drained.
// Seen, if not nil, is told of every settled job.
func (h *House) Start(seen func(pipeline.Settled)) (stop func()) {
	renew := func() *chan struct{} { c := make(chan struct{}); return &c }
	h.moment.CompareAndSwap(nil, renew())
	r := &pipeline.Runner{Bus: h.Bus, Ledger: h.Ledger, Log: slog.New(slog.DiscardHandler), Tries: 3, Grace: soon, Seen: func(s pipeline.Settled) {
		if seen != nil {
			seen(s)
		}
		close(*h.moment.Swap(renew()))
	}}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.Run(ctx, h.Stages()...)
	}()
	stop = func() { cancel(); <-done }
	h.T.Cleanup(stop)
	return stop
}

// Until waits for a fact, looking again whenever Start's chain has settled a job.
func (h *House) Until(what string, fact func() bool) {
	h.T.Helper()
	late := time.After(within)
	for {
		moment := *h.moment.Load()
		if fact() {
			return
		}
		select {
		case <-moment:
		case <-late:
			h.T.Fatalf("not within %v: %s", within, what)
		}
	}
}

// Entries is what the index holds of a generation of a document of Tenant, by kind.
func (h *House) Entries(id doc.ID, g doc.Generation) map[doc.Kind]int {
	h.T.Helper()
	n, err := h.Index.Count(h.T.Context(), Build, Tenant, doc.PrefixOf(id), g)
	if err != nil {
		h.T.Fatal(err)
	}
	for k, c := range n {
		if c == 0 {
			delete(n, k)
		}
	}
	return n
}

// Code is the code of a refusal; 0 for no error, -1 for an error that is none.
func Code(err error) int {
	if err == nil {
		return 0
	}
	if se, ok := errors.AsType[*bus.ServiceError](err); ok {
		return se.Code
	}
	return -1
}
