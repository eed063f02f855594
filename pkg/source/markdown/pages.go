package markdown

import (
	"bytes"
	"regexp"
	"strconv"
)

// maxFooters bounds the printed page numbers that are remembered.
const maxFooters = 100_000

// pageFinder gathers what tells pages apart, in falling order of trust: comments
// "<!-- page: N -->", form feeds at the start of a line, page numbers printed on lines of their own.
type pageFinder struct {
	comments []Page
	feeds    []Page
	footers  []Page // Line and Offset of the printed number itself
}

var pageComment = regexp.MustCompile(`(?i)^<!--\s*(?:page|pagenumber)\s*[:=#]?\s*"?(\d{1,6})"?\s*-->`)

// comment looks at an HTML comment at src[from:to], a line's rest.
func (p *pageFinder) comment(src []byte, line, from, to int) {
	m := pageComment.FindSubmatch(src[from:min(to, from+80)])
	if m == nil {
		return
	}
	if n, _ := strconv.Atoi(string(m[1])); n > 0 {
		p.comments = append(p.comments, Page{Line: line, Offset: from, Number: n})
	}
}

// text looks at a line of running text outside all containers: src[next:end], in a line that
// begins at start.
func (p *pageFinder) text(src []byte, line, start, next, end int, first bool) {
	if !first {
		p.drop(line - 1)
		return
	}
	if next == end {
		return
	}
	if src[next] == '\f' {
		if len(p.feeds) < maxFooters {
			p.feeds = append(p.feeds, Page{Line: line, Offset: start, Number: len(p.feeds) + 2})
		}
		return
	}
	if n := printed(src[next:end]); n > 0 && len(p.footers) < maxFooters {
		p.footers = append(p.footers, Page{Line: line, Offset: start, Number: n, Printed: true})
	}
}

// drop forgets a printed number on line: its paragraph goes on or is a heading.
func (p *pageFinder) drop(line int) {
	if n := len(p.footers); n > 0 && p.footers[n-1].Line == line {
		p.footers = p.footers[:n-1]
	}
}

// printed is the page number that text consists of ("12", "Page 12", "Page 12 of 90"); 0 for none.
func printed(text []byte) int {
	if len(text) > 20 {
		return 0
	}
	if len(text) > 5 && text[0]|0x20 == 'p' && bytes.EqualFold(text[:5], []byte("page ")) {
		text = text[5:]
		if i := bytes.Index(text, []byte(" of ")); i > 0 {
			text = text[:i]
		}
	}
	if len(text) > 4 {
		return 0
	}
	n := 0
	for _, c := range text {
		if !isDigit(c) {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// marks is what was found, at its best trust.
func (p *pageFinder) marks(lines int) []Page {
	switch {
	case len(p.comments) > 0:
		return p.comments
	case len(p.feeds) > 0:
		return append([]Page{{Line: 1, Number: 1}}, p.feeds...)
	}
	return chains(p.footers)
}

// chains turns printed numbers into page marks. A number on a line of its own may be a table's
// cell, so only those count that continue each other (at most two numbers missing) four times
// or more, eight lines apart on average. The page before a chain's first number and after its last is unknown
// (Number 0).
func chains(footers []Page) []Page {
	const open = 16
	var runs [][]int
	for i, f := range footers {
		best := -1
		for k := len(runs) - 1; k >= 0 && k >= len(runs)-open; k-- {
			last := footers[runs[k][len(runs[k])-1]]
			gap := f.Number - last.Number
			if gap >= 1 && gap <= 3 && f.Line-last.Line >= 4 && (best < 0 || len(runs[k]) > len(runs[best])) {
				best = k
			}
		}
		if best < 0 {
			runs = append(runs, []int{i})
		} else {
			runs[best] = append(runs[best], i)
		}
	}
	return marksOf(footers, keep(footers, runs))
}

// keep picks the runs that are page numbers, in order of the text, none inside another.
func keep(footers []Page, runs [][]int) [][]int {
	var kept [][]int
	for _, r := range runs {
		first, last := footers[r[0]], footers[r[len(r)-1]]
		if len(r) < 4 || last.Line-first.Line < 8*(len(r)-1) {
			continue
		}
		if n := len(kept); n > 0 && first.Line <= footers[kept[n-1][len(kept[n-1])-1]].Line {
			if len(kept[n-1]) < len(r) {
				kept[n-1] = r
			}
			continue
		}
		kept = append(kept, r)
	}
	return kept
}

// marksOf makes a mark after each footer: the next page begins there.
func marksOf(footers []Page, runs [][]int) []Page {
	var out []Page
	for _, r := range runs {
		for k, i := range r {
			m := Page{Line: footers[i].Line + 1, Offset: footers[i].Offset, Printed: true}
			if k+1 < len(r) && footers[r[k+1]].Number == footers[i].Number+1 {
				m.Number = footers[i].Number + 1
			}
			out = append(out, m)
		}
	}
	return out
}
