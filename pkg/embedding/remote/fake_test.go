package remote

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/pkg/embedding/scripted"
)

// server is a Server in this process. Inside synctest its delays cost no time.
type server struct {
	name  string
	model embedding.Embedder

	mu     sync.Mutex
	calls  int
	now    int // calls under way
	peak   int
	digest string
	delay  func(calls, texts int) time.Duration // how long a call of so many texts takes beside so many others
	fail   func(texts []string) error
}

func newServer(name string) *server {
	return &server{name: name, model: scripted.New(), digest: "d"}
}

func (s *server) Name() string { return s.name }

func (s *server) Describe(context.Context) (Model, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Model{Name: "m", Digest: s.digest, Limit: 256}, nil
}

func (s *server) Embed(ctx context.Context, texts []string) (Reply, error) {
	s.mu.Lock()
	s.calls++
	s.now++
	s.peak = max(s.peak, s.now)
	var wait time.Duration
	if s.delay != nil {
		wait = s.delay(s.now, len(texts))
	}
	fail := s.fail
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.now--
		s.mu.Unlock()
	}()
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return Reply{}, ctx.Err()
	}
	if fail != nil {
		if err := fail(texts); err != nil {
			return Reply{}, err
		}
	}
	v, err := s.model.Embed(ctx, texts)
	if err != nil {
		return Reply{}, fmt.Errorf("%w: %w", ErrLong, err)
	}
	tokens := 0
	for _, t := range texts {
		tokens += s.model.Count(t)
	}
	return Reply{v, tokens}, nil
}

// reset forgets the calls so far.
func (s *server) reset(change func(*server)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls, s.peak = 0, 0
	change(s)
}

func (s *server) seen() (calls, peak int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls, s.peak
}

func open(t *testing.T, servers ...*server) *Embedder {
	t.Helper()
	c := Config{}
	for _, s := range servers {
		c.Servers = append(c.Servers, s)
	}
	e, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// texts are n texts of about sixty tokens.
func texts(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprint("text ", i, " of the annual report on revenue, cash, debt and the dividends that the board proposes for the year ended in December, with the notes to it and the auditor's opinion on them")
	}
	return out
}
