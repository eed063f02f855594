package mem

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/fingerpost/fingerpost/pkg/vector"
)

// appendFloats appends the little-endian float32 numbers of b.
func appendFloats(dst []float32, b []byte) []float32 {
	for ; len(b) >= 4; b = b[4:] {
		dst = append(dst, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return dst
}

// near is the best entries by the product with v, which is the cosine of unit vectors.
func (v view) near(ctx context.Context, q []float32, docs docset, limit int) ([]vector.Hit, error) {
	best, code := newTop(limit), newCoded(q)
	for i := range v {
		p := &v[i]
		for _, r := range p.within(docs) {
			for r.from < r.to {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				to := min(r.to, r.from+1<<14)
				p.nearIn(best, q, &code, slots{r.from, to})
				r.from = to
			}
		}
	}
	return best.sorted(), nil
}

func (p *part) nearIn(best *top, q []float32, code *coded, r slots) {
	least := float32(math.Inf(-1))
	floor := best.floor(least)
	for s := r.from; s < r.to; s++ {
		if floor > least && p.codes.most(code, s) < floor {
			continue
		}
		x := dot(q, p.vecs[int(s)*p.dim:(int(s)+1)*p.dim])
		if x < floor || p.isDead(s) {
			continue
		}
		best.add(vector.Hit{ID: p.ids[s], Score: x})
		floor = best.floor(least)
	}
}
