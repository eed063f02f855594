package layout

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// table is lines of a page that stand in rows and columns.
type table struct {
	lines []*line
	list  bool // a list with hanging numbers: two columns of text
}

// findTables marks the lines of tables.
func (s *sheet) findTables() {
	for _, p := range s.pages {
		s.nTables += p.findTables()
	}
}

// findTables looks for stretches of lines with numbers in columns; short lines between them and
// headers above belong to it.
func (p *page) findTables() int {
	rows := make([]bool, len(p.lines))
	for k, l := range p.lines {
		rows[k] = p.isRow(l)
	}
	p.bridge(rows)
	n := 0
	for k := 0; k < len(rows); k++ {
		if !rows[k] {
			continue
		}
		end := k
		for end < len(rows) && (rows[end] || p.lines[end].furniture && p.lines[end].table == nil) {
			end++
		}
		if p.numbers(k, end) >= 2 {
			t := &table{}
			for _, l := range p.lines[p.header(k):p.tail(end)] {
				if !l.furniture && l.table == nil {
					l.table = t
					t.lines = append(t.lines, l)
				}
			}
			n++
		}
		k = end
	}
	return n
}

// isRow reports whether a line is a row by itself: half of the cells after its first are numbers.
func (p *page) isRow(l *line) bool {
	if l.furniture || l.table != nil || len(l.cells) < 2 {
		return false
	}
	if l.entry || filed(l.text()) {
		return l.entry
	}
	n := 0
	for _, c := range l.cells[1:] {
		if reNumber.MatchString(strings.TrimSpace(c.text)) {
			n++
		}
	}
	return n >= 2 || n == 1 && n*2 >= len(l.cells)-1
}

// numbers counts the rows in lines [from, to).
func (p *page) numbers(from, to int) (n int) {
	for _, l := range p.lines[from:to] {
		if p.isRow(l) {
			n++
		}
	}
	return n
}

// bridge makes the lines between two rows part of the table when they stand where labels do: up to four, and
// up to eight when the numbers above and below stand in one column.
func (p *page) bridge(rows []bool) {
	for k := 0; k < len(rows); k++ {
		if !rows[k] {
			continue
		}
		j := k + 1
		for j < len(rows) && j-k <= 9 && !rows[j] {
			j++
		}
		if j >= len(rows) || !rows[j] || j == k+1 || j-k > 5 && (j-k > 9 || abs(p.lines[k].x1-p.lines[j].x1) > 6) {
			continue
		}
		ok := true
		for q := k + 1; q < j && ok; q++ {
			ok = p.labels(p.lines[q], p.lines[k], p.lines[j])
		}
		for q := k + 1; q < j && ok; q++ {
			rows[q] = true
		}
	}
}

// labels reports whether a line between two rows may be a label, a section or a header among them.
func (p *page) labels(l, above, below *line) bool {
	t := l.text()
	if l.furniture || titles(l) || reIntroduces.MatchString(t) || l.table != nil || filed(t) && !l.entry || l.column != above.column || l.column != below.column || below.y0-above.y1 > 14*l.size {
		return false
	}
	if len(l.cells) > 1 {
		return true
	}
	wide := p.w
	if l.column > 0 {
		wide /= 2
	}
	if l.x1-l.x0 > 0.75*wide {
		return false
	}
	edge := min(firstNumber(above), firstNumber(below))
	return l.x1 <= edge+4 || l.x0 >= edge-40 // left of the numbers, or a header above them
}

// firstNumber is the left edge of the first cell after the label.
func firstNumber(l *line) float32 {
	if len(l.cells) < 2 {
		return 1e9
	}
	return l.cells[1].x0
}

// header is the first line of the header above the row at k.
func (p *page) header(k int) int {
	first := p.lines[k]
	edge := firstNumber(first)
	top := k
	for at := k; at > 0 && k-at < 9; at-- {
		h, below := p.lines[at-1], p.lines[at]
		if h.furniture || h.column != first.column || h.y1 < below.y0-2.2*p.body || filed(h.text()) && !h.entry || h.table != nil || titles(h) || reIntroduces.MatchString(h.text()) {
			break
		}
		switch {
		case len(h.cells) >= 2 && h.chars < 160:
			top = at - 1
		case len(h.cells) == 1 && h.chars < 90 && h.x0 > first.x0+60 && h.x1 > edge-30 && h.x0 > p.w*0.25 && !p.centred(h):
			top = at - 1
		case len(h.cells) == 1 && p.centred(h) && h.chars < 40 && reYears.MatchString(h.text()) && !capitals(h.text()):
			top = at - 1
		case len(h.cells) == 1 && h.x1 <= edge+4 && h.chars < 90 && at < k+1 && p.between(at-1, k):
		default:
			return top
		}
	}
	return top
}

var reTitles = regexp.MustCompile(`(?i)statements?of(consolidated|comprehensive|income|operations|earnings|cash|financial|changes|profit)|balancesheets?$|balancesheets?\(|incomestatements?|cashflowstatements?`)

// reIntroduces is a sentence that leads to a table and so stands above it.
var reIntroduces = regexp.MustCompile(`(?i)\b(as follows|(was|were|is|are) as follows|following (table|is|are)|set forth below|shown below|summari[sz]ed below)\b.*[:.]$`)

// titles reports whether a line names a statement or the contents, and so stands above the table rather than in it.
func titles(l *line) bool {
	first := l.cells[0]
	if reContents.MatchString(l.text()) {
		return true
	}
	if !first.bold && !capitals(first.text) || len(first.text) < 12 || len(first.text) > 110 {
		return false
	}
	return reTitles.MatchString(strings.ReplaceAll(first.text, " ", ""))
}

// between reports whether the label at k may stand between the header and the first row: it goes on in the next
// line, or ends in a colon, or something that is plainly a header stands above it.
func (p *page) between(k, _ int) bool {
	t := p.lines[k].text()
	return !strings.HasSuffix(t, ".") || len(t) < 40
}

// tail is the end of the table whose last row ends before end: the rest of a wrapped label belongs to it.
func (p *page) tail(end int) int {
	for end > 0 && end < len(p.lines) {
		l, before := p.lines[end], p.lines[end-1]
		first, _ := utf8.DecodeRuneInString(l.text())
		if l.furniture || l.table != nil || len(l.cells) != 1 || l.y0-before.y1 > 0.5*l.size || l.x1 > firstNumber(before)+4 || !unicode.IsLower(first) && first != '(' {
			break
		}
		end++
	}
	return end
}
