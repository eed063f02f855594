package outline

// shape decides levels and parents.
func (b *builder) shape() {
	b.asWritten()
}

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
		h.conf, h.why = 0.95, "level as written"
	}
	b.confidence = 1
	if len(b.all) == 0 {
		b.windows, b.why, b.confidence = true, "no headings", 0
	}
}
