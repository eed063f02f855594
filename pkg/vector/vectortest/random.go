package vectortest

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// twins are an index and its reference, fed the same. Tenants and builds share the ids of their entries, so
// that what leaks from one to another changes a score, a count or a walk.
type twins struct {
	v        Vendor
	r        *rand.Rand
	ix       vector.Index
	ref      *Reference
	versions [12]doc.Generation // of each document, the newest
}

var (
	tenants = []doc.Tenant{"acme", "zeta"}
	builds  = []vector.Build{1, 2}
)

func testRandom(t *testing.T, v Vendor, seed uint64) {
	w := &twins{v: v, r: rand.New(rand.NewPCG(seed, 7)), ix: v.Open(t), ref: NewReference()}
	defer func() { close(t, w.ix) }()
	for step := range 100 {
		if err := w.change(); err != nil {
			t.Fatalf("seed %d, step %d: %v", seed, step, err)
		}
		if v.Reopen != nil && step%40 == 39 {
			w.ix = v.Reopen(t, w.ix)
		}
		if err := w.look(); err != nil {
			t.Fatalf("seed %d, step %d: %v", seed, step, err)
		}
	}
}

// change does one thing to both.
func (w *twins) change() error {
	b, t := builds[w.r.IntN(2)], tenants[w.r.IntN(2)]
	d := byte(w.r.IntN(len(w.versions)))
	switch w.r.IntN(10) {
	case 0:
		if w.r.IntN(20) == 0 {
			return w.both(func(x vector.Index) (any, error) { return nil, x.DropBuild(ctx, b) })
		}
		fallthrough
	case 1, 2:
		to := w.versions[d]
		from := doc.Generation(w.r.IntN(int(to) + 1))
		return w.both(func(x vector.Index) (any, error) { return x.Purge(ctx, b, t, prefix(d), from, to) })
	}
	if w.r.IntN(2) == 0 {
		w.versions[d]++
	}
	k := doc.Kinds[w.r.IntN(len(doc.Kinds))]
	entries := w.entries(d, k, 1+w.r.IntN(30))
	return w.both(func(x vector.Index) (any, error) { return nil, x.Put(ctx, b, t, k, entries) })
}

// both does f to both and compares what it returns.
func (w *twins) both(f func(vector.Index) (any, error)) error {
	got, err := f(w.ix)
	if err != nil {
		return err
	}
	want, err := f(w.ref)
	if err == nil && fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Errorf("returned %v, want %v", got, want)
	}
	return err
}

func (w *twins) entries(d byte, k doc.Kind, n int) (out []vector.Entry) {
	for range n {
		e := vector.Entry{ID: id(d, w.versions[d], w.r.IntN(9), w.r.IntN(9))}
		switch k {
		case doc.KindChunk:
			e.Vector = Unit(w.r, 37)
		case doc.KindNode:
			e.Crumb = w.terms(5)
			fallthrough
		default:
			e.Terms = w.terms(40)
		}
		out = append(out, e)
	}
	return out
}

func (w *twins) terms(n int) (out []string) {
	for range w.r.IntN(n) {
		out = append(out, Word(w.r, 60))
	}
	return out
}

// Word is one of n words, by Zipf's law.
func Word(r *rand.Rand, n int) string {
	return fmt.Sprintf("w%d", int(math.Pow(float64(n), r.Float64()))-1)
}

