package embedded_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/bus/nats"
	"github.com/fingerpost/fingerpost/pkg/bus/nats/embedded"
	"github.com/fingerpost/fingerpost/pkg/doc"
)

// A tenant, whose account is not the service's, gets every part; one that leaves, or whose connection breaks, ends the work.
func TestPartsReachATenant(t *testing.T) {
	s := start(t, embedded.Options{Dir: t.TempDir(), Tenants: []doc.Tenant{"default"}})
	began, ended := make(chan struct{}), make(chan struct{})
	ready, done := make(chan struct{}), make(chan error, 1)
	ctx, stop := context.WithCancel(t.Context())
	work := func(ctx context.Context, _ string, data []byte, send func([]byte) error) ([]byte, error) {
		if string(data) == "all" {
			return []byte("three"), errors.Join(send([]byte("one")), send([]byte("two")))
		}
		began <- struct{}{}
		<-ctx.Done()
		ended <- struct{}{}
		return nil, context.Cause(ctx)
	}
	service := connect(t, s.Client())
	go func() {
		done <- service.Serve(ctx, bus.Service{Name: "query", Version: "1.0.0", Ready: ready, Endpoints: []bus.Endpoint{
			{Name: "ask_parts", Subject: "fingerpost.*.ask_parts", Parts: work}}})
	}()
	<-ready
	t.Cleanup(func() { stop(); <-done })
	const subject = "fingerpost.default.ask_parts"
	b := connect(t, nats.Options{URLs: []string{s.URL()}, CredsFile: s.TenantCreds("default")})
	var got []string
	last, err := b.RequestParts(t.Context(), subject, []byte("all"), func(p []byte) error { got = append(got, string(p)); return nil })
	if err != nil || len(got) != 2 || got[0] != "one" || string(last) != "three" {
		t.Fatalf("%v: %q, %q", err, got, last)
	}
	for name, leave := range map[string]func(cancel func(), b *nats.Bus){
		"cancels": func(cancel func(), _ *nats.Bus) { cancel() },
		"breaks":  func(_ func(), b *nats.Bus) { _ = b.Close() },
	} {
		asker := connect(t, nats.Options{URLs: []string{s.URL()}, CredsFile: s.TenantCreds("default")})
		ctx, cancel := context.WithCancel(t.Context())
		go func() { _, _ = asker.RequestParts(ctx, subject, nil, func([]byte) error { return nil }) }()
		<-began
		left := time.Now()
		leave(cancel, asker)
		select {
		case <-ended:
			t.Logf("%s: the work ended after %v", name, time.Since(left).Round(time.Millisecond))
			if d := time.Since(left); d > 2*time.Second {
				t.Errorf("%s: the work went on for %v", name, d)
			}
		case <-time.After(20 * time.Second):
			t.Errorf("%s: the work goes on", name)
		}
		cancel()
	}
}
