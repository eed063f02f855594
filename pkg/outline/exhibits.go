package outline

// beginsExhibit reports whether heading i, beyond the end of the body, begins an exhibit. A second
// line of its title does not.
func (b *builder) beginsExhibit(i int) bool {
	h := &b.all[i]
	if h.is.rank != 0 || h.written > 2 || h.synthetic || !rules.exhibit(h.title) {
		return false
	}
	p := &b.all[i-1]
	return p.is.family != "exhibit" && p.is.rank != rankRoot || p.text || h.line > p.last+2
}

// inAppendix reports whether h, of a family that usually stands above appendices, is a part of the
// open one: it begins a count there, or goes on with one that began there.
func (b *builder) inAppendix(stack []place, h *heading, last int) bool {
	k := len(stack) - 1
	for k >= 0 && stack[k].family != "appendix" {
		k--
	}
	if k < 0 || h.is.rank == 0 || h.is.rank > stack[k].rank || h.is.family == "appendix" || len(h.is.number.parts) != 1 {
		return false
	}
	if last > 0 && b.all[last-1].parent == stack[k].i {
		return h.is.number.follows(b.all[last-1].is.number)
	}
	return h.is.number.parts[0] == 1
}

// cutTo closes what stands in the last open heading of the family.
func cutTo(stack []place, family string) []place {
	for len(stack) > 0 && stack[len(stack)-1].family != family {
		stack = stack[:len(stack)-1]
	}
	return stack
}

// resume closes a schedule or an appendix that stood in the middle of a count: Article III after
// Article II and a schedule goes on beside Article II. last is one more than the index of the
// family's last heading, 0 for none.
func (b *builder) resume(stack []place, h *heading, last int) []place {
	n := len(stack)
	if last == 0 || n == 0 || stack[n-1].family != "appendix" || h.is.family == "appendix" || h.is.rank >= rankDotted {
		return stack
	}
	before := &b.all[last-1]
	if stack[n-1].i > last-1 && before.parent == b.all[stack[n-1].i].parent && h.is.number.follows(before.is.number) {
		return stack[:n-1]
	}
	return stack
}
