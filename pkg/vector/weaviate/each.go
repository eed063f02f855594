package weaviate

import (
	"context"
	"fmt"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// page is how many ids a step of the walk takes.
const page = 1000

// Each implements vector.Index: a walk by cursor, in order of ids, without the reserved entries.
func (x *Index) Each(ctx context.Context, b vector.Build, t doc.Tenant, k doc.Kind, f func(doc.EntryID) error) error {
	after := zeroID
	for {
		hits, err := x.list(ctx, b, k, query{tenantClass: tenantClass{tenant: t}, after: &after, limit: page})
		if err != nil {
			return fmt.Errorf("walk over %ss: %w", k, err)
		}
		if len(hits) == 0 {
			return ctx.Err()
		}
		for _, h := range hits {
			if isReserved(h.ID) {
				continue
			}
			if err := f(h.ID); err != nil {
				return err
			}
		}
		after = hits[len(hits)-1].ID
	}
}
