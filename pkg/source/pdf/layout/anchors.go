package layout

import (
	"math"
	"regexp"
	"slices"
)

// anchor is a title that the outline or the table of contents names, with its place.
type anchor struct {
	title string
	level int
	page  int     // from 0
	y     float32 // -1 when unknown
	why   string
	x     float32 // how far it is indented in the contents
	line  *line   // where it was found
	guess bool    // the contents do not say where it is
}

const (
	minOutline  = 5    // an outline with fewer entries says too little
	maxAnchors  = 5000 // and of one with more, the rest is left aside
	maxSearched = 600  // lines of a page that are compared with an anchor
)

var (
	reEntryEnd = regexp.MustCompile(`[.\s…]\s*\d{1,3}$`)
	reTrail    = regexp.MustCompile(`[\s.…·_]*\b\d{1,3}(\s*[-–]\s*\d{1,3})?\s*$`)
	reTocItem  = regexp.MustCompile(`^\d{1,2}[ABC]?\.\s+\p{Lu}`)
)

// bindAnchors finds the line that each anchor means.
func (s *sheet) bindAnchors() {
	for _, a := range s.anchors {
		if a.guess {
			if !s.claimed(a) {
				s.stand(a)
			}
			continue
		}
		best, value := s.find(a, a.page)
		if value < 0.72 && a.page+1 < len(s.pages) {
			best, value = s.find(a, a.page+1)
		}
		if best == nil || value < 0.72 {
			s.stand(a)
			continue
		}
		if best.head == nil {
			p := s.pages[best.page]
			best.head = &head{title: a.title, style: p.style(best, best.text()), score: p.score(best, best.text())}
		}
		best.head.level, best.head.why = a.level, a.why
		a.line = best
		s.pages[best.page].wrap(best, a.title)
	}
	s.dropDoubles()
}

// wrap adds to the heading of line l the lines below it that the anchor's title holds as well.
func (p *page) wrap(l *line, title string) {
	k := slices.Index(p.lines, l)
	if k < 0 || l.table != nil || len(l.head.before(p, k)) >= len(title) {
		return
	}
	have := l.head.before(p, k)
	for j := k + l.head.merged + 1; j < len(p.lines) && j <= k+4; j++ {
		n := p.lines[j]
		more := have + " " + n.text()
		if !n.isText() || abs(n.size-l.size) >= 0.6 || n.column != l.column || alike(more, title) <= alike(have, title) || covered(n.text(), title) < 0.8 {
			return
		}
		have = more
		l.head.merged++
		n.head = nil
	}
}

// covered is the share of the words of a that stand in b, 0 to 1.
func covered(a, b string) float64 {
	x, y := wordSet(a), wordSet(b)
	n := 0
	for w := range x {
		if y[w] {
			n++
		}
	}
	return float64(n) / float64(max(1, len(x)))
}

// before is the text of the lines that belong to the heading of line k.
func (h *head) before(p *page, k int) string {
	t := p.lines[k].text()
	for _, l := range p.lines[k+1 : min(len(p.lines), k+1+h.merged)] {
		t += " " + l.text()
	}
	return t
}

// claimed reports whether a line looks like the part or item that a names.
func (s *sheet) claimed(a *anchor) bool {
	key := func(t string) string { return itemOf(t) + normal(rePart.FindString(t)) }
	for _, p := range s.pages {
		for _, l := range p.lines {
			if l.head != nil && key(l.head.title) == key(a.title) {
				return true
			}
		}
	}
	return false
}

// itemOf is the item a title names, as "item 7a"; "" for none.
func itemOf(t string) string { return normal(reItem.FindString(t)) }

// dropDoubles gives up lines that look like an item when the contents have led to that item elsewhere: a
// sentence may begin with "Item 8".
func (s *sheet) dropDoubles() {
	known := map[string]bool{}
	for _, a := range s.anchors {
		if m := itemOf(a.title); m != "" && a.line != nil && itemOf(a.line.head.title) == m {
			known[m] = true
		}
	}
	for _, p := range s.pages {
		for _, l := range p.lines {
			if l.head != nil && l.head.why == "" && !l.bold && !capitals(l.head.title) && known[itemOf(l.head.title)] {
				l.head = nil
			}
		}
	}
}

// stand puts a heading that was found nowhere at its place, when it is one that others stand under: a part or an
// item of the contents, any entry of the outline.
func (s *sheet) stand(a *anchor) {
	if a.why == "contents" && a.level > 2 {
		return
	}
	p := s.pages[a.page]
	for _, l := range p.lines {
		if l.furniture || a.y >= 0 && l.y1 < a.y-2 {
			continue
		}
		l.before = append(l.before, &head{title: a.title, level: a.level, why: a.why, score: 1000})
		return
	}
}

// find is the line of page n that is most like the anchor's title, and how much.
func (s *sheet) find(a *anchor, n int) (best *line, value float64) {
	p := s.pages[n]
	for k, l := range p.lines[:min(len(p.lines), maxSearched)] {
		if l.furniture || l.entry || l.head != nil && l.head.why != "" && l.head.why != "tags" || len(l.text()) > 220 {
			continue
		}
		t := l.text()
		if l.head != nil {
			t = l.head.title
		} else if len(l.cells) == 2 && l.table == nil && alike(l.cells[0].text, a.title) > alike(t, a.title) {
			t = l.cells[0].text
		} else if k+1 < len(p.lines) && len(t) < 110 {
			if two := t + " " + p.lines[k+1].text(); alike(two, a.title) > max(0.8, alike(t, a.title)+0.1) {
				t = two
			}
		}
		v := max(alike(t, a.title), alike(t, "item "+a.title))
		if l.head != nil {
			v += 0.15
		}
		if m := itemOf(a.title); m != "" && m == itemOf(t) && v > 0.4 {
			v += 0.4
		}
		if a.y >= 0 && n == a.page {
			switch dy := math.Abs(float64(l.y0 - a.y)); {
			case dy < 40:
				v += 0.25
			case dy > 250:
				v -= 0.15
			}
		}
		if v > value {
			best, value = l, v
		}
	}
	return best, value
}
