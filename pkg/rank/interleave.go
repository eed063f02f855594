package rank

import (
	"cmp"
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// Find searches and ranks. routed are what the question's names lead to, each a document or a group of them: each
// is ranked by itself and the rankings are interleaved; with none q.Docs decides. More than MaxRouted are one
// ranking over all of them.
func Find(ctx context.Context, ix vector.Index, b vector.Build, t doc.Tenant, q Query, routed []vector.Filter, w Weights) ([]Node, error) {
	filters := routed
	switch n := len(routed); {
	case n > MaxRouted:
		filters = []vector.Filter{append(vector.Filter{}, slices.Concat(routed...)...)} // never nil, which is every document
	case n == 0:
		filters = []vector.Filter{q.Docs}
	}
	rankings := make([][]Node, len(filters))
	g, ctx := errgroup.WithContext(ctx)
	for i, f := range filters {
		one := q
		one.Docs = f
		g.Go(func() error {
			p, nodes, err := ranking(ctx, ix, b, t, one, w)
			if err != nil {
				return err
			}
			rankings[i], err = locate(ctx, q, p, w, nodes)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return Interleave(rankings), nil
}

// MaxRouted is how many names of one question are ranked each by itself.
const MaxRouted = 8

// Interleave merges rankings of one document each: the first of each, then the second of each, and so on. The
// ranking whose first node has the greatest Lex (then Dense) comes first; scores of different rankings are not
// compared, since each is normalised by itself.
func Interleave(rankings [][]Node) []Node {
	var full [][]Node
	total := 0
	for _, r := range rankings {
		if len(r) > 0 {
			full = append(full, r)
			total += len(r)
		}
	}
	slices.SortStableFunc(full, func(a, b []Node) int {
		return cmp.Or(cmp.Compare(b[0].Why.Lex, a[0].Why.Lex), cmp.Compare(b[0].Why.Cosine, a[0].Why.Cosine))
	})
	out := make([]Node, 0, total)
	for i := 0; len(out) < total; i++ {
		for _, r := range full {
			if i < len(r) {
				out = append(out, r[i])
			}
		}
	}
	return out
}
