package query

import (
	"context"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/rerank"
)

// wanted is how many places are ranked for k: a re-ranker looks at more.
func (w *Worker) wanted(k int) int {
	if w.Reranker == nil {
		return k
	}
	return max(k, rerank.Top)
}

// again lets the re-ranker order the first places by document and titles, and keeps k. Its fault costs nothing but the
// better order.
func (w *Worker) again(ctx context.Context, t doc.Tenant, question string, places []found, k int) []found {
	path := func(i int) string {
		p := places[i]
		tree, err := w.tree(ctx, artefact.Ref{Tenant: t, Doc: p.record.DocID, Generation: p.Place.Generation})
		if err != nil {
			return p.record.Key
		}
		return p.record.Key + ": " + strings.Join(tree.Path(p.Place.Node), " > ")
	}
	order, err := rerank.Apply(ctx, w.Reranker, question, len(places), path)
	if err != nil {
		w.Log.Warn("places stay in their order", "tenant", t, "err", err)
	}
	out := make([]found, 0, k)
	for _, i := range order[:min(k, len(order))] {
		out = append(out, places[i])
	}
	return out
}
