package mem

import (
	"context"
	"math"
	"sync"

	"github.com/fingerpost/fingerpost/pkg/vector"
)

// The constants of BM25; see the package doc of vector for the formula.
const (
	k1 = 1.2
	kb = .75
)

// asked is a term of the question: how often it was given, in how many live entries it stands, where its postings are.
type asked struct {
	term   string
	weight float32 // idf times how often it was given
	given  int
	n      int
	at     []int // its number in each part, -1 where it is missing
}

// ask looks the terms up in every part and counts.
func (v view) ask(field int, terms []string) []asked {
	place := map[string]int{}
	var out []asked
	for _, t := range terms {
		if i, ok := place[t]; ok {
			out[i].given++
			continue
		}
		a := asked{term: t, given: 1, at: make([]int, len(v))}
		for i := range v {
			a.at[i] = -1
			if f := v[i].fields[field]; f != nil {
				a.at[i] = f.find(t)
			}
			if a.at[i] >= 0 {
				a.n += v[i].alive(v[i].fields[field].postings(a.at[i]))
			}
		}
		place[t] = len(out)
		out = append(out, a)
	}
	return out
}

// words is the best entries by BM25.
func (v view) words(ctx context.Context, field int, terms []string, docs docset, limit int) ([]vector.Hit, error) {
	total, sum := v.total(field)
	if total == 0 || sum == 0 || len(terms) == 0 {
		return nil, nil
	}
	q := v.ask(field, terms)
	for i := range q {
		n := float64(q[i].n)
		q[i].weight = float32(float64(q[i].given) * math.Log1p((float64(total)-n+.5)/(n+.5)))
	}
	r := ranking{q: q, field: field, flat: k1 * (1 - kb), slope: float32(k1 * kb * float64(total) / float64(sum)), best: newTop(limit)}
	for i := range v {
		if err := r.part(ctx, &v[i], i, docs); err != nil {
			return nil, err
		}
	}
	return r.best.sorted(), nil
}

// ranking is one search by words on its way through the parts.
type ranking struct {
	q           []asked
	field       int
	flat, slope float32 // tf / (tf + flat + slope*len)
	best        *top
}

var scorePool = sync.Pool{New: func() any { return new([]float32) }}

// part scores one part. What lies in the pool is all zero.
func (r *ranking) part(ctx context.Context, p *part, i int, docs docset) error {
	f := p.fields[r.field]
	rs := p.within(docs)
	if f == nil || len(rs) == 0 || p.live() == 0 {
		return ctx.Err()
	}
	buf := scorePool.Get().(*[]float32)
	if len(*buf) < len(p.ids) {
		*buf = make([]float32, len(p.ids))
	}
	scores := (*buf)[:len(p.ids)]
	few := r.fewer(f, i, rs)
	for k := range r.q {
		a := &r.q[k]
		if a.at[i] < 0 || a.n == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err // buf, not zero, is not given back
		}
		if posts := f.postings(a.at[i]); few {
			r.addWithin(scores, f, a.at[i], a.weight, posts, rs)
		} else {
			r.add(scores, f, a.at[i], a.weight, posts)
		}
	}
	r.collect(scores, p, rs)
	if few {
		for _, s := range rs {
			clear(scores[s.from:s.to])
		}
	} else {
		clear(scores)
	}
	scorePool.Put(buf)
	return nil
}

// fewer reports whether looking the ranges up in the postings is cheaper than reading all postings.
func (r *ranking) fewer(f *inverted, i int, rs []slots) bool {
	const step = 12 // a look-up costs about as much as reading so many postings, and each posting found once more
	read, found := 0, 0
	width := 0
	for _, s := range rs {
		width += int(s.to - s.from)
	}
	share := float64(width) / float64(len(f.lens))
	for k := range r.q {
		if at := r.q[k].at[i]; at >= 0 {
			n := len(f.postings(at))
			read += n
			found += min(len(rs), n)*step + int(share*float64(n))
		}
	}
	return found < read
}

func (r *ranking) add(scores []float32, f *inverted, term int, weight float32, posts []uint32) {
	flat, slope, lens := r.flat, r.slope, f.lens[:len(scores)]
	for _, p := range posts {
		s := p >> 8
		tf := float32(p & manyTimes)
		if p&manyTimes == manyTimes {
			tf = float32(f.times(term, p))
		}
		scores[s] += weight * tf / (tf + flat + slope*float32(lens[s]))
	}
}

func (r *ranking) addWithin(scores []float32, f *inverted, term int, weight float32, posts []uint32, rs []slots) {
	for _, s := range rs {
		posts = posts[gallopSlot(posts, s.from):]
		n := gallopSlot(posts, s.to)
		r.add(scores, f, term, weight, posts[:n])
		if posts = posts[n:]; len(posts) == 0 {
			return
		}
	}
}

// collect takes the best of the ranges.
func (r *ranking) collect(scores []float32, p *part, rs []slots) {
	floor := r.best.floor(0)
	for _, s := range rs {
		for i, x := range scores[s.from:s.to] {
			if x < floor || x == 0 {
				continue
			}
			slot := s.from + uint32(i)
			if p.isDead(slot) {
				continue
			}
			r.best.add(vector.Hit{ID: p.ids[slot], Score: x})
			floor = r.best.floor(0)
		}
	}
}
