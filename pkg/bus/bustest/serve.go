package bustest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/fingerpost/fingerpost/pkg/bus"
)

type handler = func(ctx context.Context, subject string, data []byte) ([]byte, error)

// serve runs a service with one endpoint on t.<stream>.*.ask outside the stream's subjects until stop is called.
func (s *suite) serve(b bus.Bus, limit int, h handler) (stop func() error) {
	s.Helper()
	ready, done := make(chan struct{}), make(chan error, 1)
	ctx, end := context.WithCancel(s.Context())
	reach := fmt.Sprintf("reach.%d", serial.Add(1)) // of this instance alone
	go func() {
		done <- b.Serve(ctx, bus.Service{Name: s.stream.Name, Version: "1.2.3", Description: "test", Ready: ready, Endpoints: []bus.Endpoint{
			{Name: "ask", Subject: "ask." + s.stream.Name + ".*", Metadata: map[string]string{"schema": "ask.json"}, Limit: limit, Handle: h},
			{Name: "reach", Subject: reach, Handle: func(context.Context, string, []byte) ([]byte, error) { return nil, nil }}}})
	}()
	select {
	case <-ready:
	case err := <-done:
		s.Fatalf("service ended: %v", err)
	}
	s.await("the servers of the cluster know the service", func() bool {
		_, err := s.bus.Request(s.Context(), reach, nil)
		return err == nil
	})
	once := sync.OnceValue(func() error { end(); return <-done })
	s.Cleanup(func() { _ = once() })
	return once
}

func (s *suite) ask(data string) (string, error) {
	ctx, cancel := context.WithTimeout(s.Context(), soon)
	defer cancel()
	got, err := s.bus.Request(ctx, "ask."+s.stream.Name+".tenant", []byte(data))
	return string(got), err
}

func requestReply(s *suite) {
	s.serve(s.Connect(s.T), 0, func(_ context.Context, subject string, data []byte) ([]byte, error) {
		switch string(data) {
		case "refuse":
			return nil, fmt.Errorf("wrapped: %w", &bus.ServiceError{Code: 404, Message: "no such document:\r\nlook at `documents`"})
		case "break":
			return nil, errors.New("disk on fire")
		case "panic":
			panic("lost")
		case "big":
			return make([]byte, 3<<20), nil
		case "late":
			return nil, context.DeadlineExceeded
		}
		return []byte(subject + " " + string(data)), nil
	})
	if got, err := s.ask("hi"); got != "ask."+s.stream.Name+".tenant hi" || err != nil {
		s.Errorf("got %q, %v", got, err)
	}
	if got, err := s.ask(""); got != "ask."+s.stream.Name+".tenant " || err != nil {
		s.Errorf("an empty question: %q, %v", got, err)
	}
	for data, want := range map[string]bus.ServiceError{"refuse": {Code: 404, Message: "no such document: look at `documents`"},
		"break": {Code: 500, Message: "disk on fire"}, "panic": {Code: 500, Message: "internal error"}, "late": {Code: 504, Message: "context deadline exceeded"}} {
		_, err := s.ask(data)
		if got, ok := errors.AsType[*bus.ServiceError](err); !ok || *got != want {
			s.Errorf("%s: %v, want %+v", data, err, want)
		}
	}
	_, err := s.ask("big")
	if got, ok := errors.AsType[*bus.ServiceError](err); !ok || got.Code != 413 || !strings.Contains(got.Message, "page") {
		s.Errorf("a reply over the limit: %v", err)
	}
	for verb, want := range map[string]string{"INFO": `"schema":"ask.json"`, "STATS": `"failed":5`, "PING": `"1.2.3"`} {
		got, err := s.bus.Request(s.Context(), "$SRV."+verb+"."+s.stream.Name, nil)
		if err != nil || !strings.Contains(string(got), want) {
			s.Errorf("%s: %s, %v; want %s", verb, got, err, want)
		}
	}
}

func requestToNobody(s *suite) {
	_, err := s.ask("hi")
	s.is(err, bus.ErrAway, "ask."+s.stream.Name)
	ctx, cancel := context.WithCancel(s.Context())
	s.serve(s.Connect(s.T), 0, func(context.Context, string, []byte) ([]byte, error) {
		cancel()
		<-s.Context().Done()
		return nil, nil
	})
	_, err = s.bus.Request(ctx, "ask."+s.stream.Name+".tenant", nil)
	if !errors.Is(err, context.Canceled) || errors.Is(err, bus.ErrAway) {
		s.Errorf("a cancelled request: %v", err)
	}
}

// Each handler waits until all of them have begun.
func handlersRunSideBySide(s *suite) {
	const n = 8
	var begun sync.WaitGroup
	begun.Add(n)
	s.serve(s.Connect(s.T), 0, func(context.Context, string, []byte) ([]byte, error) {
		begun.Done()
		begun.Wait()
		return nil, nil
	})
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if _, err := s.ask("x"); err != nil {
				s.Error(err)
			}
		})
	}
	all.Wait()
}

func busyIsSaidAtOnce(s *suite) {
	begun, finish := make(chan struct{}), make(chan struct{})
	s.serve(s.Connect(s.T), 1, func(context.Context, string, []byte) ([]byte, error) {
		begun <- struct{}{}
		<-finish
		return []byte("done"), nil
	})
	first := make(chan error, 1)
	go func() { _, err := s.ask("1"); first <- err }()
	<-begun
	_, err := s.ask("2")
	if got, ok := errors.AsType[*bus.ServiceError](err); !ok || got.Code != 503 {
		s.Errorf("one request too many: %v, want 503", err)
	}
	close(finish)
	if err := <-first; err != nil {
		s.Error(err)
	}
	go func() { <-begun }()
	s.await("the slot is free again", func() bool { _, err := s.ask("3"); return err == nil })
}

