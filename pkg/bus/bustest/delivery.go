package bustest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/fingerpost/fingerpost/pkg/bus"
)

func deliveryCarriesTheMessage(s *suite) {
	began := time.Now()
	m := bus.Message{Subject: s.subject("tenant.doc"), ID: "doc.parse.1", Data: []byte(`{"key":"a b"}`),
		Header: map[string]string{"ce-id": "doc.parse.1", "traceparent": "00-1-2-01", "ce-type": "Größe, 日本"}}
	if err := s.bus.Publish(s.Context(), m); err != nil {
		s.Fatal(err)
	}
	d := s.fetch(1)[0]
	got := d.Message()
	if got.Subject != m.Subject || got.ID != m.ID || string(got.Data) != string(m.Data) || !maps.Equal(got.Header, m.Header) {
		s.Errorf("got %+v, want %+v", got, m)
	}
	if d.Attempt() != 1 {
		s.Errorf("attempt %d, want 1", d.Attempt())
	}
	if d.Stored().Before(began.Add(-time.Minute)) || d.Stored().After(time.Now().Add(time.Minute)) {
		s.Errorf("stored at %v", d.Stored())
	}
	s.ack(d)
}

func duplicateIsStoredOnce(s *suite) {
	for range 3 {
		if err := s.bus.Publish(s.Context(), bus.Message{Subject: s.subject("x"), ID: "same", Data: []byte("1")}); err != nil {
			s.Fatal(err)
		}
	}
	s.backlog(1)
	s.ack(s.one("1"))
	if err := s.bus.Publish(s.Context(), bus.Message{Subject: s.subject("x"), ID: "same", Data: []byte("1")}); err != nil {
		s.Errorf("a duplicate after the ack: %v", err)
	}
	s.backlog(0)
}

// An id stays in the window after the ack, so a replay carries its epoch in the id.
func replayIsNotSwallowed(s *suite) {
	for _, id := range []string{"doc.parse.1.0", "doc.parse.1.1"} {
		if err := s.bus.Publish(s.Context(), bus.Message{Subject: s.subject("x"), ID: id, Data: []byte(id)}); err != nil {
			s.Fatal(err)
		}
		s.ack(s.one(id))
	}
}

func ackRemoves(s *suite) {
	s.publish("1", "2")
	s.ack(s.one("1"))
	s.ack(s.one("2"))
	s.backlog(0)
	s.nothing(s.bus, 2*lease)
}

func termRemoves(s *suite) {
	s.publish("1")
	if err := s.one("1").Term("corrupt:\r\nno pages"); err != nil {
		s.Fatal(err)
	}
	s.backlog(0)
	s.nothing(s.bus, 2*lease)
}

func nakWaits(s *suite) {
	s.publish("1")
	const delay = 2 * lease
	began := time.Now()
	if err := s.one("1").Nak(delay); err != nil {
		s.Fatal(err)
	}
	d := s.one("1")
	if took := time.Since(began); took < delay {
		s.Errorf("came again after %v, want %v at least", took, delay)
	}
	if d.Attempt() != 2 {
		s.Errorf("attempt %d, want 2", d.Attempt())
	}
	if err := d.Nak(0); err != nil {
		s.Fatal(err)
	}
	s.ack(s.one("1"))
}

func lostLeaseIsRedelivered(s *suite) {
	s.publish("1")
	dying, die := context.WithCancel(s.Context())
	got, err := s.Connect(s.T).Fetch(dying, s.consumer, 1, soon)
	if err != nil || len(got) != 1 {
		s.Fatal(got, err)
	}
	die()
	d := s.one("1")
	if d.Attempt() < 2 {
		s.Errorf("attempt %d, want 2", d.Attempt())
	}
	s.ack(d)
}

func heartbeatKeepsTheLease(s *suite) {
	s.publish("1")
	d := s.one("1")
	s.nothing(s.Connect(s.T), 5*lease)
	s.ack(d)
	s.backlog(0)
}

func noPrefetch(s *suite) {
	s.publish("1", "2", "3", "4", "5", "6")
	held := s.fetch(2)
	if len(held) > 2 {
		s.Errorf("%d came, 2 were asked for", len(held))
	}
	other := s.Connect(s.T)
	for len(held) < 6 { // what the first worker does not hold is free for the other one at once
		got, err := other.Fetch(s.Context(), s.consumer, 10, soon)
		if err != nil || len(got) == 0 {
			s.Fatalf("%d more came after %d, %v", len(got), len(held), err)
		}
		held = append(held, got...)
	}
	for _, d := range held {
		if d.Attempt() != 1 {
			s.Errorf("%s at attempt %d", d.Message().Data, d.Attempt())
		}
		s.ack(d)
	}
}

