package intake_test

import (
	"context"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/blob/faulty"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/bus/nats/natstest"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/notice"
	"github.com/fingerpost/fingerpost/pkg/retry"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

func TestMain(m *testing.M) {
	retry.Redelivery = retry.Delays{First: time.Millisecond, Most: 20 * time.Millisecond}
	os.Exit(m.Run())
}

// tell publishes an event of the gateway.
func tell(t *testing.T, h *workertest.House, body []byte) {
	t.Helper()
	if err := h.Bus.Publish(t.Context(), bus.Message{Subject: wire.EventSubject + ".test", Data: body}); err != nil {
		t.Fatal(err)
	}
}

func event(t *testing.T, key string) []byte {
	t.Helper()
	b, err := notice.Encode(workertest.Bucket, key)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// run runs intake until stop, which returns when it has drained.
func run(t *testing.T, h *workertest.House) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); h.Intake.Run(ctx) }()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	return stop
}

func events(t *testing.T, h *workertest.House) uint64 {
	t.Helper()
	n, _, err := h.Bus.Backlog(t.Context(), wire.EventStream)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Events are done one and all: garbage, doubles, and those that meet an outage, once it is over.
func TestRun(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	var outage atomic.Int64
	outage.Store(5)
	h.Fail(func(op faulty.Op, b, _ string) faulty.Fault {
		if op == faulty.Head && outage.Add(-1) >= 0 {
			return faulty.Fault{Err: blob.ErrAway}
		}
		return faulty.Fault{}
	})
	h.Store(workertest.Bucket, "a.md", "x")
	for _, b := range [][]byte{[]byte("garbage"), event(t, "a.md"), event(t, "a.md"), nil, event(t, "missing.md")} {
		tell(t, h, b)
	}
	run(t, h)
	natstest.Await(t, "all events are done", func() bool { return events(t, h) == 0 })
	if n := h.Waiting(wire.Parse); n != 1 || state(h, "a.md") != "pending//g1" {
		t.Errorf("%d jobs, a.md is %s", n, state(h, "a.md"))
	}
}

// panicking is a store that panics at one key.
type panicking struct{ blob.Store }

func (p panicking) Head(ctx context.Context, bucket, key string) (blob.Info, error) {
	if key == "bad.md" {
		panic("bad.md")
	}
	return p.Store.Head(ctx, bucket, key)
}

// An event that makes the code panic costs neither the process nor the others.
func TestAPanicIsOneEvent(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	h.Intake.Blobs = panicking{h.Blobs}
	h.Store(workertest.Bucket, "good.md", "x")
	tell(t, h, event(t, "bad.md"))
	tell(t, h, event(t, "good.md"))
	run(t, h)
	natstest.Await(t, "all events are done", func() bool { return events(t, h) == 0 })
	if got := state(h, "good.md"); got != "pending//g1" {
		t.Errorf("good.md is %s", got)
	}
}

// full is a bus whose stages take nothing.
type full struct {
	bus.Bus
	tries chan struct{}
}

func (f full) Publish(context.Context, bus.Message) error {
	select {
	case f.tries <- struct{}{}:
	default:
	}
	return bus.ErrFull
}

// A stop does not wait for ever for a stream that is full; the event is handed back.
func TestKnown24AStopWhileStreamsAreFull(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	h.Store(workertest.Bucket, "a.md", "x")
	tell(t, h, event(t, "a.md"))
	f := full{h.Bus, make(chan struct{}, 1)}
	h.Intake.Bus, h.Intake.Grace = f, time.Millisecond
	stop := run(t, h)
	<-f.tries
	stop()
	if events(t, h) != 1 {
		t.Error("the event is lost")
	}
	h.Intake.Bus = h.Bus
	run(t, h)
	natstest.Await(t, "the event is done", func() bool { return events(t, h) == 0 })
	if r := h.Record(workertest.ID("a.md")); r.State != doc.Pending || h.Waiting(wire.Parse) != 1 {
		t.Errorf("a.md is %s, %d jobs", r.State, h.Waiting(wire.Parse))
	}
}
