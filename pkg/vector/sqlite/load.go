package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/vector/mem"
)

// loadBatch is how many entries are gathered before they go to the index in memory: enough to
// make few segments, few enough to hold what is gathered.
const loadBatch = 1 << 15

// load fills the index in memory from the file, as many tables or parts of one at once as there are processors.
func (x *Index) load(ctx context.Context) error {
	began := time.Now()
	tenants := map[int64]doc.Tenant{}
	for t, n := range x.tenants {
		tenants[n] = t
	}
	g, loading := errgroup.WithContext(ctx)
	g.SetLimit(min(runtime.GOMAXPROCS(0), 8))
	for b := range x.builds {
		for _, k := range doc.Kinds {
			parts, err := x.parts(ctx, table(b, k))
			if err != nil {
				return errors.Join(g.Wait(), err)
			}
			for _, p := range parts {
				g.Go(func() error { return x.loadPart(loading, b, k, p, tenants) })
			}
		}
	}
	err := g.Wait()
	x.took, x.loaded = time.Since(began), x.mem.Len()
	return err
}

// rowids is a range of rows, both ends included.
type rowids struct{ first, last int64 }

// parts cuts a table into ranges of loadBatch rows.
func (x *Index) parts(ctx context.Context, table string) (out []rowids, err error) {
	var first, last sql.NullInt64
	if err := x.read.QueryRowContext(ctx, "SELECT min(rowid), max(rowid) FROM "+table).Scan(&first, &last); err != nil || !first.Valid {
		return nil, err
	}
	for at := first.Int64; at <= last.Int64; at += loadBatch {
		out = append(out, rowids{at, min(at+loadBatch-1, last.Int64)})
	}
	return out, nil
}

func (x *Index) loadPart(ctx context.Context, b vector.Build, k doc.Kind, p rowids, tenants map[int64]doc.Tenant) error {
	query := "SELECT tenant, id, terms, crumb, vector FROM " + table(b, k) + " WHERE rowid BETWEEN ? AND ?"
	rows, err := x.read.QueryContext(ctx, query, p.first, p.last)
	if err != nil {
		return err
	}
	defer rows.Close()
	batches := map[doc.Tenant]*mem.Batch{}
	var number int64
	var id, terms, crumb, vec sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&number, &id, &terms, &crumb, &vec); err != nil {
			return err
		}
		t, ok := tenants[number]
		if !ok || len(id) != len(doc.EntryID{}) {
			return fmt.Errorf("%w: table %s has an entry of no tenant or with a bad id", errDamage, table(b, k))
		}
		if batches[t] == nil {
			batches[t] = mem.NewBatch(k)
		}
		if err := batches[t].AddStored(doc.EntryID(id), [2][]byte{terms, crumb}, vec); err != nil {
			return fmt.Errorf("%w: table %s: %w", errDamage, table(b, k), err)
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for t, batch := range batches {
		if err := x.mem.Apply(ctx, b, t, k, batch); err != nil {
			return fmt.Errorf("%w: table %s: %w", errDamage, table(b, k), err)
		}
	}
	return nil
}