// A free worker of several slots must not wait until all of them have something to do.
func fetchReturnsTheFirst(s *suite) {
	type result struct {
		got []bus.Delivery
		err error
	}
	done := make(chan result, 1)
	go func() {
		got, err := s.bus.Fetch(s.Context(), s.consumer, 8, time.Hour)
		done <- result{got, err}
	}()
	s.publish("1")
	select {
	case r := <-done:
		if r.err != nil || len(r.got) != 1 {
			s.Fatal(r.got, r.err)
		}
		s.ack(r.got[0])
	case <-time.After(soon):
		s.Fatal("the message waits for others")
	}
}

func fetchEndsWithItsContext(s *suite) {
	ctx, stop := context.WithCancel(s.Context())
	time.AfterFunc(lease, stop)
	got, err := s.bus.Fetch(ctx, s.consumer, 4, time.Hour)
	if len(got) > 0 || !errors.Is(err, context.Canceled) {
		s.Errorf("%d deliveries, %v", len(got), err)
	}
	s.publish("1") // the pull that was cut off may take it, and must hand it back
	s.ack(s.one("1"))
}

func twoWorkersShare(s *suite) {
	const n = 200
	for i := range n {
		s.publish(fmt.Sprint(i))
	}
	var mu sync.Mutex
	seen, bodies := map[string]int{}, map[string]bool{}
	work := func(b bus.Bus) {
		for {
			got, err := b.Fetch(s.Context(), s.consumer, 3, 2*lease)
			if err != nil {
				s.Error(err)
			}
			if len(got) == 0 {
				return
			}
			for _, d := range got {
				mu.Lock()
				seen[fmt.Sprintf("%s, attempt %d,", d.Message().Data, d.Attempt())]++
				bodies[string(d.Message().Data)] = true
				mu.Unlock()
				if err := d.Ack(s.Context()); err != nil {
					s.Error(err)
				}
			}
		}
	}
	var both sync.WaitGroup
	other := s.Connect(s.T)
	both.Go(func() { work(s.bus) })
	both.Go(func() { work(other) })
	both.Wait()
	for body, times := range seen {
		if times != 1 {
			s.Errorf("message %s came %d times", body, times)
		}
	}
	if len(bodies) != n {
		s.Errorf("%d of %d messages came", len(bodies), n)
	}
	s.backlog(0)
}

func noDeliveryIsTheLast(s *suite) {
	s.publish("1")
	const rounds = 40
	for i := range rounds {
		d := s.one("1")
		if d.Attempt() != i+1 {
			s.Fatalf("attempt %d, want %d", d.Attempt(), i+1)
		}
		if err := d.Nak(0); err != nil {
			s.Fatal(err)
		}
	}
	s.ack(s.one("1"))
	s.backlog(0)
}

// More messages wait for a later try than the server would let be in hand by default.
func delayedBlockNobody(s *suite) {
	const n = 1100
	for range n {
		s.publish("later")
	}
	for left := n; left > 0; {
		for _, d := range s.fetch(left) {
			if err := d.Nak(time.Hour); err != nil {
				s.Fatal(err)
			}
			left--
		}
	}
	s.publish("now")
	for came := ""; came != "now"; { // a slow machine loses leases of "later" before they are handed back
		for _, d := range s.fetch(n) {
			if came = string(d.Message().Data); came == "now" {
				s.ack(d)
			} else if err := d.Nak(time.Hour); err != nil || d.Attempt() == 1 {
				s.Fatalf("%q at attempt %d, %v", came, d.Attempt(), err)
			}
		}
	}
}

func deletedConsumerIsRebuilt(s *suite) {
	s.publish("1", "2")
	held := s.one("1")
	s.DeleteConsumer(s.T, s.stream.Name, s.consumer.Durable)
	s.is(held.Ack(s.Context()), bus.ErrAway)
	seen := map[string]bool{}
	for len(seen) < 2 {
		for _, d := range s.fetch(2) {
			seen[string(d.Message().Data)] = true
			s.ack(d)
		}
	}
	waiting := make(chan error, 1)
	go func() {
		got, err := s.bus.Fetch(s.Context(), s.consumer, 1, soon)
		if err == nil && len(got) != 1 {
			err = errors.New("nothing came")
		}
		waiting <- err
	}()
	s.DeleteConsumer(s.T, s.stream.Name, s.consumer.Durable)
	s.publish("3")
	if err := <-waiting; err != nil {
		s.Errorf("a waiting fetch: %v", err)
	}
}

func purgedStreamGoesOn(s *suite) {
	s.publish("1", "2")
	held := s.one("1")
	s.Purge(s.T, s.stream.Name)
	s.backlog(0)
	if err := held.Ack(s.Context()); err != nil && !errors.Is(err, bus.ErrAway) {
		s.Errorf("ack of a purged message: %v", err)
	}
	s.nothing(s.bus, lease)
	s.publish("3")
	s.ack(s.one("3"))
}
