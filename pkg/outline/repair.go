package outline

import (
	"fmt"
	"math"
)

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

// trust gives a heading its confidence and reason.
func (b *builder) trust(i int) {
	h := &b.all[i]
	switch {
	case h.synthetic:
	case h.lent != "":
		h.conf, h.why = 0.9, fmt.Sprintf("title of %q, the empty heading before it", h.lent)
	case h.is.rank == 0:
		h.conf, h.why = b.trustRest(h)
	case h.is.rank == rankTitle:
		h.conf, h.why = 0.8, "title of the document"
	case h.is.rank == rankRoot:
		h.conf, h.why = 0.85, "begins an exhibit"
		if h.is.family == "end" {
			h.why = "ends the body"
		}
	case h.is.rank == rankLeaf:
		h.conf, h.why = 0.8, "caption"
	case h.is.number.text != "":
		h.conf, h.why = 0.95, fmt.Sprintf("%s %s", h.is.family, h.is.number.text)
	default:
		h.conf, h.why = 0.85, h.is.family
	}
}

// trustRest is the confidence of a heading without a number: higher where the level of its
// parent was written on the same page and is lower.
func (b *builder) trustRest(h *heading) (float64, string) {
	if h.parent < 0 {
		return 0.6, "no number and nothing above it"
	}
	if p := &b.all[h.parent]; p.page == h.page && p.written < h.written && !p.synthetic {
		return 0.75, "no number; deeper than the heading above it on its page"
	}
	return 0.6, "no number; below the last numbered heading"
}

// judgeWhole sums the confidences up, and gives the tree up for windows when too little is sure:
// the mean is low, most headings were none, or hardly any has a text.
func (b *builder) judgeWhole(why string) {
	sum, with := 0.0, 0
	for i := range b.all {
		sum += b.all[i].conf
		if b.all[i].text {
			with++
		}
	}
	n := len(b.all)
	b.why = why
	if b.demoted > 0 {
		b.why += fmt.Sprintf("; %d headings were none and went back to the text", b.demoted)
	}
	if n == 0 {
		b.windows, b.confidence = true, 0
		return
	}
	b.confidence = math.Round(sum/float64(n)*100) / 100
	if b.confidence < 0.4 || b.demoted > 2*n || n >= 20 && with*4 < n {
		b.windows = true
		b.confidence = min(b.confidence, 0.3)
		b.why += "; too little is sure: the text is cut into windows"
	}
}
