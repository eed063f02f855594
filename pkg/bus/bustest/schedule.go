package bustest

import (
	"time"

	"github.com/fingerpost/fingerpost/pkg/bus"
)

func scheduleSends(s *suite) {
	x := bus.Schedule{Stream: s.stream.Name + "_AT", Subject: "at." + s.stream.Name, Cron: "@every 1s"}
	due := func() time.Time {
		at, err := s.bus.Due(s.Context(), x)
		if err != nil {
			s.Fatal(err)
		}
		return at
	}
	if at := due(); !at.IsZero() {
		s.Fatalf("sent at %v, before it was set", at)
	}
	s.schedule(x)
	s.await("a first message", func() bool { return !due().IsZero() })
	first := due()
	s.schedule(x) // the same again: it goes on
	s.await("another one", func() bool { return due().After(first) })
	x.Cron = ""
	s.schedule(x)
	last := due()
	s.nothing(s.bus, 1500*time.Millisecond)
	if at := due(); at.Sub(last) > time.Second {
		s.Errorf("sent at %v, after its end at %v", at, last)
	}
	x.Cron = "99 * * * *"
	s.is(s.bus.Schedule(s.Context(), x), bus.ErrNoSchedules, x.Subject)
	x.Stream, x.Cron = s.stream.Name, "@weekly" // made without schedules
	s.is(s.bus.Schedule(s.Context(), x), bus.ErrNoSchedules, x.Stream)
}

func (s *suite) schedule(x bus.Schedule) {
	s.Helper()
	if err := s.bus.Schedule(s.Context(), x); err != nil {
		s.Fatal(err)
	}
}
