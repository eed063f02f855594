package bustest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fingerpost/fingerpost/pkg/bus"
)

func fullStreamPushesBack(s *suite) {
	s.stream.MaxBytes = 20_000
	s.declare()
	stored := 0
	var err error
	for ; err == nil && stored < 1000; stored++ {
		err = s.bus.Publish(s.Context(), bus.Message{Subject: s.subject("x"), Data: fmt.Appendf(nil, "%-1000d", stored)})
	}
	s.is(err, bus.ErrFull, s.subject("x"))
	stored--
	s.backlog(uint64(stored))
	d := s.fetch(1)[0]
	if got := strings.TrimSpace(string(d.Message().Data)); got != "0" {
		s.Errorf("the first message is %s: an older one was dropped", got)
	}
	s.ack(d)
	s.await("there is room again", func() bool {
		err := s.bus.Publish(s.Context(), bus.Message{Subject: s.subject("x"), Data: make([]byte, 900)})
		if err != nil && !errors.Is(err, bus.ErrFull) {
			s.Fatal(err)
		}
		return err == nil
	})
}

func logDiscardsTheOldest(s *suite) {
	log := bus.Stream{Name: s.stream.Name + "_LOG", Subjects: []string{"log." + s.stream.Name}, MaxBytes: 20_000, Limits: true, MaxAge: time.Hour}
	if err := s.bus.Declare(s.Context(), []bus.Stream{log}, nil); err != nil {
		s.Fatal(err)
	}
	for range 100 {
		if err := s.bus.Publish(s.Context(), bus.Message{Subject: log.Subjects[0], Data: make([]byte, 1000)}); err != nil {
			s.Fatal(err)
		}
	}
	n, _, err := s.bus.Backlog(s.Context(), log.Name)
	if err != nil || n < 10 || n > 20 {
		s.Errorf("the log holds %d messages, %v; want 10 to 20", n, err)
	}
}

func backlogCountsAndAges(s *suite) {
	n, age, err := s.bus.Backlog(s.Context(), s.stream.Name)
	if n != 0 || age != 0 || err != nil {
		s.Errorf("empty: %d, %v, %v", n, age, err)
	}
	s.publish("1", "2", "3")
	held := s.one("1")
	s.await("the oldest, in hand, is 50 ms old", func() bool {
		n, age, err = s.bus.Backlog(s.Context(), s.stream.Name)
		return err == nil && n == 3 && age > 50*time.Millisecond
	})
	s.ack(held)
	s.backlog(2)
	if _, _, err := s.bus.Backlog(s.Context(), "NO_SUCH"); err == nil || !strings.Contains(err.Error(), "NO_SUCH") {
		s.Errorf("a stream that is not there: %v", err)
	}
}

func declareUpdates(s *suite) {
	s.publish("1")
	s.declare() // twice is once
	s.stream.MaxBytes, s.stream.Window = 32<<20, time.Minute
	s.stream.Subjects = append(s.stream.Subjects, "more."+s.stream.Name)
	s.consumer.Lease = 2 * lease
	s.declare()
	if err := s.bus.Publish(s.Context(), bus.Message{Subject: "more." + s.stream.Name, Data: []byte("2")}); err != nil {
		s.Error(err)
	}
	s.ack(s.one("1"))
	s.ack(s.one("2"))
}

func declareNamesTheIncompatible(s *suite) {
	log := s.stream
	log.Limits = true
	err := s.bus.Declare(s.Context(), []bus.Stream{log}, nil)
	if err == nil || !strings.Contains(err.Error(), s.stream.Name) || !strings.Contains(err.Error(), "retention") {
		s.Errorf("another retention: %v", err)
	}
	overlap := bus.Stream{Name: s.stream.Name + "_B", Subjects: s.stream.Subjects, MaxBytes: 1 << 20}
	if err := s.bus.Declare(s.Context(), []bus.Stream{overlap}, nil); err == nil || !strings.Contains(err.Error(), overlap.Name) {
		s.Errorf("subjects of another stream: %v", err)
	}
	second := s.consumer
	second.Durable = "second"
	if err := s.bus.Declare(s.Context(), nil, []bus.Consumer{second}); err == nil || !strings.Contains(err.Error(), "second") {
		s.Errorf("a second consumer of a work queue: %v", err)
	}
	s.publish("1")
	s.ack(s.one("1"))
}

