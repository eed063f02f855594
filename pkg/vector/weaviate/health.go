package weaviate

import (
	"context"
	"fmt"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// Of BM25 as the classes set it.
const (
	bm25K1 = 1.2
	bm25B  = .75
)

// The mean lengths that a sound property can have. The fault makes it astronomical on amd64, nearly zero on arm64.
const (
	leastMean = .5
	mostMean  = 1e7
)

// Damage is a property whose mean length the server lost: its ranking ignores lengths (see reserved.go). Indexing the
// build's documents into a new build mends it.
type Damage struct {
	Kind  doc.Kind
	Field vector.Field
	Mean  float64
}

// Damaged looks for the fault in a tenant of a build. It rewrites the reserved entries and asks for the word that they share: the
// ratio of the two scores gives the mean length.
func (x *Index) Damaged(ctx context.Context, build vector.Build, t doc.Tenant) (out []Damage, err error) {
	for _, k := range doc.Kinds {
		at := tenantClass{x.className(build, k), t}
		if there, err := x.count(ctx, build, t, k, nil); err != nil || there == 0 || len(searchable(k)) == 0 {
			if err != nil {
				return nil, fmt.Errorf("mean lengths of %ss: %w", k, err)
			}
			continue
		}
		word, err := x.rewrite(ctx, at, k)
		if err != nil {
			return nil, err
		}
		for _, f := range searchable(k) {
			mean, err := x.mean(ctx, build, at, k, f, word)
			if err != nil {
				return nil, fmt.Errorf("mean length of %ss in %s: %w", k, f, err)
			}
			if !(mean >= leastMean && mean <= mostMean) {
				out = append(out, Damage{k, f, mean})
			}
		}
	}
	return out, nil
}

// mean is the mean length of a field, from the scores of the reserved entries for the word that they share.
func (x *Index) mean(ctx context.Context, build vector.Build, at tenantClass, k doc.Kind, f vector.Field, word string) (float64, error) {
	hits, err := x.list(ctx, build, k, query{tenantClass: at, property: string(f), tokens: word, limit: 2})
	if err != nil {
		return 0, err
	}
	score := map[doc.EntryID]float64{}
	for _, h := range hits {
		score[h.ID] = float64(h.Score)
	}
	short, long := score[reservedIDs[0]], score[reservedIDs[1]]
	if short == 0 || long == 0 {
		return 0, fmt.Errorf("the reserved entries are not found by their word")
	}
	n := lengths(k)
	return meanOf(short/long, float64(n[0]), float64(n[1])), nil
}

// meanOf solves score(short)/score(long) = (1 + k1(1-b+b*long/mean)) / (1 + k1(1-b+b*short/mean)) for the mean.
func meanOf(ratio, short, long float64) float64 {
	return bm25K1 * bm25B * (long - ratio*short) / ((1 + bm25K1*(1-bm25B)) * (ratio - 1))
}
