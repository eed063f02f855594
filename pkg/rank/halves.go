package rank

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// Where the best places of a question's halves come in when the whole question does not lead there: after the first
// ahead places, so that they cost the last of five at most.
const ahead = 3

// halfCandidates is how many hits are asked of each list of a half.
const halfCandidates = 50

// ranking is the lists of q and the nodes that they rank, where the best place of each half of the question, ranked by the
// half's own words, follows the first places. The halves are asked side by side with the whole.
func ranking(ctx context.Context, ix vector.Index, b vector.Build, t doc.Tenant, q Query, w Weights) (p Parts, nodes []Node, err error) {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() (err error) { p, err = Search(ctx, ix, b, t, q); return err })
	var best []*Node
	if len(q.Halves) > 1 {
		best = make([]*Node, len(q.Halves))
	}
	for i := range best {
		g.Go(func() error {
			p, err := Search(ctx, ix, b, t, Query{Terms: q.Halves[i], Docs: q.Docs, Prior: q.Prior, Aside: q.Aside, Limit: halfCandidates})
			if r := Rank(p, w); err == nil && len(r) > 0 {
				best[i] = &r[0]
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return p, nil, err
	}
	return p, promote(Rank(p, w), best), nil
}

// promote moves the nodes of best that stand behind the first ahead to the places after these, in order. Their scores
// stay: it is for their half that they stand there.
func promote(nodes []Node, best []*Node) []Node {
	at := ahead
	for _, n := range best {
		if n == nil {
			continue
		}
		i := slices.IndexFunc(nodes, func(x Node) bool { return bare(x.Place) == bare(n.Place) })
		if i < at {
			continue
		}
		x := nodes[i]
		x.Why.Half = true
		nodes = slices.Insert(slices.Delete(nodes, i, i+1), at, x)
		at++
	}
	return nodes
}
