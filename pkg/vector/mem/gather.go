package mem

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
)

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
