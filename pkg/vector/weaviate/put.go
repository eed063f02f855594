package weaviate

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// object is an entry on its way to the server.
type object struct {
	id         doc.EntryID
	doc        string
	generation int
	words      map[string]string // by searchable property
	vector     []float32
}

// size is about how many bytes the object takes in a request.
func (o *object) size() int {
	n := 128 + 4*len(o.vector)
	for _, w := range o.words {
		n += len(w)
	}
	return n
}

// docName is a document in the property doc.
func docName(p doc.Prefix) string { return hex.EncodeToString(p[:]) }

// searchable are the properties of a kind that are searched by words.
func searchable(k doc.Kind) []vector.Field {
	switch k {
	case doc.KindChunk:
		return nil
	case doc.KindNode:
		return []vector.Field{vector.Terms, vector.Crumb}
	}
	return []vector.Field{vector.Terms}
}

// toObject is entry e of kind k.
func toObject(k doc.Kind, e vector.Entry) object {
	at := e.ID.Place()
	o := object{id: e.ID, doc: docName(at.Prefix), generation: int(at.Generation)}
	if k == doc.KindChunk {
		o.vector = e.Vector
		return o
	}
	o.words = map[string]string{}
	for _, f := range searchable(k) {
		words := e.Terms
		if f == vector.Crumb {
			words = e.Crumb
		}
		o.words[string(f)] = tokens(words)
	}
	return o
}

// Put implements vector.Index. Entries go in batches whose size follows the server's pace; of each batch every
// element's error is looked at.
func (x *Index) Put(ctx context.Context, b vector.Build, t doc.Tenant, k doc.Kind, entries []vector.Entry) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !slices.Contains(doc.Kinds[:], k) {
		return fmt.Errorf("index: no such kind of entry: %q", k)
	}
	if len(entries) == 0 {
		return nil
	}
	objects, dim, err := check(t, k, entries)
	if err == nil {
		err = x.put(ctx, b, t, k, objects, dim)
	}
	if err != nil {
		return fmt.Errorf("put %d %ss of tenant %s in build %d: %w", len(entries), k, t, b, err)
	}
	return nil
}

// check makes the entries' objects, of two with one id the later, and gives the vectors' dimensions.
func check(t doc.Tenant, k doc.Kind, entries []vector.Entry) (out []object, dim int, err error) {
	if !t.Valid() {
		return nil, 0, fmt.Errorf("tenant %q can't be a tenant's name", t)
	}
	place := make(map[doc.EntryID]int, len(entries))
	for _, e := range entries {
		if isReserved(e.ID) {
			return nil, 0, fmt.Errorf("entry id %s is reserved", e.ID)
		}
		if k == doc.KindChunk {
			if err := vector.CheckVector(e.Vector, dim); err != nil {
				return nil, 0, fmt.Errorf("entry %s: %w", e.ID, err)
			}
			dim = len(e.Vector)
		}
		if i, twice := place[e.ID]; twice {
			out[i] = toObject(k, e)
			continue
		}
		place[e.ID] = len(out)
		out = append(out, toObject(k, e))
	}
	return out, dim, nil
}

func (x *Index) put(ctx context.Context, b vector.Build, t doc.Tenant, k doc.Kind, objects []object, dim int) error {
	defer x.counts.drop(func(at field) bool { return at.build == b && at.tenant == t && at.kind == k })
	to := tenantClass{x.className(b, k), t}
	err := x.putInto(ctx, b, k, to, objects, dim)
	if errors.Is(err, errMissing) { // another process dropped the build: what was known of it is gone
		x.forget(to.class)
		err = x.putInto(ctx, b, k, to, objects, dim)
	}
	return err
}

func (x *Index) putInto(ctx context.Context, b vector.Build, k doc.Kind, to tenantClass, objects []object, dim int) error {
	c, err := x.ensure(ctx, b, k, dim)
	if err != nil {
		return err
	}
	if c.dim != dim {
		return fmt.Errorf("%w: it has %d dimensions, build %d has %d", vector.ErrVector, dim, b, c.dim)
	}
	if x.mustGuard(to, k, objects) {
		entries, _ := reserve(k)
		objects = append(entries, objects...)
	}
	if err := x.send(ctx, to, objects); err != nil {
		return err
	}
	x.guard(to)
	return nil
}

// send writes the objects, a batch after another.
func (x *Index) send(ctx context.Context, to tenantClass, objects []object) error {
	for len(objects) > 0 {
		n := x.pace.next(objects)
		err := x.pace.measure(func() error {
			return x.try(ctx, func(ctx context.Context) error { return x.wire.write(ctx, to, objects[:n]) })
		})
		if err != nil {
			return err
		}
		objects = objects[n:]
	}
	return nil
}
