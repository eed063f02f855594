package query

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/route"
)

// shelf is a store of cards that can be away, and counts.
type shelf struct {
	mu         sync.Mutex
	away       error
	busy, most int
	reads      int
}

func (s *shelf) card(_ context.Context, r artefact.Ref) ([]byte, error) {
	s.mu.Lock()
	s.reads++
	s.busy++
	s.most = max(s.most, s.busy)
	err := s.away
	s.mu.Unlock()
	time.Sleep(time.Millisecond) // on the bubble's clock
	s.mu.Lock()
	s.busy--
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return json.Marshal(route.Card{})
}

func (s *shelf) counts() (reads, most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reads, s.most
}

func (s *shelf) set(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = err
}

func (c *cards) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.held)
}

// When the store is away at the start, names are known once it is back; cards are read side by side.
func TestCardsAreReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{away: fmt.Errorf("dial: %w", blob.ErrAway)}
		c := newCards(s.card, slog.New(slog.DiscardHandler), time.Second)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go c.run(ctx)
		for i := range 100 {
			r := record(i, doc.Indexed)
			r.Generation, r.Current = 1, 1
			c.changed(r)
		}
		synctest.Wait()
		time.Sleep(1500 * time.Millisecond)
		if reads, _ := s.counts(); c.count() != 0 || reads < 200 || reads > 300 {
			t.Errorf("while it is away: %d names, %d reads", c.count(), reads)
		}
		s.set(nil)
		time.Sleep(2 * time.Second)
		reads, most := s.counts()
		if c.count() != 100 || most != cardReaders {
			t.Errorf("afterwards: %d names, %d read at once", c.count(), most)
		}
		time.Sleep(time.Minute)
		if n, _ := s.counts(); n != reads {
			t.Errorf("%d reads of cards that are known", n-reads)
		}
		s.set(fmt.Errorf("get: %w", blob.ErrNotFound))
		r := record(200, doc.Indexed)
		r.Current = 1
		c.changed(r)
		time.Sleep(time.Minute)
		if n, _ := s.counts(); n != reads+1 {
			t.Errorf("a card that is not there is read %d times", n-reads)
		}
	})
}

// A document that goes while its card waits for another try is not named afterwards.
func TestCardOfWhatIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{away: errors.New("away")}
		c := newCards(s.card, slog.New(slog.DiscardHandler), time.Second)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go c.run(ctx)
		r := record(1, doc.Indexed)
		r.Current = 1
		c.changed(r)
		synctest.Wait()
		time.Sleep(100 * time.Millisecond)
		r.State, r.Current = doc.Deleted, 0
		c.changed(r)
		s.set(nil)
		time.Sleep(10 * time.Second)
		if c.count() != 0 {
			t.Errorf("%d names", c.count())
		}
	})
}
