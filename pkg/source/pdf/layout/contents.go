package layout

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// findContents marks the pages of the table of contents and gathers the anchors.
func (s *sheet) findContents() {
	for i, p := range s.pages {
		if p.contents = i < 15 && p.isContents(); p.contents {
			p.markEntries(0, p.lastEntry()+1)
		}
		p.findIndex()
	}
	if !s.o.NoOutline && len(s.d.Bookmark) >= minOutline {
		for _, b := range s.d.Bookmark {
			if len(s.anchors) < maxAnchors && b.Page >= 0 && b.Page < len(s.pages) && strings.TrimSpace(b.Title) != "" {
				s.anchors = append(s.anchors, &anchor{title: strings.TrimSpace(b.Title), level: b.Depth, page: b.Page, y: b.Y, why: "outline"})
			}
		}
		return
	}
	if !s.o.NoContents {
		s.readContents()
	}
}

// isContents reports whether the page is a table of contents: many links, or lines that end in page
// numbers, or many items.
func (p *page) isContents() bool {
	targets := map[int]bool{}
	for _, l := range p.links {
		targets[l.Page] = true
	}
	ends, items := 0, 0
	for _, l := range p.lines {
		t := l.text()
		if len(t) < 160 && reEntryEnd.MatchString(t) {
			ends++
		}
		if reItem.MatchString(t) {
			items++
		}
	}
	linked := len(targets) >= 8 && ends >= 4
	return linked || ends >= 8 && ends*100 > 35*len(p.lines) && p.n > 0 || items >= 8
}

// lastEntry is the last line that ends in a page number or is linked; what stands below it is text.
func (p *page) lastEntry() int {
	last := -1
	for k, l := range p.lines {
		if l.furniture || len(l.text()) > 250 {
			continue
		}
		if _, ok := entryPage(l); ok {
			last = k
		} else if to, _ := p.target(l); to > p.n {
			last = k
		}
	}
	return last
}

func (p *page) markEntries(from, to int) {
	for _, l := range p.lines[from:to] {
		l.entry = !reContents.MatchString(l.text())
	}
}

// entryPage is the page number at the end of a line of an index.
func entryPage(l *line) (int, bool) {
	if len(l.cells) < 2 || l.furniture {
		return 0, false
	}
	t := strings.TrimSpace(l.cells[len(l.cells)-1].text)
	if len(t) > 5 || strings.IndexFunc(l.cells[0].text, unicode.IsLetter) < 0 {
		return 0, false
	}
	if len(t) > 2 && t[0] >= 'A' && t[0] <= 'Z' && t[1] == '-' { // pages of an appendix: "B-1"
		t = t[2:]
	}
	n, err := strconv.Atoi(t)
	return n, err == nil && n > 0 && n < 2000
}

// findIndex marks four or more lines in a row that end in page numbers which never fall: the index of
// the notes, say, in the middle of a document.
func (p *page) findIndex() {
	for k := 0; k < len(p.lines); k++ {
		last, ok := entryPage(p.lines[k])
		end := k + 1
		for ok && end < len(p.lines) {
			n, more := entryPage(p.lines[end])
			if !more || n < last || n > last+60 {
				break
			}
			last = n
			end++
		}
		if ok && end-k >= 4 {
			p.markEntries(k, end)
		}
		k = end - 1
	}
}

// readContents makes anchors of the lines that are linked to pages.
func (s *sheet) readContents() {
	seen := map[string]bool{}
	var waiting []*anchor // entries that lead nowhere stand where the next one leads
	for _, p := range s.pages {
		if !p.contents {
			continue
		}
		for _, l := range p.lines {
			if !l.entry {
				continue
			}
			page, y := p.target(l)
			t := strings.TrimSpace(reTrail.ReplaceAllString(l.text(), ""))
			key := normal(t)
			if page < 0 && (rePart.MatchString(t) || reItem.MatchString(t)) && len(t) < 80 {
				waiting = append(waiting, &anchor{title: t, level: entryLevel(t), why: "contents", x: l.x0, guess: true})
				continue
			}
			if page < 0 || page >= len(s.pages) || page == p.n || len(s.anchors) > maxAnchors || len(t) < 3 || len(t) > 250 || seen[key] || key == "table of contents" || strings.IndexFunc(t, unicode.IsLetter) < 0 {
				continue
			}
			seen[key] = true
			for _, a := range waiting {
				a.page, a.y = page, y
				s.anchors = append(s.anchors, a)
			}
			waiting = nil
			s.anchors = append(s.anchors, &anchor{title: t, level: entryLevel(t), page: page, y: y, why: "contents", x: l.x0})
		}
	}
	s.levelByIndent()
}

func entryLevel(t string) int {
	switch {
	case rePart.MatchString(t):
		return 1
	case reItem.MatchString(t) || reTocItem.MatchString(t):
		return 2
	}
	return 3
}

// target is where the last link over the line leads; -1 for nowhere.
func (p *page) target(l *line) (page int, y float32) {
	page, y = -1, -1
	m := (l.y0 + l.y1) / 2
	for _, k := range p.links {
		if k.Y0-1 <= m && k.Y1+1 >= m && k.X0 < l.x1 && k.X1 > l.x0 {
			page, y = k.Page, k.Y
		}
	}
	return page, y
}

// levelByIndent gives contents without items their levels by how far the entries are indented.
func (s *sheet) levelByIndent() {
	items := 0
	var xs []float32
	for _, a := range s.anchors {
		if a.level == 2 {
			items++
		}
		xs = append(xs, a.x)
	}
	if items >= 3 {
		return
	}
	slices.Sort(xs)
	var steps []float32
	for _, x := range xs {
		if len(steps) == 0 || x-steps[len(steps)-1] > 5 {
			steps = append(steps, x)
		}
	}
	for _, a := range s.anchors {
		n, _ := slices.BinarySearchFunc(steps, a.x+0.5, cmp.Compare[float32])
		a.level = min(4, max(1, n))
	}
}
