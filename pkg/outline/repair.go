package outline

// shape decides headings, levels and parents.
func (b *builder) shape() {
	if b.o.KeepLevels {
		b.asWritten()
		return
	}
	b.classify()
	if len(b.all) == 0 {
		b.synthesise()
		if len(b.all) == 0 {
			b.windows, b.why = true, "no headings"
			return
		}
		b.repair()
		b.judgeWhole(b.why)
		return
	}
	ok, why := b.sound()
	if ok {
		b.unwedge()
		b.asWritten()
		b.lendAsWritten()
		return
	}
	b.fillGaps()
	b.demote()
	b.join()
	b.repair()
	b.judgeWhole(why)
}

// place is an open heading while the tree is built from ranks.
type place struct {
	i       int
	rank    int
	family  string
	written int
}

// repair gives every heading its parent by rank, and by its level as written below that.
func (b *builder) repair() {
	b.settle()
	b.lend()
	var stack []place
	beyond := false          // past the end of the body: exhibits
	last := map[string]int{} // by family, the last numbered heading, counted from 1
	for i := range b.all {
		h := &b.all[i]
		if !b.body && !beyond && h.is.rank == 0 && rules.ends(h.title) {
			beyond = true
			h.is = rule{family: "end", rank: rankRoot}
		}
		if beyond && b.beginsExhibit(i) {
			h.is = rule{family: "exhibit", rank: rankRoot}
		}
		if beyond && h.is.family == "appendix" && rules.numbersExhibit(h) {
			h.is.rank = rankRoot
		}
		if !b.inAppendix(stack, h, last[h.is.family]) {
			stack = b.pop(stack, h)
			stack = b.resume(stack, h, last[h.is.family])
		} else {
			stack = cutTo(stack, "appendix")
		}
		if h.is.number.parts != nil {
			last[h.is.family] = i + 1
		}
		h.parent = -1
		h.level = 1
		if n := len(stack); n > 0 {
			h.parent = stack[n-1].i
			h.level = b.all[h.parent].level + 1
		}
		b.trust(i)
		stack = append(stack, place{i, rankOf(h), h.is.family, h.written})
	}
}

func rankOf(h *heading) int {
	if h.is.rank == 0 {
		return rankRest
	}
	return h.is.rank
}

// pop closes the open headings that h does not stand under.
func (b *builder) pop(stack []place, h *heading) []place {
	for len(stack) > 0 && stack[len(stack)-1].rank == rankLeaf {
		stack = stack[:len(stack)-1]
	}
	rank := rankOf(h)
	switch {
	case rank < rankList:
		for len(stack) > 0 && stack[len(stack)-1].rank >= rank {
			stack = stack[:len(stack)-1]
		}
	case rank == rankList:
		for k := len(stack) - 1; k >= 0 && stack[k].rank >= rankList; k-- {
			if stack[k].family == h.is.family {
				return stack[:k]
			}
		}
	case rank == rankRest || h.written <= 1:
		for len(stack) > 0 && stack[len(stack)-1].rank >= rankList && stack[len(stack)-1].written >= h.written {
			stack = stack[:len(stack)-1]
		}
	}
	return stack
}

// lend makes the heading after an empty numbered one ("NOTE 23" alone) its sibling and gives it
// the number.
func (b *builder) lend() {
	for i := 0; i+1 < len(b.all); i++ {
		h, next := &b.all[i], &b.all[i+1]
		if !h.is.alone || h.text || h.is.rank >= rankList || h.is.family == "part" || next.is.rank != 0 || next.line-h.last > 6 {
			continue
		}
		next.lent = h.title
		next.is = rule{family: h.is.family, rank: h.is.rank, number: h.is.number}
	}
}