func hostileMessages(s *suite) {
	for _, subject := range []string{"", ".", "a..b", "a.", ".a", "a b", "a.*", "a.>", "a\r\nPUB b 0", "a\x00b", "a\tb"} {
		if err := s.bus.Publish(s.Context(), bus.Message{Subject: subject}); err == nil {
			s.Errorf("subject %q is taken", subject)
		}
		if _, err := s.bus.Request(s.Context(), subject, nil); err == nil {
			s.Errorf("request on %q is taken", subject)
		}
	}
	for _, name := range []string{"", "a b", "a:b", "a\r\nb", "Nats-Msg-Id", "é"} {
		if err := s.bus.Publish(s.Context(), bus.Message{Subject: s.subject("x"), Header: map[string]string{name: "v"}}); err == nil {
			s.Errorf("header %q is taken", name)
		}
	}
	if err := s.bus.Publish(s.Context(), bus.Message{Subject: "nobody." + s.stream.Name, Data: []byte("x")}); !errors.Is(err, bus.ErrAway) {
		s.Errorf("no stream has the subject: %v", err)
	}
	ended, end := context.WithCancel(s.Context())
	end()
	if err := s.bus.Publish(ended, bus.Message{Subject: s.subject("x")}); !errors.Is(err, context.Canceled) || errors.Is(err, bus.ErrAway) {
		s.Errorf("an ended context: %v", err)
	}
	s.backlog(0)
	if err := s.bus.Publish(s.Context(), bus.Message{Subject: s.subject("x"), Header: map[string]string{"k": "two\r\nNats-Msg-Id: lines"}}); err != nil {
		s.Fatal(err)
	}
	d := s.fetch(1)[0]
	if m := d.Message(); m.ID != "" || len(m.Header) != 1 || len(m.Data) != 0 {
		s.Errorf("a header's value broke out: %+v", m)
	}
	s.ack(d)
}

func bigMessages(s *suite) {
	big := []byte(strings.Repeat("0123456789", 100_000)) // just below the server's 1 MiB
	if err := s.bus.Publish(s.Context(), bus.Message{Subject: s.subject("x"), ID: "big", Data: big}); err != nil {
		s.Fatal(err)
	}
	d := s.fetch(1)[0]
	if got := d.Message().Data; string(got) != string(big) {
		s.Errorf("%d bytes came, other than the %d sent", len(got), len(big))
	}
	s.ack(d)
	huge := make([]byte, 3<<20)
	s.is(s.bus.Publish(s.Context(), bus.Message{Subject: s.subject("x"), Data: huge}), bus.ErrTooLarge, "3145", "limit")
	kv := s.kv()
	_, err := kv.Put(s.Context(), "a", huge, 0)
	s.is(err, bus.ErrTooLarge, "limit")
	_, err = s.bus.Request(s.Context(), s.subject("x"), huge)
	s.is(err, bus.ErrTooLarge, "limit")
	s.publish("still here")
	s.ack(s.one("still here"))
}

// scanTakesNothing: what is read by Scan is still delivered; what is removed is not.
func scanTakesNothing(s *suite) {
	s.publish("1", "2", "3")
	var got []string
	var second uint64
	err := s.bus.Scan(s.Context(), s.stream.Name, s.subject(">"), func(m bus.Stored) error {
		if got = append(got, string(m.Data)); len(got) == 2 {
			second = m.Sequence
		}
		return nil
	})
	if err != nil || strings.Join(got, " ") != "1 2 3" {
		s.Fatalf("scan gave %q, %v", got, err)
	}
	for range 2 { // the second time it is gone already
		if err := s.bus.Remove(s.Context(), s.stream.Name, second); err != nil {
			s.Fatal(err)
		}
	}
	s.backlog(2)
	stop := errors.New("enough")
	if err := s.bus.Scan(s.Context(), s.stream.Name, "", func(bus.Stored) error { return stop }); !errors.Is(err, stop) {
		s.Errorf("an error of f gave %v", err)
	}
}
