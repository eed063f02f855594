package mem

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

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

// gather is the terms of one field in the order they came.
type gather struct {
	numbers map[string]uint32 // term -> its number
	terms   []string          // number -> term
	seen    []uint32          // number -> 1 + place in pairs where it was counted last
	pairs   []pair
	ends    []uint32 // entry i has pairs[ends[i-1]:ends[i]]
	lens    []uint32 // entry i has this many terms, repeats included
}

// pair is a term and how often it stands in an entry.
type pair struct{ number, times uint32 }

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

func (g *gather) begin() { g.lens = append(g.lens, 0) }

func (g *gather) end() { g.ends = append(g.ends, uint32(len(g.pairs))) }

// count counts term n times more in the entry begun last.
func (g *gather) count(term string, n uint32) {
	k, ok := g.numbers[term]
	if !ok {
		k = uint32(len(g.terms))
		term = strings.Clone(term)
		g.numbers[term] = k
		g.terms = append(g.terms, term)
		g.seen = append(g.seen, 0)
	}
	g.add(k, n)
}

func (g *gather) add(k, n uint32) {
	g.lens[len(g.lens)-1] += n
	if p := g.seen[k]; p > 0 && p > g.start() {
		g.pairs[p-1].times += n
		return
	}
	g.pairs = append(g.pairs, pair{k, n})
	g.seen[k] = uint32(len(g.pairs))
}

// start is where the pairs of the entry begun last begin.
func (g *gather) start() uint32 {
	if len(g.ends) == 0 {
		return 0
	}
	return g.ends[len(g.ends)-1]
}

// of is the pairs of entry i.
func (g *gather) of(i int) []pair {
	if i == 0 {
		return g.pairs[:g.ends[0]]
	}
	return g.pairs[g.ends[i-1]:g.ends[i]]
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

var errBag = errors.New("its words are damaged")

func (g *gather) addBag(bag []byte) error {
	g.begin()
	for len(bag) > 0 {
		times, n := binary.Uvarint(bag)
		if n <= 0 || times == 0 || times > 1<<31 {
			return errBag
		}
		size, m := binary.Uvarint(bag[n:])
		if m <= 0 || size > uint64(len(bag)-n-m) {
			return errBag
		}
		t := bag[n+m : n+m+int(size)]
		bag = bag[n+m+int(size):]
		if k, ok := g.numbers[string(t)]; ok {
			g.add(k, uint32(times))
			continue
		}
		g.count(string(t), uint32(times))
	}
	g.end()
	return nil
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

// invert turns the entries, whose slots are their places in order, into postings.
func (g *gather) invert(order []uint32) *inverted {
	rank, sorted := g.rank()
	f := &inverted{lens: make([]uint32, len(order)), postEnds: make([]uint32, len(sorted)), textEnds: make([]uint32, len(sorted))}
	var text strings.Builder
	for i, k := range sorted {
		text.WriteString(g.terms[k])
		f.textEnds[i] = uint32(text.Len())
	}
	f.text = strings.Clone(text.String())
	for _, e := range order {
		for _, p := range g.of(int(e)) {
			f.postEnds[rank[p.number]]++
		}
	}
	n := uint32(0)
	for i, c := range f.postEnds { // counts become beginnings, which the loop below moves to the ends
		f.postEnds[i] = n
		n += c
	}
	f.posts = make([]uint32, n)
	for slot, e := range order {
		f.lens[slot] = g.lens[e]
		f.sum += int64(g.lens[e])
		for _, p := range g.of(int(e)) {
			r := rank[p.number]
			f.posts[f.postEnds[r]] = f.posting(int(r), uint32(slot), p.times)
			f.postEnds[r]++
		}
	}
	return f
}

// rank is each term's place in the order of terms, and the terms in that order.
// Terms that only overwritten entries had are ranked, too; they have no postings.
func (g *gather) rank() (rank, sorted []uint32) {
	sorted = make([]uint32, len(g.terms))
	for i := range sorted {
		sorted[i] = uint32(i)
	}
	slices.SortFunc(sorted, func(x, y uint32) int { return strings.Compare(g.terms[x], g.terms[y]) })
	rank = make([]uint32, len(sorted))
	for i, k := range sorted {
		rank[k] = uint32(i)
	}
	return rank, sorted
}

// posting packs slot and times, noting in often what does not fit.
func (f *inverted) posting(term int, slot, times uint32) uint32 {
	if times < manyTimes {
		return slot<<8 | times
	}
	if f.often == nil {
		f.often = map[uint64]uint32{}
	}
	f.often[uint64(term)<<32|uint64(slot)] = times
	return slot<<8 | manyTimes
}
