package outline

import "fmt"

// classify reads every title by the rules. Families that count only beside others are dropped where
// those are missing.
func (b *builder) classify() {
	present := map[string]bool{}
	for i := range b.all {
		b.all[i].is = rules.classify(b.all[i].title)
		if f := b.all[i].is.family; f != "" {
			if b.all[i].is.number.parts != nil && f[0] >= 'A' && f[0] <= 'Z' {
				f = "roman"
			}
			present[f] = true
		}
	}
	for i := range b.all {
		if !counts(b.all[i].is.family, present) {
			b.all[i].is = rule{}
		}
	}
	b.body = !anyOf(rules.End.With, present)
}

// counts reports whether the family counts in a document with the present ones.
func counts(name string, present map[string]bool) bool {
	for i := range rules.Families {
		if f := &rules.Families[i]; f.Name == name {
			return (len(f.With) == 0 || anyOf(f.With, present)) && !anyOf(f.Without, present)
		}
	}
	return true
}

func anyOf(names []string, present map[string]bool) bool {
	for _, n := range names {
		if present[n] {
			return true
		}
	}
	return false
}

// sound reports whether the levels as written can be kept, and else says why not. Numbered headings are the
// witnesses: a Note must stand deeper than the Item before it, and as deep as the Note before it.
func (b *builder) sound() (bool, string) {
	flat := b.flat()
	pairs, wrong, ranks := b.witness()
	switch {
	case flat && ranks >= 2:
		return false, "all headings have one level, their numbers have more"
	case flat:
		return true, ""
	case pairs >= 3 && wrong >= 2 && wrong*5 >= pairs:
		return false, fmt.Sprintf("the levels contradict the numbers at %d of %d places", wrong, pairs)
	case pairs >= 3 && wrong >= 2 && wrong*12 >= pairs && b.pageLocal():
		return false, fmt.Sprintf("the levels begin anew on each page and contradict the numbers at %d of %d places", wrong, pairs)
	}
	return true, ""
}

// flat reports whether all headings, a first one as the title left aside, have one level.
func (b *builder) flat() bool {
	if len(b.all) < 4 {
		return false
	}
	for i := 2; i < len(b.all); i++ {
		if b.all[i].written != b.all[1].written {
			return false
		}
	}
	return b.all[0].written <= b.all[1].written
}

// witness counts the places where two numbered headings say how their levels should compare, those
// where they do not, and how many ranks occur.
func (b *builder) witness() (pairs, wrong, ranks int) {
	var stack []int // numbered headings that are open, by rank
	seen := map[int]bool{}
	for i := range b.all {
		h := &b.all[i]
		if h.is.rank == 0 || h.is.rank >= rankList || h.is.number.parts == nil && h.is.family != "statement" {
			continue
		}
		seen[h.is.rank] = true
		same := false
		for len(stack) > 0 && b.all[stack[len(stack)-1]].is.rank >= h.is.rank {
			top := &b.all[stack[len(stack)-1]]
			if top.is.rank == h.is.rank && top.is.family == h.is.family {
				same = true
				pairs++
				if top.written != h.written {
					wrong++
				}
			}
			stack = stack[:len(stack)-1]
		}
		if len(stack) > 0 && !same {
			pairs++
			if b.all[stack[len(stack)-1]].written >= h.written {
				wrong++
			}
		}
		stack = append(stack, i)
	}
	return pairs, wrong, len(seen)
}

// pageLocal reports whether on most pages the first heading is of level 1.
func (b *builder) pageLocal() bool {
	pages, ones, last := 0, 0, -1
	for i := range b.all {
		if b.all[i].page == last {
			continue
		}
		last = b.all[i].page
		pages++
		if b.all[i].written == 1 {
			ones++
		}
	}
	return pages >= 5 && ones*10 >= pages*6
}
