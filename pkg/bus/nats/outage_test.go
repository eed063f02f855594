package nats_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/bus/nats"
	"github.com/fingerpost/fingerpost/pkg/bus/nats/natstest"
)

var (
	work = bus.Stream{Name: "FP_PARSE", Subjects: []string{"fp.>"}, MaxBytes: 16 << 20}
	by   = bus.Consumer{Stream: "FP_PARSE", Durable: "parse", Lease: 400 * time.Millisecond}
)

func declare(t *testing.T, b bus.Bus) {
	t.Helper()
	if err := b.Declare(t.Context(), []bus.Stream{work}, []bus.Consumer{by}); err != nil {
		t.Fatal(err)
	}
}

func publish(ctx context.Context, b bus.Bus, i int) error {
	return b.Publish(ctx, bus.Message{Subject: "fp.x", ID: fmt.Sprint(i), Data: fmt.Append(nil, i)})
}

// persist repeats f while the bus is away.
func persist(t *testing.T, f func() error) {
	t.Helper()
	natstest.Await(t, "the bus is back", func() bool {
		err := f()
		if err != nil && !errors.Is(err, bus.ErrAway) {
			t.Fatal(err)
		}
		return err == nil
	})
}

// One client lives through a stop of the server: writes say that it is away, and afterwards publishing,
// fetching, the state, a watch and a service go on by themselves.
func TestKnown22EverythingGoesOnAfterARestart(t *testing.T) {
	s := natstest.Start(t)
	b := connect(t, nats.Options{URLs: []string{s.URL()}, Timeout: 2 * time.Second})
	declare(t, b)
	kv, err := b.KV(t.Context(), "K")
	if err != nil {
		t.Fatal(err)
	}
	rev, err := kv.Put(t.Context(), "a.x", []byte("1"), 0)
	if err != nil {
		t.Fatal(err)
	}
	changes, ready := make(chan string, 100), make(chan struct{})
	go func() {
		_ = kv.Watch(t.Context(), "a", ready, func(_ string, value []byte, _ uint64) { changes <- string(value) })
	}()
	<-ready
	serving := make(chan struct{})
	go func() {
		_ = b.Serve(t.Context(), bus.Service{Name: "q", Version: "1.0.0", Ready: serving, Endpoints: []bus.Endpoint{{Name: "ask", Subject: "ask",
			Handle: func(context.Context, string, []byte) ([]byte, error) { return []byte("yes"), nil }}}})
	}()
	<-serving
	if err := publish(t.Context(), b, 1); err != nil {
		t.Fatal(err)
	}
	waiting := make(chan string, 1)
	s.Stop()

	if err := publish(t.Context(), b, 2); !errors.Is(err, bus.ErrAway) {
		t.Errorf("publish while away: %v", err)
	}
	if _, _, err := kv.Get(t.Context(), "a.x"); !errors.Is(err, bus.ErrAway) {
		t.Errorf("get while away: %v", err)
	}
	began := time.Now()
	if got, err := b.Fetch(t.Context(), by, 1, 300*time.Millisecond); len(got) > 0 || !errors.Is(err, bus.ErrAway) {
		t.Errorf("fetch while away: %d, %v", len(got), err)
	}
	if took := time.Since(began); took < 300*time.Millisecond {
		t.Errorf("a fetch while away ends after %v: a loop around it would spin", took)
	}
	go func() {
		got, err := b.Fetch(t.Context(), by, 1, time.Minute)
		if err != nil || len(got) != 1 {
			waiting <- fmt.Sprint(len(got), err)
			return
		}
		waiting <- string(got[0].Message().Data)
	}()
	s.Start(t)
	back := time.Now()
	if got := <-waiting; got != "1" {
		t.Errorf("a fetch that lived through the restart got %s", got)
	}
	persist(t, func() error { return publish(t.Context(), b, 3) })
	persist(t, func() error { _, err := kv.Put(t.Context(), "a.x", []byte("2"), rev); return err })
	persist(t, func() error { _, err := b.Request(t.Context(), "ask", nil); return err })
	for got := ""; got != "2"; {
		select {
		case got = <-changes:
		case <-time.After(30 * time.Second):
			t.Fatal("the watch does not go on")
		}
	}
	if took := time.Since(back); took > 10*time.Second {
		t.Errorf("work goes on %v after the server's return, want 10 s at most", took)
	}
}

// The bus dials until the server is there.
func TestConnectWaitsForTheServer(t *testing.T) {
	s := natstest.Start(t)
	s.Stop()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := nats.Connect(ctx, nats.Options{URLs: []string{s.URL()}}); !errors.Is(err, bus.ErrAway) {
		t.Errorf("no server: %v", err)
	}
	done := make(chan error, 1)
	go func() {
		b, err := nats.Connect(t.Context(), nats.Options{URLs: []string{s.URL()}})
		if err == nil {
			err = b.Close()
		}
		done <- err
	}()
	s.Start(t)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// The stream's leader goes while messages are published and worked on: every message whose publish
// returned is worked on, and the counter in the state loses nothing.
func TestNodeLossLosesNothing(t *testing.T) {
	nodes := natstest.Cluster(t, 3)
	opt := nats.Options{Replicas: 3, Timeout: 2 * time.Second}
	for _, n := range nodes {
		opt.URLs = append(opt.URLs, n.URL())
	}
	b := connect(t, opt)
	declare(t, b)
	const n, half = 200, 100
	var mu sync.Mutex
	seen := map[string]bool{}
	ctx, stop := context.WithCancel(t.Context())
	var worker sync.WaitGroup
	worker.Go(func() {
		for ctx.Err() == nil {
			got, _ := b.Fetch(ctx, by, 4, time.Second)
			for _, d := range got {
				mu.Lock()
				seen[string(d.Message().Data)] = true
				mu.Unlock()
				_ = d.Ack(ctx) // not confirmed: it comes again, or was taken
			}
		}
	})
	for i := range n {
		if i == half {
			leader(t, nodes).Stop()
		}
		persist(t, func() error { return publish(t.Context(), b, i) })
	}
	natstest.Await(t, "all messages are worked on", func() bool {
		backlog, _, err := b.Backlog(t.Context(), work.Name)
		return err == nil && backlog == 0
	})
	stop()
	worker.Wait()
	if len(seen) != n {
		t.Errorf("%d of %d messages were worked on", len(seen), n)
	}
}

func leader(t *testing.T, nodes []*natstest.Server) *natstest.Server {
	t.Helper()
	var found *natstest.Server
	natstest.Await(t, "the stream has a leader", func() bool {
		for _, n := range nodes {
			if n.Leads(work.Name) {
				found = n
			}
		}
		return found != nil
	})
	return found
}
