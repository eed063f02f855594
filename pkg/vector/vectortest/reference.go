// Package vectortest is the proof that goes with the port vector: a plain index that follows the
// contract word by word, and a suite that compares any vendor with it.
package vectortest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// Reference is an index of slices and loops, the twin that vendors are compared with. Slow, and meant to be read.
type Reference struct {
	mu      sync.Mutex
	entries map[shelf]map[doc.EntryID]vector.Entry
}

type shelf struct {
	build  vector.Build
	tenant doc.Tenant
	kind   doc.Kind
}

// NewReference is an empty Reference.
func NewReference() *Reference {
	return &Reference{entries: map[shelf]map[doc.EntryID]vector.Entry{}}
}

// Put implements vector.Index.
func (x *Reference) Put(ctx context.Context, b vector.Build, t doc.Tenant, k doc.Kind, entries []vector.Entry) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if k == doc.KindChunk {
		dim := x.dim(b)
		for _, e := range entries {
			if err := vector.CheckVector(e.Vector, dim); err != nil {
				return err
			}
			dim = len(e.Vector)
		}
	}
	s := shelf{b, t, k}
	if x.entries[s] == nil {
		x.entries[s] = map[doc.EntryID]vector.Entry{}
	}
	for _, e := range entries {
		x.entries[s][e.ID] = e
	}
	return ctx.Err()
}

func (x *Reference) dim(b vector.Build) int {
	for s, es := range x.entries {
		for _, e := range es {
			if s.build == b && len(e.Vector) > 0 {
				return len(e.Vector)
			}
		}
	}
	return 0
}

// Purge implements vector.Index.
func (x *Reference) Purge(ctx context.Context, b vector.Build, t doc.Tenant, p doc.Prefix, from, to doc.Generation) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := 0
	for _, k := range doc.Kinds {
		for id := range x.entries[shelf{b, t, k}] {
			if at := id.Place(); at.Prefix == p && at.Generation >= from && at.Generation <= to {
				delete(x.entries[shelf{b, t, k}], id)
				n++
			}
		}
	}
	return n, ctx.Err()
}

// Count implements vector.Index.
func (x *Reference) Count(ctx context.Context, b vector.Build, t doc.Tenant, p doc.Prefix, g doc.Generation) (map[doc.Kind]int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	out := map[doc.Kind]int{}
	for _, k := range doc.Kinds {
		for id := range x.entries[shelf{b, t, k}] {
			if at := id.Place(); at.Prefix == p && at.Generation == g {
				out[k]++
			}
		}
	}
	return out, ctx.Err()
}

// fieldOf is the words of a field, and whether entries of the kind have that field.
func fieldOf(e vector.Entry, k doc.Kind, f vector.Field) ([]string, bool) {
	switch {
	case f == vector.Terms && k != doc.KindChunk:
		return e.Terms, true
	case f == vector.Crumb && k == doc.KindNode:
		return e.Crumb, true
	}
	return nil, false
}

func count(terms []string, t string) (n float64) {
	for _, x := range terms {
		if x == t {
			n++
		}
	}
	return n
}

// Words implements vector.Index.
func (x *Reference) Words(ctx context.Context, b vector.Build, t doc.Tenant, k doc.Kind, f vector.Field, terms []string, docs vector.Filter, limit int) ([]vector.Hit, error) {
	n, total, err := x.Frequencies(ctx, b, t, k, f, terms)
	if err != nil {
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	sum := 0
	for _, e := range x.entries[shelf{b, t, k}] {
		words, _ := fieldOf(e, k, f)
		sum += len(words)
	}
	avg := float64(sum) / float64(total)
	var hits []scored
	for _, e := range x.entries[shelf{b, t, k}] {
		words, _ := fieldOf(e, k, f)
		score := 0.
		for i, term := range terms {
			idf := math.Log(1 + (float64(total)-float64(n[i])+.5)/(float64(n[i])+.5))
			tf := count(words, term)
			score += idf * tf / (tf + 1.2*(1-.75+.75*float64(len(words))/avg))
		}
		if score > 0 && allowed(e.ID, docs) {
			hits = append(hits, scored{e.ID, score})
		}
	}
	return best(hits, limit), nil
}

func allowed(id doc.EntryID, docs vector.Filter) bool {
	return docs == nil || slices.Contains(docs, id.Place().Prefix)
}

// Near implements vector.Index.
func (x *Reference) Near(ctx context.Context, b vector.Build, t doc.Tenant, v []float32, docs vector.Filter, limit int) ([]vector.Hit, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	var hits []scored
	for _, e := range x.entries[shelf{b, t, doc.KindChunk}] {
		if len(v) != len(e.Vector) {
			return nil, fmt.Errorf("%w: question has %d dimensions, entries have %d", vector.ErrVector, len(v), len(e.Vector))
		}
		score := 0.
		for i := range v {
			score += float64(v[i]) * float64(e.Vector[i])
		}
		if allowed(e.ID, docs) {
			hits = append(hits, scored{e.ID, score})
		}
	}
	return best(hits, limit), ctx.Err()
}

type scored struct {
	id    doc.EntryID
	score float64
}

func best(hits []scored, limit int) (out []vector.Hit) {
	slices.SortFunc(hits, func(a, b scored) int {
		if c := cmp.Compare(float32(b.score), float32(a.score)); c != 0 {
			return c
		}
		return bytes.Compare(a.id[:], b.id[:])
	})
	for _, h := range hits[:max(0, min(limit, len(hits)))] {
		out = append(out, vector.Hit{ID: h.id, Score: float32(h.score)})
	}
	return out
}

// Frequencies implements vector.Index.
func (x *Reference) Frequencies(ctx context.Context, b vector.Build, t doc.Tenant, k doc.Kind, f vector.Field, terms []string) ([]int, int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	n, total := make([]int, len(terms)), 0
	for _, e := range x.entries[shelf{b, t, k}] {
		words, ok := fieldOf(e, k, f)
		if !ok {
			continue
		}
		total++
		for i, term := range terms {
			if slices.Contains(words, term) {
				n[i]++
			}
		}
	}
	return n, total, ctx.Err()
}

// Each implements vector.Index.
func (x *Reference) Each(ctx context.Context, b vector.Build, t doc.Tenant, k doc.Kind, f func(doc.EntryID) error) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for id := range x.entries[shelf{b, t, k}] {
		if err := f(id); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// DropBuild implements vector.Index.
func (x *Reference) DropBuild(ctx context.Context, b vector.Build) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for s := range x.entries {
		if s.build == b {
			delete(x.entries, s)
		}
	}
	return ctx.Err()
}

// Close implements vector.Index.
func (x *Reference) Close() error { return nil }
