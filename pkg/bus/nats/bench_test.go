package nats_test

import (
	"context"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/bus/nats"
	"github.com/fingerpost/fingerpost/pkg/bus/nats/embedded"
)

func opened(b *testing.B) *nats.Bus {
	b.Helper()
	s, err := embedded.Start(embedded.Options{Dir: b.TempDir(), Port: -1})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Stop() })
	c, err := nats.Connect(b.Context(), s.Client())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Close() })
	if err := c.Declare(b.Context(), []bus.Stream{work}, []bus.Consumer{{Stream: work.Name, Durable: "parse", Lease: time.Minute}}); err != nil {
		b.Fatal(err)
	}
	return c
}

// BenchmarkStart is a first start of the embedded server with its keys, until a client is connected.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		opened(b)
	}
}

// BenchmarkMessage is one message through a stage: publish, fetch, confirmed ack.
func BenchmarkMessage(b *testing.B) {
	c := opened(b)
	by := bus.Consumer{Stream: work.Name, Durable: "parse", Lease: time.Minute}
	body := make([]byte, 400)
	for b.Loop() {
		if err := c.Publish(b.Context(), bus.Message{Subject: "fp.x", Data: body}); err != nil {
			b.Fatal(err)
		}
		got, err := c.Fetch(b.Context(), by, 4, time.Second)
		if err != nil || len(got) != 1 {
			b.Fatal(got, err)
		}
		if err := got[0].Ack(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkState is one compare-and-set of a document's state: get, put.
func BenchmarkState(b *testing.B) {
	kv, err := opened(b).KV(b.Context(), "FP_DOCS")
	if err != nil {
		b.Fatal(err)
	}
	rev, body := uint64(0), make([]byte, 400)
	for b.Loop() {
		if _, err = kv.Put(b.Context(), "t.doc", body, rev); err != nil {
			b.Fatal(err)
		}
		if _, rev, err = kv.Get(b.Context(), "t.doc"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRequest is a request and its reply through a service in the same process.
func BenchmarkRequest(b *testing.B) {
	c := opened(b)
	ready := make(chan struct{})
	go func() {
		_ = c.Serve(b.Context(), bus.Service{Name: "q", Version: "1.0.0", Ready: ready, Endpoints: []bus.Endpoint{{Name: "ask", Subject: "ask",
			Handle: func(_ context.Context, _ string, data []byte) ([]byte, error) { return data, nil }}}})
	}()
	<-ready
	body := make([]byte, 1000)
	for b.Loop() {
		if _, err := c.Request(b.Context(), "ask", body); err != nil {
			b.Fatal(err)
		}
	}
}
