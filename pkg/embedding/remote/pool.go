package remote

import (
	"sync"
	"time"
)

// pool is the servers. A call goes to the one with the fewest calls under way; one that failed is left alone
// for a while, unless all have failed.
type pool struct {
	mu    sync.Mutex
	seats []*seat
	now   func() time.Time
}

// seat is a server and what is known of it.
type seat struct {
	Server
	inFlight int
	failures int       // in a row
	until    time.Time // left alone until then
	why      error
	checked  time.Time // when its model was last found to be the right one
	used     time.Time // when it last answered
}

const (
	leaveFirst = time.Second
	leaveMost  = 30 * time.Second
	recheck    = 5 * time.Minute // a model may be replaced under its name
	coldAfter  = 4 * time.Minute // a server may have dropped a model that was not asked for so long
)

func newPool(servers []Server) *pool {
	p := &pool{now: time.Now}
	for _, s := range servers {
		p.seats = append(p.seats, &seat{Server: s})
	}
	return p
}

// take picks a server that is not among those tried; nil when there is none.
func (p *pool) take(tried map[*seat]bool) *seat {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	var best *seat
	for _, s := range p.seats {
		if !tried[s] && (best == nil || s.before(best, now)) {
			best = s
		}
	}
	if best != nil {
		best.inFlight++
	}
	return best
}

// before orders servers: those that are well by calls under way, then the others by the end of their rest.
func (s *seat) before(o *seat, now time.Time) bool {
	well, other := !now.Before(s.until), !now.Before(o.until)
	if well != other {
		return well
	}
	if !well && !s.until.Equal(o.until) {
		return s.until.Before(o.until)
	}
	return s.inFlight < o.inFlight
}

func (p *pool) put(s *seat) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.inFlight--
}

// well notes that s answered, were it an error about a text.
func (p *pool) well(s *seat) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.failures, s.until, s.why, s.used = 0, time.Time{}, nil, p.now()
}

// failed leaves s alone for one second, two, four, ... thirty, and has its model checked before it is used again.
func (p *pool) failed(s *seat, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	rest := min(leaveFirst<<min(s.failures, 10), leaveMost)
	s.failures++
	s.until, s.why, s.checked = p.now().Add(rest), err, time.Time{}
}

func (p *pool) due(s *seat) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return s.checked.IsZero() || p.now().Sub(s.checked) > recheck
}

func (p *pool) found(s *seat) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.checked = p.now()
}

func (p *pool) cold(s *seat) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return s.used.IsZero() || p.now().Sub(s.used) > coldAfter
}

func (p *pool) state() []ServerState {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []ServerState
	for _, s := range p.seats {
		st := ServerState{Name: s.Name(), InFlight: s.inFlight}
		if s.why != nil {
			st.Away = s.why.Error()
		}
		out = append(out, st)
	}
	return out
}
