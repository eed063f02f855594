package mem

import (
	"bytes"
	"math/bits"
	"slices"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// When parts are merged: from four of one size on (sizes in powers of four), so that an entry is
// moved a few times in its life and a search meets a dozen parts; or when a quarter of one is dead.
const (
	smallest   = 64 // parts up to this size are of one size
	together   = 4
	deadShare  = 4
	mergeAtPut = 512 // up to so many entries are merged by the Put itself, more of them behind it
)

// gone is the new slot of a dead entry.
const gone = ^uint32(0)

// mergeable is the parts that should be merged next, or none.
func (v view) mergeable(busy map[*segment]bool) []part {
	sizes := map[int][]part{}
	for _, p := range v {
		if busy[p.segment] {
			continue
		}
		if p.deaths >= smallest && p.deaths*deadShare > len(p.ids) {
			return []part{p}
		}
		n := bits.Len(uint(p.live())/smallest) / 2
		sizes[n] = append(sizes[n], p)
	}
	for n := range 16 {
		if ps := sizes[n]; len(ps) >= together && size(ps) < maxSlots {
			return ps
		}
	}
	return nil
}

// size is the number of entries the parts hold, dead ones too.
func size(ps []part) (n int) {
	for _, p := range ps {
		n += len(p.ids)
	}
	return n
}

// merge is one segment of the live entries of ps.
func merge(ps []part) *segment {
	ids, moved := mergeIDs(ps)
	s := &segment{ids: ids}
	s.indexDocs()
	for _, p := range ps {
		s.dim = max(s.dim, p.dim)
	}
	if s.dim > 0 {
		s.mergeVectors(ps, moved)
	}
	for i := range s.fields {
		if len(ps) > 0 && ps[0].fields[i] != nil {
			s.fields[i] = mergeField(ps, moved, i, len(ids))
		}
	}
	return s
}

func (s *segment) mergeVectors(ps []part, moved [][]uint32) {
	n := len(s.ids)
	s.vecs = make([]float32, n*s.dim)
	s.codes = codes{dim: s.dim, bytes: make([]int8, n*s.dim), unit: make([]float32, n), miss: make([]float32, n)}
	for i, p := range ps {
		for slot, to := range moved[i] {
			if to != gone {
				copy(s.vecs[int(to)*s.dim:], p.vecs[slot*s.dim:(slot+1)*s.dim])
				s.codes.take(int(to), &p.codes, slot)
			}
		}
	}
}

// mergeIDs is the live ids ascending, and for each part the new slot of each old one.
func mergeIDs(ps []part) (ids []doc.EntryID, moved [][]uint32) {
	n := 0
	at := make([]uint32, len(ps))
	moved = make([][]uint32, len(ps))
	for i := range ps {
		n += ps[i].live()
		moved[i] = make([]uint32, len(ps[i].ids))
		at[i] = skipDead(&ps[i], 0, moved[i])
	}
	ids = make([]doc.EntryID, 0, n)
	for len(ids) < n {
		least := -1
		for i := range ps {
			if int(at[i]) < len(ps[i].ids) && (least < 0 || bytes.Compare(ps[i].ids[at[i]][:], ps[least].ids[at[least]][:]) < 0) {
				least = i
			}
		}
		p := &ps[least]
		moved[least][at[least]] = uint32(len(ids))
		ids = append(ids, p.ids[at[least]])
		at[least] = skipDead(p, at[least]+1, moved[least])
	}
	return ids, moved
}

// skipDead is the first live slot from s on; the dead ones before it are marked as gone.
func skipDead(p *part, s uint32, moved []uint32) uint32 {
	for int(s) < len(p.ids) && p.isDead(s) {
		moved[s] = gone
		s++
	}
	return s
}

// fieldMerge is the state of the merge of one field: at[i] is the next term of part i.
type fieldMerge struct {
	in    []*inverted
	moved [][]uint32
	at    []int
	out   *inverted
	text  strings.Builder
	a, b  []uint32 // postings in hand
}

func mergeField(ps []part, moved [][]uint32, field, entries int) *inverted {
	m := &fieldMerge{moved: moved, at: make([]int, len(ps)), out: &inverted{lens: make([]uint32, entries)}}
	posts := 0
	for i := range ps {
		f := ps[i].fields[field]
		m.in = append(m.in, f)
		posts += len(f.posts)
		for slot, to := range moved[i] {
			if to != gone {
				m.out.lens[to] = f.lens[slot]
				m.out.sum += int64(f.lens[slot])
			}
		}
	}
	m.out.posts = make([]uint32, 0, posts)
	for m.next() {
	}
	f := m.out
	f.text = strings.Clone(m.text.String())
	f.posts, f.textEnds, f.postEnds = slices.Clone(f.posts), slices.Clone(f.textEnds), slices.Clone(f.postEnds)
	return f
}

// next moves the least term that is left to the result; false at the end.
func (m *fieldMerge) next() bool {
	least, found := "", false
	for i, f := range m.in {
		if m.at[i] < len(f.textEnds) {
			if t := f.term(m.at[i]); !found || t < least {
				least, found = t, true
			}
		}
	}
	if !found {
		return false
	}
	number := len(m.out.textEnds)
	m.a = m.a[:0]
	for i, f := range m.in {
		if m.at[i] < len(f.textEnds) && f.term(m.at[i]) == least {
			m.take(i, number)
			m.at[i]++
		}
	}
	if len(m.a) > 0 {
		m.text.WriteString(least)
		m.out.posts = append(m.out.posts, m.a...)
		m.out.textEnds = append(m.out.textEnds, uint32(m.text.Len()))
		m.out.postEnds = append(m.out.postEnds, uint32(len(m.out.posts)))
	}
	return true
}

// take merges the postings of part i's next term into those in hand.
func (m *fieldMerge) take(i, number int) {
	f, old := m.in[i], m.a
	m.b = m.b[:0]
	k := 0
	for _, p := range f.postings(m.at[i]) {
		to := m.moved[i][p>>8]
		if to == gone {
			continue
		}
		q := m.out.posting(number, to, f.times(m.at[i], p))
		for k < len(old) && old[k] < q {
			m.b = append(m.b, old[k])
			k++
		}
		m.b = append(m.b, q)
	}
	m.b = append(m.b, old[k:]...)
	m.a, m.b = m.b, m.a
}
