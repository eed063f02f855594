package weaviate

import (
	"context"
	"errors"
	"fmt"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// TryWrite writes into a tenant of a build what stands there already, its reserved entries: the surest sign, where Writable
// only asks. Nil when that works, or when there is no class to write to yet. Errors: vector.ErrReadOnly, ErrFull, ErrDenied, ErrAway.
func (x *Index) TryWrite(ctx context.Context, b vector.Build, t doc.Tenant) error {
	for _, k := range doc.Kinds {
		if len(searchable(k)) == 0 {
			continue
		}
		c, ok, err := x.class(ctx, b, k)
		if err != nil || !ok {
			return err
		}
		if _, err := x.rewrite(ctx, tenantClass{c.name, t}, k); err != nil && !errors.Is(err, errMissing) {
			return fmt.Errorf("class %s: %w", c.name, err)
		}
	}
	return nil
}

// Dimensions are the numbers of a vector of a build's class of chunks; 0 when there is none.
func (x *Index) Dimensions(ctx context.Context, b vector.Build) (int, error) {
	c, _, err := x.class(ctx, b, doc.KindChunk)
	return c.dim, err
}
