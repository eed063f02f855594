package outline

import (
	"slices"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/source/markdown"
)

func (b *builder) synthetic(l line, conf float64, why string) heading {
	return heading{line: l.number, last: l.number, start: l.start, end: l.end, written: 2, level: 1, parent: -1,
		page: b.pageIndex(l.number), title: l.title, is: l.is, synthetic: true, conf: conf, why: why}
}

func (b *builder) pageIndex(n int) int {
	i, _ := slices.BinarySearchFunc(b.sk.Pages, n, func(p markdown.Page, n int) int {
		if p.Line <= n {
			return -1
		}
		return 1
	})
	return i
}

// insert puts headings among the others, in order of the text.
func (b *builder) insert(found []heading) {
	if len(found) == 0 {
		return
	}
	b.all = append(b.all, found...)
	slices.SortFunc(b.all, func(x, y heading) int { return x.line - y.line })
	b.findText()
}

// synthesise makes headings for a document that has none: from lines that are numbered in order, and from
// bold lines, when most of them have a text below.
func (b *builder) synthesise() {
	var found []heading
	last := map[string]number{}
	for _, l := range b.lines() {
		if l.runIn && l.is.number.parts == nil || (!l.bold || l.runIn) && !b.inOrder(l, last) {
			continue
		}
		h := b.synthetic(l, 0.5, "a bold line, in a document without headings")
		if l.is.number.parts != nil {
			h.why, h.conf = "a numbered line, in a document without headings", 0.6
			last[l.is.family] = l.is.number
		}
		found = append(found, h)
	}
	b.insert(found)
	with := 0
	for i := range b.all {
		if b.all[i].text {
			with++
		}
	}
	if len(b.all) < 2 || with*2 < len(b.all) {
		b.all = nil
		return
	}
	b.classify()
	b.why = "no headings; taken from bold and numbered lines"
}

// inOrder reports whether a line that is not bold goes on its family's count, and reads like a
// title: it ends in no full stop and is no sentence.
func (b *builder) inOrder(l line, last map[string]number) bool {
	if l.is.number.parts == nil || len(l.title) > 120 {
		return false
	}
	if sentence := strings.HasSuffix(l.title, ".") && !l.is.alone || strings.HasSuffix(l.title, ";"); !l.runIn && (sentence || !b.standsAlone(l.start, l.end)) {
		return false
	}
	prev, seen := last[l.is.family]
	if !seen {
		return l.is.number.parts[0] == 1 || l.is.rank < rankDotted
	}
	return l.is.number.after(prev)
}
