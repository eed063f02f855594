package outline

// fillGaps makes headings of lines that fill a gap in the count of real ones: "Item 1B" in bold
// between the headings Item 1A and Item 2. Only where levels are repaired.
func (b *builder) fillGaps() {
	gaps := b.counted()
	if len(gaps) == 0 {
		return
	}
	var found []heading
	last, coming := map[string]number{}, b.ahead()
	k := 0
	for _, l := range b.lines() {
		for ; k < len(b.all) && b.all[k].line < l.number; k++ {
			if h := &b.all[k]; h.is.number.parts != nil {
				last[h.is.family] = h.is.number
			}
		}
		if !gaps[l.is.family] || l.is.number.parts == nil || l.is.alone && !l.bold {
			continue
		}
		prev, seen := last[l.is.family]
		var next number
		at := coming.next(k, l.is.family)
		if at >= 0 {
			next = b.all[at].is.number
		}
		if !fits(l, prev, next, seen, at >= 0) && !inOwnArticle(l, last, next, at >= 0) {
			continue
		}
		last[l.is.family] = l.is.number
		h := b.synthetic(l, 0.8, "fills the gap in the count of "+l.is.family+" headings")
		found = append(found, h)
	}
	b.insert(found)
}

// counted are the families with real headings enough to show a gap.
func (b *builder) counted() map[string]bool {
	n := map[string]int{}
	for i := range b.all {
		if r := b.all[i].is; r.rank > 0 && (r.rank < rankDotted || len(r.number.parts) > 1) && r.number.parts != nil {
			n[r.family]++
		}
	}
	out := map[string]bool{}
	for f, c := range n {
		if c >= 3 {
			out[f] = true
		}
	}
	return out
}

// inOwnArticle reports whether a bold 2.1 stands in Article 2, and in the count of that article
// alone: contracts, one behind the other, begin their counts anew.
func inOwnArticle(l line, last map[string]number, next number, more bool) bool {
	n := l.is.number.parts
	if !l.bold || len(n) < 2 || n[0] != first(last["article"]) && n[0] != first(last["chapter"]) {
		return false
	}
	if prev := last[l.is.family]; first(prev) == n[0] && !l.is.number.after(prev) {
		return false
	}
	return !more || first(next) != n[0] || next.after(l.is.number)
}

// first is the first part of a number, -1 of none.
func first(n number) int {
	if len(n.parts) == 0 {
		return -1
	}
	return n.parts[0]
}

// fits reports whether the line's number lies between its neighbours'. A line that is not bold
// must be next to one of them.
func fits(l line, prev, next number, seen, more bool) bool {
	n := l.is.number
	if !seen {
		return more && n.parts[0] == 1 && len(n.parts) == 1 && next.after(n) && (l.bold || next.follows(n))
	}
	if !n.after(prev) {
		return false
	}
	if more && next.after(prev) {
		return next.after(n) && (l.bold || n.follows(prev) || next.follows(n))
	}
	return n.follows(prev) && (l.bold || more)
}

// ahead finds the next numbered heading of a family; it is asked in order of the text.
type ahead map[string][]int // by family, the indices of headings not yet passed

func (b *builder) ahead() ahead {
	a := ahead{}
	for i := range b.all {
		if r := b.all[i].is; r.number.parts != nil {
			a[r.family] = append(a[r.family], i)
		}
	}
	return a
}

// next is the index of the family's first heading at k or after, -1 for none.
func (a ahead) next(k int, family string) int {
	rest := a[family]
	for len(rest) > 0 && rest[0] < k {
		rest = rest[1:]
	}
	a[family] = rest
	if len(rest) == 0 {
		return -1
	}
	return rest[0]
}
