package mem

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// Batch gathers entries of one kind, to be put into an Index together. Of two entries with
// one id the later one counts. A Batch is for one goroutine.
type Batch struct {
	ids    []doc.EntryID
	fields [2]*gather
	vecs   []float32
	dim    int
	sealed *segment
}

// NewBatch is an empty batch of entries of kind k.
func NewBatch(k doc.Kind) *Batch {
	b := &Batch{}
	for i := range fieldsOf(k) {
		b.fields[i] = &gather{numbers: map[string]uint32{}}
	}
	return b
}

// fieldsOf is how many fields of words a kind has.
func fieldsOf(k doc.Kind) int {
	switch k {
	case doc.KindChunk:
		return 0
	case doc.KindNode:
		return 2
	}
	return 1
}

// Len is the number of entries added.
func (b *Batch) Len() int { return len(b.ids) }

// Dim is the dimensions of the vectors, 0 while there are none.
func (b *Batch) Dim() int { return b.dim }

// Add adds an entry. Of chunks it keeps the vector, which must fit the others; of other kinds the words.
func (b *Batch) Add(e vector.Entry) error {
	if b.fields[0] == nil {
		if err := vector.CheckVector(e.Vector, b.dim); err != nil {
			return fmt.Errorf("entry %s: %w", e.ID, err)
		}
		b.addVector(e.Vector)
	}
	b.ids = append(b.ids, e.ID)
	for i, terms := range [2][]string{e.Terms, e.Crumb} {
		if g := b.fields[i]; g != nil {
			g.begin()
			for _, t := range terms {
				g.count(t, 1)
			}
			g.end()
		}
	}
	return nil
}

func (b *Batch) addVector(v []float32) {
	b.dim = len(v)
	b.vecs = append(b.vecs, v...)
}

// AddStored adds an entry from what Bag and the vector's bytes (little-endian float32) gave.
func (b *Batch) AddStored(id doc.EntryID, bags [2][]byte, vec []byte) error {
	if b.fields[0] == nil {
		if len(vec) == 0 || len(vec)%4 != 0 || b.dim != 0 && len(vec) != 4*b.dim {
			return fmt.Errorf("entry %s: vector of %d bytes", id, len(vec))
		}
		b.dim = len(vec) / 4
		b.vecs = appendFloats(b.vecs, vec)
	}
	b.ids = append(b.ids, id)
	for i, g := range b.fields {
		if g == nil {
			continue
		}
		if err := g.addBag(bags[i]); err != nil {
			return fmt.Errorf("entry %s: %w", id, err)
		}
	}
	return nil
}

// Bag appends the words of entry i in a field as bytes, which AddStored takes back: for each
// distinct term its times, its length (both as uvarint) and the term. field is 0 for Terms, 1 for Crumb.
func (b *Batch) Bag(dst []byte, i, field int) []byte {
	g := b.fields[field]
	if g == nil {
		return dst
	}
	for _, p := range g.of(i) {
		t := g.terms[p.number]
		dst = binary.AppendUvarint(dst, uint64(p.times))
		dst = binary.AppendUvarint(dst, uint64(len(t)))
		dst = append(dst, t...)
	}
	return dst
}

// ID is the id of entry i.
func (b *Batch) ID(i int) doc.EntryID { return b.ids[i] }

// Vector is the vector of entry i, or nil.
func (b *Batch) Vector(i int) []float32 {
	if b.dim == 0 {
		return nil
	}
	return b.vecs[i*b.dim : (i+1)*b.dim]
}

// Seal does the larger part of the work of Apply, for a caller that will hold a lock then.
// Nothing may be added after it.
func (b *Batch) Seal() { b.segment() }

// segment builds the segment of the batch, once.
func (b *Batch) segment() *segment {
	if b.sealed == nil {
		b.sealed = b.build()
	}
	return b.sealed
}

func (b *Batch) build() *segment {
	order := b.order()
	s := &segment{ids: make([]doc.EntryID, len(order)), dim: b.dim}
	for i, e := range order {
		s.ids[i] = b.ids[e]
	}
	s.indexDocs()
	if b.dim > 0 {
		s.vecs = make([]float32, 0, len(order)*b.dim)
		for _, e := range order {
			s.vecs = append(s.vecs, b.vecs[int(e)*b.dim:(int(e)+1)*b.dim]...)
		}
		s.codes = newCodes(s.vecs, s.dim)
	}
	for i, g := range b.fields {
		if g != nil {
			s.fields[i] = g.invert(order)
		}
	}
	return s
}

// order is the entries by ascending id, of equal ids the last one only.
func (b *Batch) order() []uint32 {
	order := make([]uint32, len(b.ids))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(x, y uint32) int {
		if c := bytes.Compare(b.ids[x][:], b.ids[y][:]); c != 0 {
			return c
		}
		return int(y) - int(x)
	})
	return slices.CompactFunc(order, func(x, y uint32) bool { return b.ids[x] == b.ids[y] })
}
