package pipeline

import (
	"context"
	"sync"

	"github.com/fingerpost/fingerpost/pkg/wire"
)

// slots shares the places of a stage between the lanes. Live may fill them all; bulk fills them
// while nothing live is in hand, and keeps one place of its own always, so neither starves.
// Each lane has one fetching loop, so what free says of a lane's own work still holds when start is called.
type slots struct {
	mu     sync.Mutex
	size   int
	busy   map[wire.Lane]int
	change chan struct{} // closed and renewed at each change
}

func newSlots(n int) *slots {
	return &slots{size: max(n, 1), busy: map[wire.Lane]int{}, change: make(chan struct{})}
}

// free waits until the lane may start at least one job and returns how many.
func (s *slots) free(ctx context.Context, lane wire.Lane) (int, error) {
	for {
		s.mu.Lock()
		n, change := s.room(lane), s.change
		s.mu.Unlock()
		if n > 0 {
			return n, nil
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-change:
		}
	}
}

func (s *slots) room(lane wire.Lane) int {
	size := s.size
	if lane == wire.Bulk && s.busy[wire.Live] > 0 {
		size = 1
	}
	return size - s.busy[lane]
}

// start takes n places (negative: gives them back).
func (s *slots) start(lane wire.Lane, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy[lane] += n
	close(s.change)
	s.change = make(chan struct{})
}
