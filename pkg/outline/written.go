package outline

// asWritten keeps the levels: a heading's parent is the nearest one before it with a lower level.
func (b *builder) asWritten() {
	var stack []int
	for i := range b.all {
		h := &b.all[i]
		for len(stack) > 0 && b.all[stack[len(stack)-1]].level >= h.level {
			stack = stack[:len(stack)-1]
		}
		h.parent = -1
		if len(stack) > 0 {
			h.parent = stack[len(stack)-1]
		}
		stack = append(stack, i)
		if h.why == "" {
			h.conf, h.why = 0.95, "level as written"
		}
	}
	b.confidence = 1
	if len(b.all) == 0 {
		b.windows, b.why, b.confidence = true, "no headings", 0
	}
}

// unwedge puts an unnumbered heading that stands between 3.1 and 3.2, and above both by its level, below
// 3.1: the count goes on, so it cannot have ended there.
func (b *builder) unwedge() {
	for i := range b.all {
		h := &b.all[i]
		if h.is.family != "dotted" || len(h.is.number.parts) < 2 {
			continue
		}
		k := i + 1
		for k < len(b.all) && k < i+6 && b.all[k].is.rank == 0 && b.all[k].written < h.written {
			k++
		}
		if k == i+1 || k == len(b.all) || b.all[k].is.family != "dotted" || b.all[k].written != h.written ||
			len(b.all[k].is.number.parts) != len(h.is.number.parts) || !b.all[k].is.number.follows(h.is.number) {
			continue
		}
		for j := i + 1; j < k; j++ {
			b.all[j].level = h.level + 1
			b.all[j].conf, b.all[j].why = 0.6, "written above "+h.is.number.text+", whose count goes on after it"
		}
	}
}

// join makes one heading of a title that goes on in the heading on the next line.
func (b *builder) join() {
	kept := b.all[:0]
	for _, h := range b.all {
		if n := len(kept); n > 0 {
			p := &kept[n-1]
			if p.last+1 == h.line && !p.synthetic && p.is.number.parts == nil && rules.goesOn(p.title) && len(p.title) < 300 {
				p.title += " " + h.title
				p.last, p.end, p.text = h.last, h.end, h.text
				continue
			}
		}
		kept = append(kept, h)
	}
	b.all = kept
}

// lendAsWritten lends the number of an empty numbered heading to the next of the same level.
func (b *builder) lendAsWritten() {
	for i := 0; i+1 < len(b.all); i++ {
		h, next := &b.all[i], &b.all[i+1]
		if h.is.alone && !h.text && h.is.rank < rankRest && next.is.rank == 0 && next.level == h.level {
			next.lent = h.title
		}
	}
}
