package nats

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/bus/nats/natstest"
)

var (
	jobs = bus.Stream{Name: "JOBS", Subjects: []string{"jobs.>"}, MaxBytes: 1 << 20}
	by   = bus.Consumer{Stream: "JOBS", Durable: "work", Lease: time.Minute}
)

func open(t *testing.T) *Bus {
	t.Helper()
	b, err := Connect(t.Context(), Options{URLs: []string{natstest.Start(t).URL()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	if err := b.Declare(t.Context(), []bus.Stream{jobs}, []bus.Consumer{by}); err != nil {
		t.Fatal(err)
	}
	return b
}

func publish(t *testing.T, b *Bus, n int) {
	t.Helper()
	for i := range n {
		if err := b.Publish(t.Context(), bus.Message{Subject: "jobs.x", Data: fmt.Append(nil, i)}); err != nil {
			t.Fatal(err)
		}
	}
}

// The settings that the failures of others teach: read back from the server, not from our own code.

func TestKnown24StreamsRefuseWhenFull(t *testing.T) {
	b := open(t)
	st, err := b.js.Stream(t.Context(), "JOBS")
	if err != nil {
		t.Fatal(err)
	}
	s := st.CachedInfo().Config
	if s.Discard != jetstream.DiscardNew || s.MaxBytes != 1<<20 || s.Storage != jetstream.FileStorage || s.Retention != jetstream.WorkQueuePolicy || s.Duplicates != window {
		t.Errorf("stream %+v", s)
	}
}

// consumer is the settings of the consumer as the server has them.
func consumer(t *testing.T, b *Bus) jetstream.ConsumerConfig {
	t.Helper()
	c, err := b.js.Consumer(t.Context(), "JOBS", "work")
	if err != nil {
		t.Fatal(err)
	}
	return c.CachedInfo().Config
}

func TestKnown17DeliveriesNeverEnd(t *testing.T) {
	c := consumer(t, open(t))
	if c.MaxDeliver != -1 {
		t.Errorf("deliveries end at %d", c.MaxDeliver)
	}
	if c.AckPolicy != jetstream.AckExplicitPolicy || c.AckWait != time.Minute || c.MaxAckPending != -1 {
		t.Errorf("consumer %+v", c)
	}
}

// Somebody lowers the deliveries of our consumer, of which no advisory tells: the next start sets them right.
func TestKnown19ChangedSettingsAreSetRightAtStart(t *testing.T) {
	b := open(t)
	c := consumer(t, b)
	c.MaxDeliver, c.AckWait = 2, time.Second
	if _, err := b.js.UpdateConsumer(t.Context(), "JOBS", c); err != nil {
		t.Fatal(err)
	}
	if err := b.Declare(t.Context(), []bus.Stream{jobs}, []bus.Consumer{by}); err != nil {
		t.Fatal(err)
	}
	if c := consumer(t, b); c.MaxDeliver != -1 || c.AckWait != time.Minute {
		t.Errorf("deliveries end at %d, a lease is %v", c.MaxDeliver, c.AckWait)
	}
}

func TestKnown3ReconnectsNeverEnd(t *testing.T) {
	if o := open(t).nc.Opts; o.MaxReconnect != -1 || o.ReconnectBufSize != -1 {
		t.Errorf("reconnects %d, buffer %d", o.MaxReconnect, o.ReconnectBufSize)
	}
}

// A bucket that another program made answers reads from any server; ours must not.
func TestForeignBucketReadsTheLeader(t *testing.T) {
	b := open(t)
	if _, err := b.js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "K", History: 5, Description: "theirs"}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.KV(t.Context(), "K"); err != nil {
		t.Fatal(err)
	}
	st, err := b.js.Stream(t.Context(), "KV_K")
	if err != nil {
		t.Fatal(err)
	}
	if c := st.CachedInfo().Config; c.AllowDirect || c.Description != "theirs" || c.MaxMsgsPerSubject != 5 {
		t.Errorf("bucket is %+v", c)
	}
}

func TestDeclareLeavesTheOperatorsSettings(t *testing.T) {
	b := open(t)
	st, err := b.js.Stream(t.Context(), "JOBS")
	if err != nil {
		t.Fatal(err)
	}
	cfg := st.CachedInfo().Config
	cfg.Description = "watched by the night shift"
	if _, err := b.js.UpdateStream(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	if err := b.Declare(t.Context(), []bus.Stream{jobs}, nil); err != nil {
		t.Fatal(err)
	}
	if st, err = b.js.Stream(t.Context(), "JOBS"); err != nil || st.CachedInfo().Config.Description != cfg.Description {
		t.Errorf("description is %q, %v", st.CachedInfo().Config.Description, err)
	}
}

// Work waits although nobody holds it: the consumer is looked at and made anew, and the message comes.
func TestKnown18StuckConsumerIsRebuilt(t *testing.T) {
	b := open(t)
	publish(t, b, 2)
	ctx, die := context.WithCancel(t.Context())
	if got, err := b.Fetch(ctx, by, 1, time.Second); err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	die()                                                           // the lease of a minute stays with nobody
	natstest.Await(t, "one waits and one is in hand", func() bool { // the counts of what was just stored may come a moment later
		p, err := b.Progress(t.Context(), by)
		return err == nil && p.Pending == 1 && p.InHand == 1 && !p.Delivered.IsZero() && p.Acked.IsZero()
	})
	if err := b.Rebuild(t.Context(), by); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for len(seen) < 2 {
		got, err := b.Fetch(t.Context(), by, 2, 10*time.Second)
		if err != nil || len(got) == 0 {
			t.Fatal(got, err)
		}
		for _, d := range got {
			seen[string(d.Message().Data)] = true
		}
	}
	if err := b.Rebuild(t.Context(), bus.Consumer{Stream: "NONE", Durable: "work", Lease: time.Second}); err == nil {
		t.Error("a consumer of no stream is rebuilt")
	}
}

// The process slept between the server's delivery and our reading: the lease is another worker's by now.
func TestKnown13LateMessageIsSkipped(t *testing.T) {
	b := open(t)
	publish(t, b, 1)
	cons, err := b.consumer(t.Context(), by)
	if err != nil {
		t.Fatal(err)
	}
	msg, err := cons.Next()
	if err != nil {
		t.Fatal(err)
	}
	if d := b.deliver(t.Context(), by, msg, time.Now().Add(-by.Lease)); d != nil {
		t.Error("a message whose lease is past is given out")
	}
	if d := b.deliver(t.Context(), by, msg, time.Now().Add(-by.Lease/2)); d == nil {
		t.Error("a message within its lease is skipped")
	}
}

// Every way to settle, and the end of the context, ends the heartbeat's goroutine.
func TestHeartbeatsEnd(t *testing.T) {
	b := open(t)
	publish(t, b, 40)
	ctx, cancel := context.WithCancel(t.Context())
	before := runtime.NumGoroutine()
	var got []bus.Delivery
	for len(got) < 40 {
		more, err := b.Fetch(ctx, by, 40, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, more...)
	}
	if n := runtime.NumGoroutine(); n < before+40 {
		t.Fatalf("%d goroutines with 40 deliveries in hand, %d before", n, before)
	}
	for i, d := range got[:30] {
		var err error
		switch i % 3 {
		case 0:
			err = d.Ack(ctx)
		case 1:
			err = d.Nak(time.Hour)
		case 2:
			err = d.Term("over")
		}
		if err != nil {
			t.Error(err)
		}
	}
	natstest.Await(t, "thirty heartbeats end", func() bool { return runtime.NumGoroutine() <= before+10+2 })
	cancel()
	natstest.Await(t, "all heartbeats end", func() bool { return runtime.NumGoroutine() <= before+2 })
}

// Ack returns when the server has it: the message is gone by then, each time.
func TestKnown15AckIsConfirmed(t *testing.T) {
	b := open(t)
	publish(t, b, 20)
	for left := uint64(20); left > 0; {
		got, err := b.Fetch(t.Context(), by, 1, time.Second)
		if err != nil || len(got) != 1 {
			t.Fatal(got, err)
		}
		if err := got[0].Ack(t.Context()); err != nil {
			t.Fatal(err)
		}
		left--
		if n, _, err := b.Backlog(t.Context(), "JOBS"); n != left || err != nil {
			t.Fatalf("%d left, %v; want %d", n, err, left)
		}
	}
	if err := b.Publish(t.Context(), bus.Message{Subject: "jobs.x"}); err != nil {
		t.Fatal(err)
	}
	got, err := b.Fetch(t.Context(), by, 1, time.Second)
	if err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	b.nc.Close()
	if err := got[0].Ack(t.Context()); !errors.Is(err, bus.ErrAway) {
		t.Errorf("an ack that nobody hears: %v", err)
	}
}

func TestKnown16AdvisoriesAreHeard(t *testing.T) {
	b := open(t)
	heard, ready := make(chan Advisory, 10), make(chan struct{})
	go func() { _ = b.Advisories(t.Context(), ready, func(a Advisory) { heard <- a }) }()
	<-ready
	publish(t, b, 1)
	got, err := b.Fetch(t.Context(), by, 1, time.Second)
	if err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	if err := got[0].Term("no pages"); err != nil {
		t.Fatal(err)
	}
	want := Advisory{Kind: "terminated", Stream: "JOBS", Consumer: "work", Sequence: 1, Attempts: 1, Reason: "no pages"}
	if a := <-heard; a != want {
		t.Errorf("heard %+v, want %+v", a, want)
	}
	if err := b.js.DeleteConsumer(t.Context(), "JOBS", "work"); err != nil {
		t.Fatal(err)
	}
	if a := <-heard; a.Kind != "consumer_action" || a.Consumer != "work" {
		t.Errorf("heard %+v, want the consumer's end", a)
	}
	for _, bad := range []string{"", "{", "[]", "{}", `{"type":7}`} {
		if a, ok := readAdvisory([]byte(bad)); ok {
			t.Errorf("%q is read as %+v", bad, a)
		}
	}
}

func TestSentinels(t *testing.T) {
	api := func(code int, number jetstream.ErrorCode) error {
		return fmt.Errorf("nats: %w", &jetstream.APIError{Code: code, ErrorCode: number, Description: "x"})
	}
	for _, c := range []struct {
		err, want error
	}{
		{natsgo.ErrNoResponders, bus.ErrAway}, {natsgo.ErrTimeout, bus.ErrAway}, {context.DeadlineExceeded, bus.ErrAway},
		{natsgo.ErrReconnectBufExceeded, bus.ErrAway}, {jetstream.ErrNoStreamResponse, bus.ErrAway}, {jetstream.ErrNoHeartbeat, bus.ErrAway},
		{api(503, 10008), bus.ErrAway}, {api(500, 10009), bus.ErrAway}, {api(503, 10076), bus.ErrAway}, {api(503, 1), bus.ErrAway},
		{api(503, 10077), bus.ErrFull}, {api(500, 10047), bus.ErrFull}, {api(503, 10023), bus.ErrFull},
		{api(400, 10071), bus.ErrConflict}, {api(400, 10164), bus.ErrConflict}, {api(404, 10037), bus.ErrNoKey},
		{natsgo.ErrMaxPayload, bus.ErrTooLarge}, {api(400, 10054), bus.ErrTooLarge},
		{api(400, 10058), nil}, {errors.New("x"), nil},
	} {
		if got := sentinel(c.err); got != c.want {
			t.Errorf("%v is %v, want %v", c.err, got, c.want)
		}
	}
}

// A handler that does not heed its context must not keep the process from ending.
func TestServeLeavesADeafHandlerBehind(t *testing.T) {
	b := open(t)
	block := make(chan struct{})
	defer close(block)
	sv := &service{bus: b}
	ctx, cancel := context.WithCancel(t.Context())
	sv.ctx = ctx
	sv.busy.Go(func() { <-block })
	cancel()
	if sv.finished() {
		t.Error("a handler that runs is said to have finished")
	}
}
