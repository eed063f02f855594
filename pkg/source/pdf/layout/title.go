package layout

import (
	"regexp"
	"strings"
)

// mostTitle is how many lines the title over the contents may have.
const mostTitle = 5

// titleOverContents makes one heading of two or more lines in the middle that stand in bold right over the heading of the document's
// contents: its title, with its kind and year.
func (p *page) titleOverContents() {
	if !p.contents {
		return
	}
	for k, l := range p.lines[:min(len(p.lines), 12)] {
		if l.furniture || !reContents.MatchString(l.text()) {
			continue
		}
		from := k
		for from > 0 && k-from <= mostTitle && p.titles(from-1) {
			from--
		}
		if n := k - from; n >= 2 && n <= mostTitle {
			p.titleOf(from, n)
		}
		return
	}
}

// titles reports whether line k may be one of a title of several lines.
func (p *page) titles(k int) bool {
	l := p.lines[k]
	return k >= p.cover && l.isText() && l.bold && len(l.cells) == 1 && p.centred(l) && !reDigits.MatchString(l.text())
}

// titleOf makes one heading of n lines.
func (p *page) titleOf(from, n int) {
	first := p.lines[from]
	h := &head{merged: n - 1, style: p.style(first, first.text()), score: p.score(first, first.text())}
	for _, l := range p.lines[from : from+n] {
		h.title = joinText(h.title, l.text())
		l.entry, l.head = false, nil
	}
	first.head = h
}

// onTotals reports whether line k, which begins with "Total", is a title and no sum: a paragraph of its own in bold, over one of text.
func (p *page) onTotals(k int, t string) bool {
	if !strings.HasPrefix(t, "Total ") || !titled(t) || !p.lines[k].bold || len(p.lines[k].cells) > 1 || !p.alone(k) || k+1 >= len(p.lines) {
		return false
	}
	n := p.lines[k+1]
	return n.isText() && !n.bold && len(n.cells) == 1 && n.x1-n.x0 > 0.6*p.w
}

// closed reports whether line k is set off from what follows it, and comes after the end of a paragraph.
func (p *page) closed(k int) bool {
	if k == 0 || k+1 >= len(p.lines) || p.lines[k+1].y0-p.lines[k].y1 <= 0.4*p.lines[k].size {
		return false
	}
	above := p.lines[k-1]
	return above.isText() && above.x1 < 0.8*p.w && strings.HasSuffix(above.text(), ".")
}

// dashed reports whether line k is a heading in the middle that ends in a dash: its title goes on below.
func (p *page) dashed(k int) bool {
	l := p.lines[k]
	return l.head != nil && p.centred(l) && reDash.MatchString(l.head.title)
}

var reDash = regexp.MustCompile(`\s[-–—]$`)