// Unit is a random vector of unit length.
func Unit(r *rand.Rand, dim int) []float32 {
	v, sum := make([]float32, dim), 0.
	for i := range v {
		v[i] = float32(r.NormFloat64())
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// look asks both the same and compares.
func (w *twins) look() error {
	b, t := builds[w.r.IntN(2)], tenants[w.r.IntN(2)]
	var docs vector.Filter
	if w.r.IntN(2) == 0 {
		docs = vector.Filter{}
		for range w.r.IntN(6) {
			docs = append(docs, prefix(byte(w.r.IntN(14))))
		}
	}
	if err := w.lookNear(b, t, docs); err != nil {
		return fmt.Errorf("near: %w", err)
	}
	for _, k := range doc.Kinds {
		if err := w.lookWords(b, t, k, docs); err != nil {
			return fmt.Errorf("%s: %w", k, err)
		}
		if err := sameIDs(w.ix, w.ref, b, t, k); err != nil {
			return err
		}
	}
	d := byte(w.r.IntN(len(w.versions)))
	return w.both(func(x vector.Index) (any, error) {
		n, err := x.Count(ctx, b, t, prefix(d), w.versions[d])
		return [4]int{n[doc.KindNode], n[doc.KindWindow], n[doc.KindRow], n[doc.KindChunk]}, err
	})
}

func (w *twins) lookWords(b vector.Build, t doc.Tenant, k doc.Kind, docs vector.Filter) error {
	terms, limit := w.terms(8), 1+w.r.IntN(20)
	for _, f := range []vector.Field{vector.Terms, vector.Crumb} {
		got, err := w.ix.Words(ctx, b, t, k, f, terms, docs, limit)
		if err != nil {
			return err
		}
		want, err := w.ref.Words(ctx, b, t, k, f, terms, docs, math.MaxInt)
		if err != nil {
			return err
		}
		if err := w.v.found(got, want, limit); err != nil {
			return fmt.Errorf("words %q in %s: %w", terms, f, err)
		}
		err = w.both(func(x vector.Index) (any, error) {
			n, total, err := x.Frequencies(ctx, b, t, k, f, terms)
			return append(n, total), err
		})
		if err != nil {
			return fmt.Errorf("frequencies %q in %s: %w", terms, f, err)
		}
	}
	return nil
}

func (w *twins) lookNear(b vector.Build, t doc.Tenant, docs vector.Filter) error {
	q, limit := Unit(w.r, 37), 1+w.r.IntN(20)
	got, err := w.ix.Near(ctx, b, t, q, docs, limit)
	if err != nil {
		return err
	}
	want, err := w.ref.Near(ctx, b, t, q, docs, math.MaxInt)
	if err != nil {
		return err
	}
	return compare(got, want, limit)
}

// sameIDs compares what Each walks over.
func sameIDs(x, y vector.Index, b vector.Build, t doc.Tenant, k doc.Kind) error {
	var got [2][]doc.EntryID
	for i, ix := range []vector.Index{x, y} {
		err := ix.Each(ctx, b, t, k, func(id doc.EntryID) error {
			got[i] = append(got[i], id)
			return nil
		})
		if err != nil {
			return err
		}
		slices.SortFunc(got[i], func(a, b doc.EntryID) int { return bytes.Compare(a[:], b[:]) })
	}
	if !slices.Equal(got[0], got[1]) {
		return fmt.Errorf("each walks over %d entries, want %d", len(got[0]), len(got[1]))
	}
	return nil
}

// testConcurrent lets six documents be rewritten at once while others ask, then compares.
func (v Vendor) testConcurrent(t *testing.T, ix vector.Index) {
	ref := NewReference()
	reading, stop := context.WithCancel(ctx)
	var writers, readers sync.WaitGroup
	for i := range 2 {
		readers.Go(func() { readOn(reading, t, ix, uint64(i)) })
	}
	for d := range byte(6) {
		writers.Go(func() { rewrite(t, ix, ref, d) })
	}
	writers.Wait()
	stop()
	readers.Wait()
	w := &twins{v: v, r: rand.New(rand.NewPCG(1, 1)), ix: ix, ref: ref}
	for range 20 {
		if err := w.look(); err != nil {
			t.Fatal(err)
		}
	}
}

// rewrite puts document d in generation after generation and purges the one before.
func rewrite(t *testing.T, ix vector.Index, ref *Reference, d byte) {
	w := &twins{r: rand.New(rand.NewPCG(uint64(d), 3)), ix: ix, ref: ref}
	for g := doc.Generation(1); g <= 12; g++ {
		w.versions[d] = g
		for _, k := range doc.Kinds {
			entries := w.entries(d, k, 20)
			if err := w.both(func(x vector.Index) (any, error) { return nil, x.Put(ctx, 1, "acme", k, entries) }); err != nil {
				t.Errorf("put: %v", err)
			}
		}
		err := w.both(func(x vector.Index) (any, error) { return x.Purge(ctx, 1, "acme", prefix(d), 0, g-1) })
		if err != nil {
			t.Errorf("purge: %v", err)
		}
	}
}

// readOn asks until the context ends; what it finds must be whole and of the tenant.
func readOn(until context.Context, t *testing.T, ix vector.Index, seed uint64) {
	w := &twins{r: rand.New(rand.NewPCG(seed, 5))}
	for until.Err() == nil {
		hits, err := ix.Words(ctx, 1, "acme", doc.KindWindow, vector.Terms, w.terms(6), nil, 10)
		if err != nil {
			t.Errorf("words: %v", err)
		}
		for i := 1; i < len(hits); i++ {
			if !inOrder(hits[i-1], hits[i]) {
				t.Errorf("hits out of order: %v", hits)
			}
		}
		if _, err := ix.Near(ctx, 1, "acme", Unit(w.r, 37), nil, 10); err != nil {
			t.Errorf("near: %v", err)
		}
		if hits, _ := ix.Words(ctx, 1, "zeta", doc.KindWindow, vector.Terms, []string{"w0"}, nil, 10); len(hits) > 0 {
			t.Errorf("another tenant sees %v", hits)
		}
	}
}
