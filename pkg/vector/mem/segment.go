package mem

import (
	"bytes"
	"sort"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// segment is a set of entries of one kind. It never changes once built, so readers need no lock.
// A slot is an entry's place in ids; entries of one document are neighbours, its generations in order.
type segment struct {
	ids    []doc.EntryID // ascending
	docs   []uint64      // the documents' prefixes as numbers, ascending
	starts []uint32      // docs[i] has the slots [starts[i], starts[i+1])
	fields [2]*inverted  // by fieldIndex; nil where the kind has none
	vecs   []float32     // dim numbers a slot; chunks only
	dim    int
	codes  codes // of vecs
}

// inverted is one field of a segment: which term stands in which slot how often.
// Term i is text[textEnds[i-1]:textEnds[i]]; terms ascend. Its postings are
// posts[postEnds[i-1]:postEnds[i]], ascending, each slot<<8 | times, where times 255 means: see often.
type inverted struct {
	text     string
	textEnds []uint32
	posts    []uint32
	postEnds []uint32
	lens     []uint32 // terms a slot, repeats included
	sum      int64    // of lens
	often    map[uint64]uint32
}

const (
	manyTimes = 255
	maxSlots  = 1 << 24 // a posting has 24 bits for the slot
)

func (f *inverted) term(i int) string {
	if i == 0 {
		return f.text[:f.textEnds[0]]
	}
	return f.text[f.textEnds[i-1]:f.textEnds[i]]
}

func (f *inverted) postings(i int) []uint32 {
	if i == 0 {
		return f.posts[:f.postEnds[0]]
	}
	return f.posts[f.postEnds[i-1]:f.postEnds[i]]
}

// find is the number of a term, or -1.
func (f *inverted) find(term string) int {
	i := sort.Search(len(f.textEnds), func(i int) bool { return f.term(i) >= term })
	if i < len(f.textEnds) && f.term(i) == term {
		return i
	}
	return -1
}

// times is how often term i stands in the slot of posting p.
func (f *inverted) times(i int, p uint32) uint32 {
	if n := p & manyTimes; n != manyTimes {
		return n
	}
	return f.often[uint64(i)<<32|uint64(p>>8)]
}

// prefixNumber is p as a number that sorts like p.
func prefixNumber(p []byte) uint64 {
	_ = p[6]
	return uint64(p[0])<<48 | uint64(p[1])<<40 | uint64(p[2])<<32 | uint64(p[3])<<24 | uint64(p[4])<<16 | uint64(p[5])<<8 | uint64(p[6])
}

// indexDocs fills docs and starts from ids.
func (s *segment) indexDocs() {
	for i := range s.ids {
		n := prefixNumber(s.ids[i][:7])
		if len(s.docs) == 0 || s.docs[len(s.docs)-1] != n {
			s.docs = append(s.docs, n)
			s.starts = append(s.starts, uint32(i))
		}
	}
	s.starts = append(s.starts, uint32(len(s.ids)))
	s.docs = append([]uint64(nil), s.docs...)
	s.starts = append([]uint32(nil), s.starts...)
}

// slots is a half-open range of slots.
type slots struct{ from, to uint32 }

// ofDoc is the slots of document n; empty when it has none.
func (s *segment) ofDoc(n uint64) slots {
	i := sort.Search(len(s.docs), func(i int) bool { return s.docs[i] >= n })
	if i == len(s.docs) || s.docs[i] != n {
		return slots{}
	}
	return slots{s.starts[i], s.starts[i+1]}
}

// ofGenerations is the slots of document p whose generation is in [from, to].
func (s *segment) ofGenerations(p doc.Prefix, from, to doc.Generation) slots {
	r := s.ofDoc(prefixNumber(p[:]))
	generation := func(i int) doc.Generation { return s.ids[r.from+uint32(i)].Place().Generation }
	n := int(r.to - r.from)
	a := sort.Search(n, func(i int) bool { return generation(i) >= from })
	b := sort.Search(n, func(i int) bool { return generation(i) > to })
	if b < a {
		b = a
	}
	return slots{r.from + uint32(a), r.from + uint32(b)}
}

// slot is where id is, or -1.
func (s *segment) slot(id doc.EntryID) int {
	r := s.ofDoc(prefixNumber(id[:7]))
	i := sort.Search(int(r.to-r.from), func(i int) bool { return bytes.Compare(s.ids[r.from+uint32(i)][:], id[:]) >= 0 })
	if at := r.from + uint32(i); at < r.to && s.ids[at] == id {
		return int(at)
	}
	return -1
}

// bytes is the memory the segment holds.
func (s *segment) bytes() int64 {
	n := int64(cap(s.ids))*16 + int64(cap(s.docs))*8 + int64(cap(s.starts))*4 + int64(cap(s.vecs))*4 + int64(cap(s.codes.bytes)+8*cap(s.codes.unit))
	for _, f := range s.fields {
		if f != nil {
			n += int64(len(f.text)) + 4*int64(cap(f.textEnds)+cap(f.posts)+cap(f.postEnds)+cap(f.lens)) + 24*int64(len(f.often))
		}
	}
	return n
}
