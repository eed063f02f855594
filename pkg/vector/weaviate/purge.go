package weaviate

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// window is how many entries one delete names: few enough that it answers within a second or two. One window a
// kind is under way at a time, so that the server keeps up.
const window = 1000

// Purge implements vector.Index. Entries are listed and deleted by id, window after window, until the list is empty, so
// that nothing is left when it returns without an error.
func (x *Index) Purge(ctx context.Context, b vector.Build, t doc.Tenant, p doc.Prefix, from, to doc.Generation) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	var n atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for _, k := range doc.Kinds {
		g.Go(func() error {
			m, err := x.purge(ctx, b, k, query{tenantClass: tenantClass{tenant: t}, versions: &versions{p, from, to}, limit: window})
			n.Add(int64(m))
			if err != nil {
				return fmt.Errorf("purge %ss of document %s in tenant %s of build %d: %w", k, docName(p), t, b, err)
			}
			return nil
		})
	}
	err := g.Wait()
	return int(n.Load()), err
}

// purge removes the entries of one kind.
func (x *Index) purge(ctx context.Context, b vector.Build, k doc.Kind, q query) (n int, err error) {
	at := tenantClass{x.className(b, k), q.tenant}
	defer x.counts.drop(func(f field) bool { return f.build == b && f.tenant == q.tenant && f.kind == k })
	for {
		hits, err := x.list(ctx, b, k, q)
		if err != nil || len(hits) == 0 {
			return n, err
		}
		m, err := x.delete(ctx, at, k, hits)
		n += m
		if err != nil {
			return n, err
		}
	}
}

// delete removes the entries of a window, with the reserved entries written before and after.
func (x *Index) delete(ctx context.Context, at tenantClass, k doc.Kind, hits []vector.Hit) (n int, err error) {
	if _, err := x.rewrite(ctx, at, k); err != nil {
		return 0, err
	}
	ids := make([]doc.EntryID, len(hits))
	for i, h := range hits {
		ids[i] = h.ID
	}
	err = x.try(ctx, func(ctx context.Context) error {
		m, err := x.wire.remove(ctx, at, ids)
		n += m
		return err
	})
	// Even when the delete failed or the caller went away: some of it may have happened.
	_, after := x.rewrite(context.WithoutCancel(ctx), at, k)
	return n, errors.Join(err, after)
}
