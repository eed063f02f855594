package mem

import (
	"slices"
	"sort"

	"github.com/fingerpost/fingerpost/pkg/vector"
)

// docset is the documents of a filter as ascending numbers; nil is all of them.
type docset []uint64

func newDocset(f vector.Filter) docset {
	if f == nil {
		return nil
	}
	d := make(docset, len(f))
	for i := range f {
		d[i] = prefixNumber(f[i][:])
	}
	if !slices.IsSorted(d) {
		slices.Sort(d)
	}
	return slices.Compact(d)
}

// within is the slots of the documents, ascending, neighbours joined.
func (s *segment) within(d docset) []slots {
	if d == nil {
		return []slots{{0, uint32(len(s.ids))}}
	}
	var out []slots
	at := 0
	for _, n := range d {
		at += gallop(s.docs[at:], n)
		if at == len(s.docs) {
			break
		}
		if s.docs[at] != n {
			continue
		}
		if k := len(out) - 1; k >= 0 && out[k].to == s.starts[at] {
			out[k].to = s.starts[at+1]
			continue
		}
		out = append(out, slots{s.starts[at], s.starts[at+1]})
	}
	return out
}

// gallop is the first place in ascending a whose number is n or more: near places are found fast.
func gallop(a []uint64, n uint64) int {
	step := 1
	for step < len(a) && a[step-1] < n {
		step *= 2
	}
	from, to := step/2, min(step, len(a))
	return from + sort.Search(to-from, func(i int) bool { return a[from+i] >= n })
}

// gallopSlot is the first place in ascending postings whose slot is s or more.
func gallopSlot(posts []uint32, s uint32) int {
	step := 1
	for step < len(posts) && posts[step-1]>>8 < s {
		step *= 2
	}
	from, to := step/2, min(step, len(posts))
	return from + sort.Search(to-from, func(i int) bool { return posts[from+i]>>8 >= s })
}
