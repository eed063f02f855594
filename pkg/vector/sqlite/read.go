package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// Count implements vector.Index, from the file. Kinds without entries are left out.
func (x *Index) Count(ctx context.Context, b vector.Build, t doc.Tenant, p doc.Prefix, g doc.Generation) (map[doc.Kind]int, error) {
	tenant := x.known(t)
	x.schema.RLock()
	defer x.schema.RUnlock()
	out := map[doc.Kind]int{}
	st := x.builds[b]
	if st == nil || tenant == 0 {
		return out, ctx.Err()
	}
	first, last := span(p, g, g)
	for _, k := range doc.Kinds {
		n := 0
		if err := st[k].count.QueryRowContext(ctx, tenant, first, last).Scan(&n); err != nil {
			return nil, x.explain("count", err)
		}
		if n > 0 {
			out[k] = n
		}
	}
	return out, nil
}

// Each implements vector.Index, from the file. f may call the index, but not DropBuild.
func (x *Index) Each(ctx context.Context, b vector.Build, t doc.Tenant, k doc.Kind, f func(doc.EntryID) error) error {
	var after []byte
	for {
		ids, err := x.page(ctx, b, t, k, after)
		if err != nil {
			return x.explain("walk", err)
		}
		for _, id := range ids {
			if err := f(id); err != nil {
				return err
			}
		}
		if len(ids) < pageSize {
			return ctx.Err()
		}
		after = ids[len(ids)-1][:]
	}
}

// pageSize is how many ids Each reads at once, so that no statement is open while f runs.
const pageSize = 4096

func (x *Index) page(ctx context.Context, b vector.Build, t doc.Tenant, k doc.Kind, after []byte) ([]doc.EntryID, error) {
	tenant := x.known(t)
	x.schema.RLock()
	defer x.schema.RUnlock()
	st := x.builds[b][k]
	if st == nil || tenant == 0 {
		return nil, nil
	}
	rows, err := st.page.QueryContext(ctx, tenant, append([]byte{}, after...), pageSize)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []doc.EntryID
	var id sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		if len(id) != len(doc.EntryID{}) {
			return nil, fmt.Errorf("%w: an id of %d bytes", errDamage, len(id))
		}
		out = append(out, doc.EntryID(id))
	}
	return out, rows.Err()
}
