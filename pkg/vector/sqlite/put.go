package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/vector/mem"
)

// Put implements vector.Index.
func (x *Index) Put(ctx context.Context, b vector.Build, t doc.Tenant, k doc.Kind, entries []vector.Entry) error {
	if _, ok := tableOf[k]; !ok {
		return fmt.Errorf("index: no such kind of entry: %q", k)
	}
	batch := mem.NewBatch(k)
	for _, e := range entries {
		if err := batch.Add(e); err != nil {
			return err
		}
	}
	if batch.Len() == 0 {
		return ctx.Err()
	}
	batch.Seal()
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.mem.Check(b, t, k, batch); err != nil {
		return err
	}
	if err := x.store(ctx, b, t, k, batch); err != nil {
		return x.explain("put", err)
	}
	return x.mem.Apply(context.WithoutCancel(ctx), b, t, k, batch)
}

// store commits a batch. x.mu is held.
func (x *Index) store(ctx context.Context, b vector.Build, t doc.Tenant, k doc.Kind, batch *mem.Batch) error {
	st, err := x.build(ctx, b)
	if err != nil {
		return err
	}
	tenant, err := x.tenant(ctx, t)
	if err != nil {
		return err
	}
	x.schema.RLock()
	defer x.schema.RUnlock()
	tx, err := x.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	n, err := insert(ctx, tx.StmtContext(ctx, st[k].put), tenant, batch)
	if err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	x.log.wrote(n)
	return nil
}

// insert writes the entries of a batch and returns about how many bytes they are.
func insert(ctx context.Context, put *sql.Stmt, tenant int64, batch *mem.Batch) (n int, err error) {
	var bags [2][]byte
	var vec []byte
	for i := range batch.Len() {
		id := batch.ID(i)
		bags[0], bags[1], vec = batch.Bag(bags[0][:0], i, 0), batch.Bag(bags[1][:0], i, 1), vec[:0]
		for _, f := range batch.Vector(i) {
			vec = binary.LittleEndian.AppendUint32(vec, math.Float32bits(f))
		}
		if _, err := put.ExecContext(ctx, tenant, id[:], null(bags[0]), null(bags[1]), null(vec)); err != nil {
			return 0, err
		}
		n += len(id) + len(bags[0]) + len(bags[1]) + len(vec)
	}
	return n, nil
}

// null is nil for no bytes, which takes no space in the row.
func null(b []byte) any {
	if len(b) == 0 {
		return nil
	}
	return b
}

// Purge implements vector.Index.
func (x *Index) Purge(ctx context.Context, b vector.Build, t doc.Tenant, p doc.Prefix, from, to doc.Generation) (int, error) {
	if from > to {
		return 0, ctx.Err()
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	n, err := x.remove(ctx, b, t, p, from, to)
	if err != nil {
		return 0, x.explain("purge", err)
	}
	if _, err := x.mem.Purge(context.WithoutCancel(ctx), b, t, p, from, to); err != nil {
		return 0, err
	}
	return n, nil
}

func (x *Index) remove(ctx context.Context, b vector.Build, t doc.Tenant, p doc.Prefix, from, to doc.Generation) (int, error) {
	x.schema.RLock()
	defer x.schema.RUnlock()
	st, tenant := x.builds[b], x.tenants[t]
	if st == nil || tenant == 0 {
		return 0, ctx.Err()
	}
	tx, err := x.write.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	total := 0
	first, last := span(p, from, to)
	for _, k := range doc.Kinds {
		r, err := tx.StmtContext(ctx, st[k].purge).ExecContext(ctx, tenant, first, last)
		if err != nil {
			return 0, err
		}
		n, err := r.RowsAffected()
		if err != nil {
			return 0, err
		}
		total += int(n)
	}
	x.log.wrote(total * 64)
	return total, tx.Commit()
}

// span is the first and the last id that entries of document p in generations [from, to] can have.
func span(p doc.Prefix, from, to doc.Generation) (first, last []byte) {
	a := doc.Place{Prefix: p, Generation: min(from, doc.MaxGeneration)}.ID()
	z := doc.Place{Prefix: p, Generation: min(to, doc.MaxGeneration), Node: doc.MaxNode, Ordinal: doc.MaxOrdinal, Flags: 15}.ID()
	return a[:], z[:]
}
