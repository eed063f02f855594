package remote

import (
	"sync"
	"time"
)

// speed is how many tokens a second one call brings, as measured, and what follows from it: how much a call may
// carry and how long it may take.
type speed struct {
	mu       sync.Mutex
	perSec   float64 // 0: not measured yet
	patience time.Duration
}

const (
	slice      = 1500 * time.Millisecond // a call should take so long: a question waits for one call
	firstBatch = 512                     // tokens of a call before anything is measured
	leastBatch = 256
	mostBatch  = 16384
	mostTexts  = 128              // of a call, unless Config.Texts says otherwise
	slowest    = 20.0             // tokens a second that a server is trusted with unmeasured
	slack      = 8                // a call may take so many times what it should
	base       = 20 * time.Second // and this on top
	loading    = 2 * time.Minute  // a server may load the model first
)

func (s *speed) rate() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.perSec
}

// batch is how many tokens a call should carry.
func (s *speed) batch() int {
	r := s.rate()
	if r == 0 {
		return firstBatch
	}
	return min(max(int(r*slice.Seconds()), leastBatch), mostBatch)
}

// deadline is how long a call of so many tokens may take.
func (s *speed) deadline(tokens int, cold bool) time.Duration {
	r := s.rate()
	if r == 0 {
		r = slowest
	}
	d := base + time.Duration(slack*float64(tokens)/r*float64(time.Second))
	if cold {
		d += loading
	}
	return min(d, s.patience)
}

// took notes a call that went well. Short calls say more about the network than about the model and count less.
func (s *speed) took(tokens int, d time.Duration) float64 {
	got := float64(tokens) / max(d.Seconds(), 1e-6)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch weight := min(1, float64(tokens)/leastBatch) * smooth; {
	case s.perSec == 0:
		s.perSec = got
	default:
		s.perSec += weight * (got - s.perSec)
	}
	return got
}

// late notes a call that did not end in time: the model is at most that fast, so the next try has more time.
func (s *speed) late(tokens int, d time.Duration) {
	got := float64(tokens) / max(d.Seconds(), 1e-6)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.perSec == 0 || got < s.perSec {
		s.perSec = got
	}
}
