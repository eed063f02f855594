package mem

import (
	"math/bits"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// view is what a reader sees of a list: it never changes.
type view []part

// part is a segment without its dead entries (purged or overwritten).
type part struct {
	*segment
	dead    []uint64 // a bit a slot; nil: none is dead
	deaths  int
	deadLen [2]int64 // terms of dead entries, by field
}

func (p *part) isDead(slot uint32) bool {
	return p.dead != nil && p.dead[slot>>6]>>(slot&63)&1 == 1
}

// live is the number of entries that are not dead.
func (p *part) live() int { return len(p.ids) - p.deaths }

// bury is p with the given slots dead, and how many of them were not before. The dead bits are copied:
// readers of p go on undisturbed.
func (p part) bury(rs []slots, single []uint32) (part, int) {
	d := p.dead
	p.dead = make([]uint64, (len(p.ids)+63)/64)
	copy(p.dead, d)
	before := p.deaths
	for _, r := range rs {
		for s := r.from; s < r.to; s++ {
			p.kill(s)
		}
	}
	for _, s := range single {
		p.kill(s)
	}
	return p, p.deaths - before
}

func (p *part) kill(slot uint32) {
	if p.isDead(slot) {
		return
	}
	p.dead[slot>>6] |= 1 << (slot & 63)
	p.deaths++
	for i, f := range p.fields {
		if f != nil {
			p.deadLen[i] += int64(f.lens[slot])
		}
	}
}

// alive counts the live slots among postings.
func (p *part) alive(posts []uint32) int {
	if p.deaths == 0 {
		return len(posts)
	}
	dead := 0
	for _, q := range posts {
		s := q >> 8
		dead += int(p.dead[s>>6] >> (s & 63) & 1)
	}
	return len(posts) - dead
}

// total is the number of live entries and of their terms in a field.
func (v view) total(field int) (entries int, terms int64) {
	for i := range v {
		p := &v[i]
		entries += p.live()
		if f := p.fields[field]; f != nil {
			terms += f.sum - p.deadLen[field]
		}
	}
	return entries, terms
}

// count is the live entries of a document's generations [from, to].
func (v view) count(p doc.Prefix, from, to doc.Generation) int {
	n := 0
	for i := range v {
		r := v[i].ofGenerations(p, from, to)
		n += v[i].liveIn(r)
	}
	return n
}

func (p *part) liveIn(r slots) int {
	n := int(r.to - r.from)
	if p.deaths == 0 {
		return n
	}
	for s := r.from; s < r.to; s++ {
		if s&63 == 0 && s+64 <= r.to {
			n -= bits.OnesCount64(p.dead[s>>6])
			s += 63
			continue
		}
		if p.isDead(s) {
			n--
		}
	}
	return n
}

// has reports whether id is a live entry.
func (v view) has(id doc.EntryID) bool {
	for i := range v {
		if s := v[i].slot(id); s >= 0 && !v[i].isDead(uint32(s)) {
			return true
		}
	}
	return false
}
