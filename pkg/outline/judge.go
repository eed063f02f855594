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
	b.styles()
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

// order counts how the levels of one family's headings compare with those of another above them.
type order struct{ deeper, equal, shallower int }

// wrong is how many do not stand deeper. A family that always stands higher than the rules say (the Parts
// of a Schedule) is the document's own order, and none of them is wrong.
func (o order) wrong() int {
	if o.deeper+o.equal == 0 && o.shallower >= 2 {
		return 0
	}
	return o.equal + o.shallower
}

// witness counts the places where two numbered headings say how their levels should compare, those
// where they do not, and how many ranks occur.
func (b *builder) witness() (pairs, wrong, ranks int) {
	var stack []int // numbered headings that are open, by rank
	seen := map[int]bool{}
	orders := map[[2]string]*order{}
	for i := range b.all {
		h := &b.all[i]
		if h.is.rank == 0 || h.is.rank >= rankList || h.is.number.parts == nil && h.is.family != "statement" {
			continue
		}
		seen[h.is.rank] = true
		for len(stack) > 0 && b.all[stack[len(stack)-1]].is.rank >= h.is.rank {
			top := &b.all[stack[len(stack)-1]]
			if top.is.rank == h.is.rank && top.is.family == h.is.family {
				pairs++
				if top.written != h.written {
					wrong++
				}
			}
			stack = stack[:len(stack)-1]
		}
		if len(stack) > 0 {
			pairs++
			compare(orders, &b.all[stack[len(stack)-1]], h)
		}
		stack = append(stack, i)
	}
	for _, o := range orders {
		wrong += o.wrong()
	}
	return pairs, wrong, len(seen)
}

func compare(orders map[[2]string]*order, above, h *heading) {
	k := [2]string{above.is.family, h.is.family}
	o := orders[k]
	if o == nil {
		o = &order{}
		orders[k] = o
	}
	switch {
	case h.written > above.written:
		o.deeper++
	case h.written == above.written:
		o.equal++
	default:
		o.shallower++
	}
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
