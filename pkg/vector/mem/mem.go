// Package mem is the index in memory: BM25 over postings, vectors by a flat scan.
//
// Entries of one (build, tenant, kind) lie in segments that never change: sorted by id, so that a
// document's entries are neighbours and a filter is a few ranges; per field the terms in order with
// postings of four bytes. A Put makes a small segment, an overwritten or purged entry gets its bit in
// the segment's dead bits (copied on write), and segments of like size are merged. Readers work on an
// immutable view and never wait for a writer; statistics are counted over live entries, hence exact.
//
// Memory per 100,000 entries, by BenchmarkIndex in pkg/vector/sqlite: windows of 150 words 61 MB, rows of 12 words
// 10 MB, chunks of 384 dimensions 195 MB (4 bytes a number, 1 for its code). Merging segments needs their size again for a moment.
//
// Vectors are scanned by codes of one byte a number, which give an upper bound of the score; those that may be among
// the best are scored in full, so the result is that of the full scan. On amd64 both loops use AVX2.
package mem

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// Index is a vector.Index in memory. Use New.
type Index struct {
	max     atomic.Int64
	entries atomic.Int64

	mu     sync.RWMutex
	spaces map[space]*[4]list // by kindIndex
	dims   map[vector.Build]int
	closed bool
	work   sync.WaitGroup // merges behind the writers
}

// space is what is never mixed.
type space struct {
	build  vector.Build
	tenant doc.Tenant
}

// New is an empty index that takes at most max entries in all builds and tenants together; 0 is no limit.
func New(max int) *Index {
	ix := &Index{spaces: map[space]*[4]list{}, dims: map[vector.Build]int{}}
	ix.Limit(max)
	return ix
}

// Limit sets the most entries from now on; what is there already stays.
func (ix *Index) Limit(max int) { ix.max.Store(int64(max)) }

// Len is the number of entries in all builds and tenants.
func (ix *Index) Len() int { return int(ix.entries.Load()) }

func kindIndex(k doc.Kind) int {
	for i, x := range doc.Kinds {
		if x == k {
			return i
		}
	}
	return -1
}

// find is the list of a kind, or nil when there is none yet.
func (ix *Index) find(b vector.Build, t doc.Tenant, k doc.Kind) *list {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	ls, i := ix.spaces[space{b, t}], kindIndex(k)
	if ls == nil || i < 0 {
		return nil
	}
	return &ls[i]
}

// see is the view of a list, empty when there is none.
func (ix *Index) see(b vector.Build, t doc.Tenant, k doc.Kind) view {
	if l := ix.find(b, t, k); l != nil {
		return l.now()
	}
	return nil
}

// Put implements vector.Index.
func (ix *Index) Put(ctx context.Context, b vector.Build, t doc.Tenant, k doc.Kind, entries []vector.Entry) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if kindIndex(k) < 0 {
		return fmt.Errorf("index: no such kind of entry: %q", k)
	}
	batch := NewBatch(k)
	for _, e := range entries {
		if err := batch.Add(e); err != nil {
			return err
		}
	}
	return ix.Apply(ctx, b, t, k, batch)
}

// Apply puts a batch.
func (ix *Index) Apply(ctx context.Context, b vector.Build, t doc.Tenant, k doc.Kind, batch *Batch) error {
	if batch.Len() == 0 {
		return nil
	}
	if batch.Len() > maxSlots {
		return fmt.Errorf("index: %d entries in one put, at most %d fit", batch.Len(), maxSlots)
	}
	l, err := ix.open(b, t, k, batch.dim)
	if err != nil {
		return err
	}
	if err := l.put(ix, batch.segment(), ix.reserve); err != nil {
		return err
	}
	l.settle(ctx)
	return nil
}

// open is the list of a kind, made when it is missing.
func (ix *Index) open(b vector.Build, t doc.Tenant, k doc.Kind, dim int) (*list, error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if have := ix.dims[b]; dim != 0 && have != 0 && have != dim {
		return nil, fmt.Errorf("%w: it has %d dimensions, build %d has %d", vector.ErrVector, dim, b, have)
	}
	if dim != 0 {
		ix.dims[b] = dim
	}
	s := space{b, t}
	if ix.spaces[s] == nil {
		ix.spaces[s] = new([4]list)
	}
	return &ix.spaces[s][kindIndex(k)], nil
}

// reserve makes place for grow more entries, or is an ErrFull.
func (ix *Index) reserve(grow int) error {
	n, limit := ix.entries.Add(int64(grow)), ix.max.Load()
	if grow <= 0 || limit <= 0 || n <= limit {
		return nil
	}
	ix.entries.Add(-int64(grow))
	return ix.full(grow)
}

func (ix *Index) full(grow int) error {
	return fmt.Errorf("%w: it holds %d entries in memory and %d more would pass the limit of %d; raise the limit or use Weaviate as the index",
		vector.ErrFull, ix.entries.Load(), grow, ix.max.Load())
}

