package outline

// demote takes headings that are none out of the tree. Their lines stay where they are and become
// text of the heading before them; they do not count as text of its own, though, so that a number
// without a title is still seen as empty.
func (b *builder) demote() {
	running := b.running()
	kept := b.all[:0]
	cover := true // before the first numbered heading, where a running head is the title
	for i := range b.all {
		h := b.all[i]
		none := h.is.rank == 0 && (rules.furniture(h.title) != "" || running[normal(h.title)] && !cover)
		if h.is.rank != 0 || running[normal(h.title)] {
			cover = false
		}
		none = none || b.isContents(i)
		if !none {
			kept = append(kept, h)
			continue
		}
		b.demoted++
		if n := len(kept); n > 0 && h.text {
			kept[n-1].text = true
		}
	}
	b.all = kept
}

// running are the titles of running heads: repeated, and mostly without a text of their own.
func (b *builder) running() map[string]bool {
	type count struct{ all, empty int }
	counts := map[string]*count{}
	for i := range b.all {
		if b.all[i].is.rank != 0 {
			continue
		}
		k := normal(b.all[i].title)
		c := counts[k]
		if c == nil {
			c = &count{}
			counts[k] = c
		}
		c.all++
		if !b.all[i].text {
			c.empty++
		}
	}
	out := map[string]bool{}
	for k, c := range counts {
		if c.all >= rules.Furniture.Repeated && c.empty*3 >= c.all*2 {
			out[k] = true
		}
	}
	return out
}

// isContents reports whether heading i is an entry of a table of contents: it ends in a page number, and
// a later heading has the same number before the count begins anew.
func (b *builder) isContents(i int) bool {
	h := &b.all[i]
	if h.is.rank == 0 || h.is.number.parts == nil || h.is.alone || !endsInPage(h.title) {
		return false
	}
	for k := i + 1; k < len(b.all) && k < i+400; k++ {
		if b.all[k].is.family == h.is.family && b.all[k].is.number.text == h.is.number.text {
			return true
		}
	}
	return false
}

// endsInPage reports whether a title ends in a blank and one to three digits.
func endsInPage(title string) bool {
	i := len(title)
	for i > 0 && isDigit(title[i-1]) {
		i--
	}
	n := len(title) - i
	return n >= 1 && n <= 3 && i > 0 && (title[i-1] == ' ' || title[i-1] == '.')
}
