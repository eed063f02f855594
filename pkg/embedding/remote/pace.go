package remote

import (
	"context"
	"sync"
)

// pace is a window of calls that finds its own width: it starts at one, grows by one when a full window has
// brought more tokens a second than the narrower one did, and is halved when a server is overrun. On a CPU more calls
// at once bring nothing, so it stays at one there; twenty would stop such a server for hours.
type pace struct {
	mu     sync.Mutex
	window int
	most   int
	busy   int
	short  []chan struct{} // waiting calls of one text: questions go first
	long   []chan struct{}

	good  int             // calls since the window last changed
	hold  int             // calls until a wider window may be tried again
	rates map[int]float64 // tokens a second of all calls, by width
}

const (
	settle = 4    // calls a width must bear before it is judged
	gain   = 1.08 // a wider window must bring so much more
	pause  = 200  // calls before a width that brought nothing is tried again
	smooth = .3   // weight of the newest measurement
)

func newPace(most int) *pace {
	return &pace{window: 1, most: max(1, most), rates: map[int]float64{}}
}

func (p *pace) width() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.window
}

// enter waits for a place in the window and reports how many calls are under way, this one included.
func (p *pace) enter(ctx context.Context, short bool) (int, error) {
	p.mu.Lock()
	if err := ctx.Err(); err != nil {
		p.mu.Unlock()
		return 0, err
	}
	if p.busy < p.window {
		p.busy++
		n := p.busy
		p.mu.Unlock()
		return n, nil
	}
	ready := make(chan struct{})
	if short {
		p.short = append(p.short, ready)
	} else {
		p.long = append(p.long, ready)
	}
	p.mu.Unlock()
	select {
	case <-ready:
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.busy, nil
	case <-ctx.Done():
		p.giveUp(ready)
		return 0, ctx.Err()
	}
}

// giveUp takes a waiting call out; when its place came meanwhile, the next one has it.
func (p *pace) giveUp(ready chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-ready:
		p.busy--
		p.wake()
		return
	default:
	}
	p.short, p.long = without(p.short, ready), without(p.long, ready)
}

func without(all []chan struct{}, one chan struct{}) []chan struct{} {
	for i, c := range all {
		if c == one {
			return append(all[:i:i], all[i+1:]...)
		}
	}
	return all
}

// leave ends a call.
func (p *pace) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy--
	p.wake()
}

func (p *pace) wake() {
	for p.busy < p.window {
		from := &p.short
		if len(*from) == 0 {
			from = &p.long
		}
		if len(*from) == 0 {
			return
		}
		close((*from)[0])
		*from = (*from)[1:]
		p.busy++
	}
}

// did notes a call that went well: it began as the n-th under way and brought so many tokens a second.
// Only calls of a full window tell about its width.
func (p *pace) did(n int, rate float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n < p.window || rate <= 0 {
		return
	}
	all := rate * float64(p.window)
	if old, ok := p.rates[p.window]; ok {
		all = old + smooth*(all-old)
	}
	p.rates[p.window] = all
	p.good++
	p.hold--
	if p.good < settle {
		return
	}
	if before, ok := p.rates[p.window-1]; ok && all < gain*before {
		p.set(p.window - 1)
		p.hold = pause
	} else if p.hold <= 0 && p.window < p.most {
		delete(p.rates, p.window+1) // what was true long ago
		p.set(p.window + 1)
	}
}

// overrun halves the window: a server refused a call or let it wait beyond its time.
func (p *pace) overrun() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.set(max(1, p.window/2))
	p.hold = pause
}

func (p *pace) set(window int) {
	p.window, p.good = window, 0
	p.wake()
}
