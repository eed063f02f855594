package mem

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// crowd is the number of parts from which on a Put waits for the merge behind it.
const crowd = 48

// list is the entries of one (build, tenant, kind). Readers take the view and are never held up;
// writers take turns, and put a new view in its place.
type list struct {
	view atomic.Pointer[view]

	mu    sync.Mutex
	busy  map[*segment]bool // being merged behind the writers
	ready chan struct{}     // closed when that merge is done; nil while there is none
	gone  bool              // the build was dropped: what is still on its way here is dropped, too
}

func (l *list) now() view {
	if v := l.view.Load(); v != nil {
		return *v
	}
	return nil
}

// put adds s and buries what it overwrites. reserve is asked with the growth before anything is done.
func (l *list) put(ix *Index, s *segment, reserve func(grow int) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gone {
		return nil
	}
	old := l.now()
	next := make(view, 0, len(old)+1)
	grow := len(s.ids)
	for _, p := range old {
		q, n := p.bury(nil, p.same(s))
		grow -= n
		if q.live() > 0 {
			next = append(next, q)
		}
	}
	if err := reserve(grow); err != nil {
		return err
	}
	l.set(ix, append(next, part{segment: s}))
	return nil
}

// same is the slots of p whose ids are in s, too.
func (p *part) same(s *segment) (out []uint32) {
	for i, n := range s.docs {
		r := p.ofDoc(n)
		if r.from == r.to {
			continue
		}
		for _, id := range s.ids[s.starts[i]:s.starts[i+1]] {
			if at := p.slot(id); at >= 0 && !p.isDead(uint32(at)) {
				out = append(out, uint32(at))
			}
		}
	}
	return out
}

// purge buries a document's generations [from, to] and returns how many entries there were.
func (l *list) purge(ix *Index, d doc.Prefix, from, to doc.Generation) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	old := l.now()
	next := make(view, 0, len(old))
	total := 0
	for _, p := range old {
		if r := p.ofGenerations(d, from, to); r.from < r.to {
			var n int
			p, n = p.bury([]slots{r}, nil)
			total += n
		}
		if p.live() > 0 {
			next = append(next, p)
		}
	}
	if total > 0 {
		l.set(ix, next)
	}
	return total
}

// set makes v the view, after the merges that are due. l.mu is held.
func (l *list) set(ix *Index, v view) {
	for {
		ps := v.mergeable(l.busy)
		if ps == nil {
			break
		}
		if size(ps) > mergeAtPut {
			if l.ready == nil {
				l.mergeBehind(ix, ps)
			}
			break
		}
		v = v.replace(ps, part{segment: merge(ps)})
	}
	l.view.Store(&v)
}

// replace is v with p in place of ps.
func (v view) replace(ps []part, p part) view {
	out := slices.DeleteFunc(slices.Clone(v), func(q part) bool {
		return slices.ContainsFunc(ps, func(r part) bool { return r.segment == q.segment })
	})
	if p.live() > 0 {
		out = append(out, p)
	}
	return out
}

// mergeBehind merges ps while writers and readers go on. l.mu is held.
func (l *list) mergeBehind(ix *Index, ps []part) {
	if !ix.begin() {
		return
	}
	l.busy = map[*segment]bool{}
	for _, p := range ps {
		l.busy[p.segment] = true
	}
	l.ready = make(chan struct{})
	go func() {
		defer ix.work.Done()
		s := merge(ps)
		l.mu.Lock()
		defer l.mu.Unlock()
		close(l.ready)
		l.busy, l.ready = nil, nil
		if l.gone {
			return
		}
		v := l.now()
		p := part{segment: s}
		p, _ = p.bury(nil, v.diedSince(ps, s))
		l.set(ix, v.replace(ps, p))
	}()
}

// diedSince is the slots in s, merged from ps, of entries that died after ps was read.
func (v view) diedSince(ps []part, s *segment) (out []uint32) {
	for _, p := range ps {
		i := slices.IndexFunc(v, func(q part) bool { return q.segment == p.segment })
		if i >= 0 && v[i].deaths == p.deaths {
			continue
		}
		for slot, id := range p.ids {
			if !p.isDead(uint32(slot)) && (i < 0 || v[i].isDead(uint32(slot))) {
				out = append(out, uint32(s.slot(id)))
			}
		}
	}
	return out
}

// drop empties the list for good and returns how many entries there were.
func (l *list) drop() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, _ := l.now().total(0)
	l.gone = true
	l.view.Store(&view{})
	return n
}

// settle waits while there are too many parts and a merge is on its way.
func (l *list) settle(ctx context.Context) {
	l.mu.Lock()
	ready := l.ready
	l.mu.Unlock()
	if ready == nil || len(l.now()) < crowd {
		return
	}
	select {
	case <-ready:
	case <-ctx.Done():
	}
}
