package layout

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// row is one row of a table on its way to Markdown.
type row struct {
	label          string
	x0, x1         float32 // of the label
	values         []string
	cells          []cell // the values before they have columns
	filled         int
	y0, y1, right  float32 // of the row; right edge
	left           float32
	size           float32
	last           float32 // y0 of its last line
	header, merged bool
}

// maxColumns is how many columns of values a table may have.
const maxColumns = 60

// columnBox is where the values of a column stand.
type columnBox struct{ x0, x1 float32 }

var (
	reYear  = regexp.MustCompile(`^\(?(?:FY)?\s*(19|20)\d\d\)?(\s*\(\w\))?$`)
	reDate  = regexp.MustCompile(`(?i)^(january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?\s+\d{1,2},?(\s+(19|20)\d\d)?$`)
	reUnits = regexp.MustCompile(`(?i)millions|thousands|billions|dollars|ended|except|december|september|june|march|january|fiscal|as of|^at `)
)

// rows reads the table: cells put together, columns found, wrapped labels joined, headers folded.
func (t *table) rows() (head []string, body []row) {
	if t.list {
		return []string{"", ""}, t.entries()
	}
	all := make([]row, 0, len(t.lines))
	x0, x1 := t.span()
	for _, l := range t.lines {
		all = append(all, newRow(l, x0, x1))
	}
	cols := columnsOf(all)
	if len(cols) > maxColumns { // no table, whatever it is
		cols = []columnBox{{x0, x1}}
	}
	for i := range all {
		all[i].spread(cols)
	}
	n := headerRows(all)
	head = fold(all[:n], cols)
	return head, joinLabels(all[n:], cols)
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

// joinSigns puts currency signs before, and brackets and percent signs behind, the numbers they belong to,
// and parts numbers that a narrow gap has joined.
func joinSigns(cells []cell) []cell {
	var out []cell
	for i := 0; i < len(cells); i++ {
		c := cells[i]
		c.text = strings.TrimSpace(c.text)
		switch c.text {
		case "$", "€", "£", "¥", "$(", "$ (", "(":
			if i+1 < len(cells) {
				next := cells[i+1]
				next.text, next.x0 = strings.ReplaceAll(c.text, " ", "")+strings.TrimSpace(next.text), c.x0
				cells[i+1] = next
				continue
			}
		case ")", "%", ")%", ") %", "pts", "bps", "x":
			if n := len(out); n > 0 && amount(out[n-1].text) {
				out[n-1].text += strings.ReplaceAll(c.text, " ", "")
				out[n-1].x1 = c.x1
				continue
			}
		}
		out = append(out, split(c, i > 0)...)
	}
	for i := range out {
		out[i].text = tidy(out[i].text)
	}
	return out
}

// tidy takes the blanks out of a number: "$ 1,234" is "$1,234".
func tidy(t string) string {
	if len(t) < 40 && amount(t) {
		return strings.ReplaceAll(t, " ", "")
	}
	return t
}

var reParts = regexp.MustCompile(`^(?:[$€£¥]?\s?\(?[\d][\d,.]*\)?%?|[—–-])(?:\s+(?:[$€£¥]?\s?\(?[\d][\d,.]*\)?%?|[—–-]))+$`)
var rePart1 = regexp.MustCompile(`[$€£¥]?\s?\(?[\d][\d,.]*\)?%?|[—–-]`)

// split parts a cell that holds several numbers.
func split(c cell, value bool) []cell {
	if !value || !reParts.MatchString(c.text) {
		return []cell{c}
	}
	at := rePart1.FindAllStringIndex(c.text, -1)
	if len(at) < 2 {
		return []cell{c}
	}
	var out []cell
	step := (c.x1 - c.x0) / float32(len(c.text))
	for _, p := range at {
		out = append(out, cell{c.text[p[0]:p[1]], c.x0 + step*float32(p[0]), c.x0 + step*float32(p[1]), c.bold})
	}
	return out
}

// columnsOf finds where columns of values stand: numbers by their right edges, what is left by overlap.
func columnsOf(rows []row) []columnBox {
	var nums, rest []cell
	for _, r := range rows {
		for _, c := range r.cells {
			switch {
			case reYear.MatchString(c.text):
			case amount(c.text):
				nums = append(nums, c)
			default:
				rest = append(rest, c)
			}
		}
	}
	slices.SortFunc(nums, func(a, b cell) int { return cmp.Compare(a.x1, b.x1) })
	var out []columnBox
	for i := 0; i < len(nums); {
		box := columnBox{nums[i].x0, nums[i].x1}
		k := i
		for k < len(nums) && nums[k].x1-nums[i].x1 < 14 {
			box.x0, box.x1 = min(box.x0, nums[k].x0), max(box.x1, nums[k].x1)
			k++
		}
		out = append(out, box)
		i = k
	}
	out = mergeOverlaps(out)
	return addText(out, rest)
}

// mergeOverlaps joins columns of which one lies mostly in the other.
func mergeOverlaps(in []columnBox) []columnBox {
	slices.SortFunc(in, func(a, b columnBox) int { return cmp.Compare(a.x0+a.x1, b.x0+b.x1) })
	var out []columnBox
	for _, c := range in {
		if n := len(out); n > 0 {
			p := &out[n-1]
			if over := min(p.x1, c.x1) - max(p.x0, c.x0); over > 0.5*min(p.x1-p.x0, c.x1-c.x0) {
				p.x0, p.x1 = min(p.x0, c.x0), max(p.x1, c.x1)
				continue
			}
		}
		out = append(out, c)
	}
	return out
}

// addText makes columns of cells that stand in none.
func addText(cols []columnBox, rest []cell) []columnBox {
	slices.SortFunc(rest, func(a, b cell) int { return cmp.Compare(a.x1-a.x0, b.x1-b.x0) })
	for _, c := range rest {
		hit := false
		for _, b := range cols {
			if min(b.x1, c.x1)-max(b.x0, c.x0) > 0 {
				hit = true
				break
			}
		}
		if !hit {
			cols = append(cols, columnBox{c.x0, c.x1})
		}
	}
	slices.SortFunc(cols, func(a, b columnBox) int { return cmp.Compare(a.x0, b.x0) })
	return cols
}

// spread puts the row's cells into columns.
func (r *row) spread(cols []columnBox) {
	r.values = make([]string, len(cols))
	from := 0
	for _, c := range r.cells {
		k := nearest(cols, c, from)
		if k < 0 {
			r.label = strings.TrimSpace(r.label + " " + c.text)
			continue
		}
		if r.values[k] != "" {
			r.values[k] += " "
		} else {
			r.filled++
		}
		r.values[k] += c.text
		if amount(c.text) && k+1 < len(cols) {
			from = k + 1 // two numbers never share a column
		}
	}
}

// nearest is the column of a cell: the one it overlaps most, else the one whose right edge is
// nearest; -1 when there are none.
func nearest(cols []columnBox, c cell, from int) int {
	best, value := -1, float32(-1e9)
	for k := from; k < len(cols); k++ {
		b := cols[k]
		v := min(b.x1, c.x1) - max(b.x0, c.x0)
		if v > 0 {
			v = 100 + v - abs(b.x1-c.x1)/4
		} else {
			v -= abs(b.x1-c.x1) / 4
		}
		if abs(b.x0-c.x0) < 5 && !amount(c.text) { // text begins where its column begins
			v += 1000
		}
		if v > value {
			best, value = k, v
		}
	}
	return best
}

// headerRows counts the rows at the top that name the columns.
func headerRows(rows []row) int {
	n := 0
	for i := range rows {
		r := &rows[i]
		heading := r.filled > 0
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

// joinLabels makes one row of a label that is wrapped over lines and its values.
func joinLabels(rows []row, cols []columnBox) []row {
	edge := float32(0)
	for _, r := range rows {
		edge = max(edge, r.x1)
	}
	pitch := pitchOf(rows)
	var out []row
	for _, r := range rows {
		if n := len(out); n > 0 && wraps(&out[n-1], &r, edge, pitch) {
			p := &out[n-1]
			p.label = joinText(p.label, r.label)
			if p.filled == 0 {
				p.values, p.filled = r.values, r.filled
			}
			p.x1, p.right = r.x1, max(p.right, r.right)
			p.y1, p.last, p.merged = r.y1, r.y0, true
			continue
		}
		out = append(out, r)
	}
	return out
}

// pitchOf is the usual distance of rows with values.
func pitchOf(rows []row) float32 {
	var all []float32
	for i := 1; i < len(rows); i++ {
		if rows[i].filled > 0 && rows[i-1].filled > 0 {
			all = append(all, rows[i].y0-rows[i-1].y0)
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// wraps reports whether the label of r goes on that of p.
func wraps(p, r *row, edge, pitch float32) bool {
	if p.label == "" || r.label == "" || p.filled > 0 && r.filled > 0 || r.y0-p.last > 2*r.size {
		return false
	}
	first, _ := utf8.DecodeRuneInString(r.label)
	colon := strings.HasSuffix(p.label, ":")
	if unicode.IsLower(first) && !colon && !bullet(r.label) {
		return true
	}
	if p.filled > 0 || colon || !unicode.IsLetter(first) && !unicode.IsDigit(first) && first != '(' && first != '$' {
		return false
	}
	word, _, _ := strings.Cut(r.label, " ")
	space := (r.x1 - r.x0) / float32(max(1, utf8.RuneCountInString(r.label))) * float32(utf8.RuneCountInString(word)+1)
	full := p.x1+space > edge+2
	tight := pitch == 0 || r.y0-p.last < 0.95*pitch
	if dangles(p.label) {
		return true
	}
	return full && p.x1 > 0.8*edge && (r.x0 > p.x0+3 || tight) && r.filled > 0
}

// dangles reports whether a label ends in the middle of a phrase.
func dangles(t string) bool {
	i := strings.LastIndexByte(t, ' ')
	switch strings.ToLower(t[i+1:]) {
	case "and", "of", "the", "for", "to", "in", "on", "with", "by", "from", "or", "a", "net", "per", "than", "at":
		return i > 0
	}
	return strings.HasSuffix(t, ",")
}

func bullet(t string) bool {
	return len(t) > 2 && (t[1] == '.' || t[1] == ')') || strings.HasPrefix(t, "(a)")
}

// joinText puts two parts of a wrapped text together.
func joinText(a, b string) string {
	if strings.HasSuffix(a, "\u00ad") {
		return strings.TrimSuffix(a, "\u00ad") + b
	}
	return a + " " + b
}
