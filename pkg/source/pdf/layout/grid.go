package layout

import (
	"regexp"
	"strings"
)

// row is one row of a table on its way to Markdown.
type row struct {
	label         string
	x0, x1        float32 // of the label
	values        []string
	cells         []cell // the values before they have columns
	filled        int
	y0, y1, right float32 // of the row; right edge
	left          float32
	size          float32
	last          float32 // y0 of its last line
	merged        bool
}

// maxColumns is how many columns of values a table may have.
const maxColumns = 60

// columnBox is where the values of a column stand.
type columnBox struct {
	x0, x1 float32
	rows   map[int]bool // with a number in it
}

var (
	reYear  = regexp.MustCompile(`^\(?(?:FY)?\s*(19|20)\d\d\)?(\s*\(\w\))?$`)
	reUnits = regexp.MustCompile(`(?i)millions|thousands|billions|dollars|ended|except|december|september|june|march|january|fiscal|as of|^at `)
)

// rows reads the table: cells put together, columns found, wrapped labels joined, headers folded.
func (t *table) rows() (head []string, body []row, cols []columnBox) {
	if t.list {
		return []string{"", ""}, t.entries(), nil
	}
	all := make([]row, 0, len(t.lines))
	x0, x1 := t.span()
	for _, l := range t.lines {
		all = append(all, newRow(l, x0, x1))
	}
	cols = columnsOf(all)
	if len(cols) > maxColumns { // no table, whatever it is
		cols = []columnBox{{x0: x0, x1: x1}}
	}
	for i := range all {
		all[i].spread(cols)
	}
	n := headerRows(all)
	head = fold(all[:n], cols)
	return head, joinLabels(all[n:], cols), cols
}

// span is the left and right edge of the table.
func (t *table) span() (x0, x1 float32) {
	x0, x1 = 1e9, 0
	for _, l := range t.lines {
		x0, x1 = min(x0, l.x0), max(x1, l.x1)
	}
	return x0, x1
}

// newRow tells the label from the values.
func newRow(l *line, x0, x1 float32) row {
	r := row{y0: l.y0, y1: l.y1, left: l.x0, right: l.x1, size: l.size, last: l.y0}
	cells := joinSigns(l.cells)
	if len(cells) == 0 {
		return r
	}
	first := cells[0]
	isValue := first.x0 > x0+0.22*(x1-x0) && (amount(first.text) || first.x0 > x0+0.4*(x1-x0))
	if !isValue {
		r.label, r.x0, r.x1 = strings.TrimSpace(first.text), first.x0, first.x1
		cells = cells[1:]
	}
	r.cells = cells
	return r
}

// amount reports whether a cell is a number, a dash or a percentage.
func amount(t string) bool {
	return reNumber.MatchString(strings.TrimSpace(strings.TrimLeft(t, "$€£¥ ")))
}

// headerRows counts the rows at the top that name the columns.
func headerRows(rows []row) int {
	n := 0
	for i := range rows {
		r := &rows[i]
		heading := r.filled > 0
		if r.label == "" && r.filled >= 2 && n == i { // nothing is totalled yet: names of columns, if made of digits
			n = i + 1
			continue
		}
		for _, c := range r.cells {
			if amount(c.text) && !reYear.MatchString(c.text) {
				heading = false
			}
		}
		if r.filled > 0 && !heading {
			break
		}
		if r.filled > 0 && (r.label == "" || n == i || reUnits.MatchString(r.label)) {
			n = i + 1
		}
		if r.filled == 0 && !reUnits.MatchString(r.label) && i > n+2 {
			break
		}
	}
	for n > 0 && n == len(rows) {
		n--
	}
	return n
}

// fold makes one header of the rows: each column gets the words above it, from top to bottom.
func fold(rows []row, cols []columnBox) []string {
	head := make([]string, len(cols)+1)
	for _, r := range rows {
		head[0] = strings.TrimSpace(head[0] + " " + r.label)
		for i, c := range r.cells {
			last := -1
			for k, b := range cols {
				if min(b.x1, c.x1)-max(b.x0, c.x0) > 0 && !taken(r.cells, i, b) {
					head[k+1] = strings.TrimSpace(head[k+1] + " " + c.text)
					last = k
				}
			}
			if last < 0 {
				if k := nearest(cols, c, 0); k >= 0 {
					head[k+1] = strings.TrimSpace(head[k+1] + " " + c.text)
				}
			}
		}
	}
	return head
}

// taken reports whether another cell of the row stands better over the column than cell i.
func taken(cells []cell, i int, b columnBox) bool {
	mine := min(b.x1, cells[i].x1) - max(b.x0, cells[i].x0)
	for k, c := range cells {
		if k != i && min(b.x1, c.x1)-max(b.x0, c.x0) > mine {
			return true
		}
	}
	return false
}