// Check is the error that Apply would give now, for a caller that writes elsewhere first.
func (ix *Index) Check(b vector.Build, t doc.Tenant, k doc.Kind, batch *Batch) error {
	l, err := ix.open(b, t, k, batch.dim)
	if err != nil || ix.max.Load() <= 0 {
		return err
	}
	grow, v := 0, l.now()
	for _, id := range batch.segment().ids {
		if !v.has(id) {
			grow++
		}
	}
	if grow > 0 && ix.entries.Load()+int64(grow) > ix.max.Load() {
		return ix.full(grow)
	}
	return nil
}

// Purge implements vector.Index.
func (ix *Index) Purge(ctx context.Context, b vector.Build, t doc.Tenant, p doc.Prefix, from, to doc.Generation) (int, error) {
	n := 0
	for _, k := range doc.Kinds {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		if l := ix.find(b, t, k); l != nil {
			m := l.purge(ix, p, from, to)
			ix.entries.Add(-int64(m))
			n += m
		}
	}
	return n, nil
}

// Count implements vector.Index. Kinds without entries are left out.
func (ix *Index) Count(ctx context.Context, b vector.Build, t doc.Tenant, p doc.Prefix, g doc.Generation) (map[doc.Kind]int, error) {
	out := map[doc.Kind]int{}
	for _, k := range doc.Kinds {
		if n := ix.see(b, t, k).count(p, g, g); n > 0 {
			out[k] = n
		}
	}
	return out, ctx.Err()
}

// fieldIndex is the place of field f of kind k, or -1 when the kind has no such field.
func fieldIndex(k doc.Kind, f vector.Field) int {
	switch {
	case f == vector.Terms && fieldsOf(k) > 0:
		return 0
	case f == vector.Crumb && fieldsOf(k) > 1:
		return 1
	}
	return -1
}

// Words implements vector.Index.
func (ix *Index) Words(ctx context.Context, b vector.Build, t doc.Tenant, k doc.Kind, f vector.Field, terms []string, docs vector.Filter, limit int) ([]vector.Hit, error) {
	i := fieldIndex(k, f)
	if i < 0 || limit <= 0 {
		return nil, ctx.Err()
	}
	return ix.see(b, t, k).words(ctx, i, terms, newDocset(docs), limit)
}

// Near implements vector.Index.
func (ix *Index) Near(ctx context.Context, b vector.Build, t doc.Tenant, v []float32, docs vector.Filter, limit int) ([]vector.Hit, error) {
	ix.mu.RLock()
	dim := ix.dims[b]
	ix.mu.RUnlock()
	seen := ix.see(b, t, doc.KindChunk)
	if len(seen) == 0 || limit <= 0 {
		return nil, ctx.Err()
	}
	if err := vector.CheckVector(v, dim); err != nil {
		return nil, fmt.Errorf("question: %w", err)
	}
	return seen.near(ctx, v, newDocset(docs), limit)
}

// Frequencies implements vector.Index.
func (ix *Index) Frequencies(ctx context.Context, b vector.Build, t doc.Tenant, k doc.Kind, f vector.Field, terms []string) ([]int, int, error) {
	out := make([]int, len(terms))
	i := fieldIndex(k, f)
	if i < 0 {
		return out, 0, ctx.Err()
	}
	v := ix.see(b, t, k)
	total, _ := v.total(i)
	n := map[string]int{}
	for _, a := range v.ask(i, terms) {
		n[a.term] = a.n
	}
	for j, term := range terms {
		out[j] = n[term]
	}
	return out, total, ctx.Err()
}

// Each implements vector.Index.
func (ix *Index) Each(ctx context.Context, b vector.Build, t doc.Tenant, k doc.Kind, f func(doc.EntryID) error) error {
	for _, p := range ix.see(b, t, k) {
		for slot, id := range p.ids {
			if slot%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if p.isDead(uint32(slot)) {
				continue
			}
			if err := f(id); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// DropBuild implements vector.Index.
func (ix *Index) DropBuild(ctx context.Context, b vector.Build) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, ls := range ix.forget(b) {
		for i := range ls {
			ix.entries.Add(-int64(ls[i].drop()))
		}
	}
	return nil
}

// forget takes the lists of a build out of the index.
func (ix *Index) forget(b vector.Build) (out []*[4]list) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	for s, ls := range ix.spaces {
		if s.build == b {
			out = append(out, ls)
			delete(ix.spaces, s)
		}
	}
	delete(ix.dims, b)
	return out
}

// Stats is what tenant t holds of build b.
func (ix *Index) Stats(b vector.Build, t doc.Tenant) vector.Stats {
	s := vector.Stats{Entries: map[doc.Kind]int{}}
	for _, k := range doc.Kinds {
		v := ix.see(b, t, k)
		if n, _ := v.total(0); n > 0 {
			s.Entries[k] = n
		}
		for i := range v {
			s.Bytes += v[i].bytes() + int64(len(v[i].dead))*8
		}
	}
	return s
}

// begin takes part in the work that Close waits for; false when the index is closed.
func (ix *Index) begin() bool {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if ix.closed {
		return false
	}
	ix.work.Add(1)
	return true
}

// Close waits for merges that are under way. The index can still be read, and put to, after it.
func (ix *Index) Close() error {
	ix.mu.Lock()
	ix.closed = true
	ix.mu.Unlock()
	ix.work.Wait()
	return nil
}
