package weaviate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// spare is how many hits more than the limit are asked for: the server breaks ties by the order of writing, we by id, so a tie
// that crosses the limit is right when it ends within these.
const spare = 8

// leastScore is what a hit by words scores at least: the server's may be below zero while a word's n, which counts
// deleted entries, is above N.
const leastScore = 1e-6

// Words implements vector.Index. A limit above 10,000 is cut to it.
func (x *Index) Words(ctx context.Context, b vector.Build, t doc.Tenant, k doc.Kind, f vector.Field, terms []string, docs vector.Filter, limit int) ([]vector.Hit, error) {
	if !slices.Contains(searchable(k), f) || len(terms) == 0 || nothing(docs, limit) {
		return nil, ctx.Err()
	}
	hits, err := x.hits(ctx, b, k, query{tenantClass: tenantClass{tenant: t}, property: string(f), tokens: tokens(terms), docs: docs}, limit)
	if err != nil {
		return nil, fmt.Errorf("words of %ss: %w", k, err)
	}
	return hits, nil
}

// Near implements vector.Index. A limit above 10,000 is cut to it.
func (x *Index) Near(ctx context.Context, b vector.Build, t doc.Tenant, v []float32, docs vector.Filter, limit int) ([]vector.Hit, error) {
	if nothing(docs, limit) {
		return nil, ctx.Err()
	}
	c, ok, err := x.class(ctx, b, doc.KindChunk)
	if err != nil || !ok {
		return nil, err
	}
	if err := vector.CheckVector(v, c.dim); err != nil {
		return nil, fmt.Errorf("question: %w", err)
	}
	hits, err := x.hits(ctx, b, doc.KindChunk, query{tenantClass: tenantClass{tenant: t}, vector: v, docs: docs}, limit)
	if err != nil {
		return nil, fmt.Errorf("near: %w", err)
	}
	return hits, nil
}

func nothing(docs vector.Filter, limit int) bool { return limit <= 0 || docs != nil && len(docs) == 0 }

// hits asks for a list and puts it in the port's order.
func (x *Index) hits(ctx context.Context, b vector.Build, k doc.Kind, q query, limit int) ([]vector.Hit, error) {
	limit = min(limit, maxLimit)
	q.limit = min(limit+spare, maxLimit)
	hits, err := x.list(ctx, b, k, q)
	if err != nil {
		return nil, err
	}
	for i := range hits {
		if q.vector == nil {
			hits[i].Score = max(hits[i].Score, leastScore)
		}
	}
	slices.SortFunc(hits, func(a, b vector.Hit) int {
		if c := cmp.Compare(b.Score, a.Score); c != 0 {
			return c
		}
		return bytes.Compare(a.ID[:], b.ID[:])
	})
	return hits[:min(limit, len(hits))], nil
}

// list asks for a list; a build or tenant that is not there gives none.
func (x *Index) list(ctx context.Context, b vector.Build, k doc.Kind, q query) ([]vector.Hit, error) {
	if err := ctx.Err(); err != nil || !q.tenant.Valid() {
		return nil, err
	}
	c, ok, err := x.class(ctx, b, k)
	if err != nil || !ok {
		return nil, err
	}
	q.class = c.name
	var hits []vector.Hit
	err = x.try(ctx, func(ctx context.Context) (err error) {
		hits, err = x.wire.list(ctx, q)
		return err
	})
	if errors.Is(err, errMissing) {
		x.gone(q.tenantClass, err)
		return nil, nil
	}
	return hits, err
}