func serviceDrains(s *suite) {
	begun, finish := make(chan struct{}), make(chan struct{})
	stop := s.serve(s.Connect(s.T), 0, func(ctx context.Context, _ string, _ []byte) ([]byte, error) {
		close(begun)
		<-finish
		return []byte("done"), ctx.Err()
	})
	answer := make(chan string, 1)
	go func() { got, err := s.ask("1"); answer <- fmt.Sprint(got, err) }()
	<-begun
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	s.await("no new request is taken", func() bool {
		ctx, cancel := context.WithTimeout(s.Context(), time.Second)
		defer cancel()
		_, err := s.bus.Request(ctx, "ask."+s.stream.Name+".tenant", nil)
		return errors.Is(err, bus.ErrAway) && ctx.Err() == nil
	})
	close(finish)
	if got := <-answer; got != "done<nil>" && got != "done <nil>" {
		s.Errorf("the request in hand got %s", got)
	}
	if err := <-stopped; err != nil {
		s.Error(err)
	}
}

func servicesShareRequests(s *suite) {
	var mu sync.Mutex
	seen := map[string]int{}
	for _, name := range []string{"one", "two"} {
		s.serve(s.Connect(s.T), 0, func(context.Context, string, []byte) ([]byte, error) {
			mu.Lock()
			defer mu.Unlock()
			seen[name]++
			return nil, nil
		})
	}
	const n = 100
	for range n {
		if _, err := s.ask("x"); err != nil {
			s.Fatal(err)
		}
	}
	if seen["one"] == 0 || seen["two"] == 0 || seen["one"]+seen["two"] != n {
		s.Errorf("%v: want both to answer, %d in all", seen, n)
	}
}

// parts runs a service that answers in parts.
func (s *suite) parts(h func(ctx context.Context, subject string, data []byte, send func([]byte) error) ([]byte, error)) {
	s.Helper()
	ready := make(chan struct{})
	ctx, end := context.WithCancel(s.Context())
	done := make(chan error, 1)
	b := s.Connect(s.T)
	reach := fmt.Sprintf("reach.%d", serial.Add(1))
	go func() {
		done <- b.Serve(ctx, bus.Service{Name: s.stream.Name, Version: "1.2.3", Description: "test", Ready: ready, Endpoints: []bus.Endpoint{
			{Name: "parts", Subject: "parts." + s.stream.Name, Parts: h},
			{Name: "reach", Subject: reach, Handle: func(context.Context, string, []byte) ([]byte, error) { return nil, nil }}}})
	}()
	<-ready
	s.await("the servers of the cluster know the service", func() bool {
		_, err := s.bus.Request(s.Context(), reach, nil)
		return err == nil
	})
	s.Cleanup(func() { end(); <-done })
}

func requestParts(s *suite) {
	s.parts(func(_ context.Context, _ string, data []byte, send func([]byte) error) ([]byte, error) {
		switch string(data) {
		case "refuse":
			return nil, &bus.ServiceError{Code: 404, Message: "no such document"}
		case "panic":
			panic("lost")
		}
		for i := range 3 {
			if err := errors.Join(send(nil), send(fmt.Appendf(nil, "part %d of %s", i, data))); err != nil {
				return nil, err
			}
		}
		return []byte("end"), nil
	})
	subject := "parts." + s.stream.Name
	var got []string
	last, err := s.bus.RequestParts(s.Context(), subject, []byte("hi"), func(p []byte) error { got = append(got, string(p)); return nil })
	if err != nil || string(last) != "end" || strings.Join(got, ", ") != "part 0 of hi, part 1 of hi, part 2 of hi" {
		s.Errorf("%v: parts %q, last %q", err, got, last)
	}
	for data, code := range map[string]int{"refuse": 404, "panic": 500} {
		_, err := s.bus.RequestParts(s.Context(), subject, []byte(data), func([]byte) error { return nil })
		if se, ok := errors.AsType[*bus.ServiceError](err); !ok || se.Code != code {
			s.Errorf("%s: %v", data, err)
		}
	}
	if _, err := s.bus.RequestParts(s.Context(), "nobody."+s.stream.Name, nil, func([]byte) error { return nil }); !errors.Is(err, bus.ErrAway) {
		s.Errorf("nobody there: %v", err)
	}
	if _, err := s.bus.RequestParts(s.Context(), "a b", nil, nil); err == nil {
		s.Error("a subject with a blank is taken")
	}
}

// An asker that goes away ends the work within a second, though the handler sends nothing meanwhile.
func partsOfTheGone(s *suite) {
	began, ended := make(chan struct{}), make(chan time.Time, 1)
	s.parts(func(ctx context.Context, _ string, _ []byte, _ func([]byte) error) ([]byte, error) {
		close(began)
		<-ctx.Done()
		ended <- time.Now()
		return nil, context.Cause(ctx)
	})
	ctx, leave := context.WithCancel(s.Context())
	go func() {
		<-began
		leave()
	}()
	_, err := s.bus.RequestParts(ctx, "parts."+s.stream.Name, nil, func([]byte) error { return nil })
	left := time.Now()
	if !errors.Is(err, context.Canceled) {
		s.Errorf("%v", err)
	}
	select {
	case at := <-ended:
		if d := at.Sub(left); d > 2*time.Second {
			s.Errorf("the work went on for %v", d)
		}
	case <-time.After(soon):
		s.Error("the work goes on")
	}
}
