package table

import (
	"slices"
	"strings"
)

// headRows is the number of rows at the top that are a header.
func headRows(g *grid) int {
	n := 0
	for n < len(g.rows) && n < maxHeadRow && (g.rows[n].head || allHeads(&g.rows[n])) {
		n++
	}
	for n > 0 && isData(&g.rows[n-1]) && n > 1 {
		n--
	}
	if n == 1 && isData(&g.rows[0]) && !g.rows[0].head {
		n = 0
	}
	for n > 1 && isTitle(&g.rows[n-1], g.width) {
		n--
	}
	years := false
	for i := range g.rows[:n] {
		for j := range g.rows[i].cells {
			years = years || g.rows[i].cells[j].col > 0 && hasYear(g.rows[i].cells[j].text)
		}
	}
	for n < len(g.rows) && n < maxHeadRow && continuesHead(&g.rows[n], n == 0, years || n == 0) {
		n++
	}
	return n
}

// isTitle reports whether a header row is rather the first section row: one text in the label
// column that is no unit, alone in its row.
func isTitle(r *gridRow, width int) bool {
	c := nextText(r, -1)
	if c == nil || c.col > 0 || nextText(r, 0) != nil && r.cells[0].text != "" || width < 2 {
		return false
	}
	_, _, unit := unitText(c.text)
	return !unit && !(isPeriod(c.text) && !hasYear(c.text))
}

// allHeads reports whether all cells with a text are <th>, and more than the label is.
func allHeads(r *gridRow) bool {
	filled := 0
	for i := range r.cells {
		if c := &r.cells[i]; c.text != "" {
			if !c.th {
				return false
			}
			filled++
		}
	}
	return filled > 0 && (filled > 1 || len(r.cells) == 1 || r.cells[0].text == "")
}

// isData reports whether a row has a label and values, and the values are no times.
func isData(r *gridRow) bool {
	label, values := "", 0
	for i := range r.cells {
		c := &r.cells[i]
		switch {
		case c.text == "":
		case c.col == 0:
			label = c.text
		case isNumber(c.text) && hasDigit(c.text) && !isPeriod(c.text):
			values++
		}
	}
	_, _, unit := unitText(label)
	return label != "" && !unit && !isPeriod(label) && values > 0
}

// continuesHead reports whether a row that is not written as a header goes on with one: no label
// (or a unit, or a time) and nothing but times and units in its cells. The first row of a table
// without any header may also hold other texts; below a header without years, a row of years is
// one whatever its label.
func continuesHead(r *gridRow, first, years bool) bool {
	filled, times, others := 0, 0, 0
	for i := range r.cells {
		c := &r.cells[i]
		if c.text == "" {
			continue
		}
		filled++
		_, _, unit := unitText(c.text)
		switch time := isPeriod(bareLabel(c.text)); {
		case unit, time && c.col == 0:
		case time:
			times++
		case first && c.col > 0 && !isNumber(c.text), c.col == 0 && !years:
			others++
		default:
			return false
		}
	}
	if filled == 0 {
		return false
	}
	if filled == 1 {
		c := nextText(r, -1)
		_, _, unit := unitText(c.text)
		return unit || times == 1
	}
	if r.cells[0].text != "" && others > 0 && !first {
		return times > 1 && times == filled-1
	}
	return filled > 1 && (times > 0 || !first || r.cells[0].text == "")
}

// repeatsHead reports whether a row further down is a new header: no label but a unit or a time,
// and at least one time in its other cells, nothing else.
func repeatsHead(r *gridRow, filled int) bool {
	times := 0
	for i := range r.cells {
		c := &r.cells[i]
		if c.text == "" {
			continue
		}
		if c.col > 0 && isPeriod(c.text) {
			times++
			continue
		}
		if _, _, unit := unitText(c.text); !unit && !(c.col == 0 && isPeriod(c.text) && strings.HasSuffix(c.text, ",")) {
			return false
		}
	}
	return times > 0 && (filled > 1 || r.cells[0].text == "")
}

// addHead reads header rows: the path, unit and period of each column. A header further down
// keeps the texts of the one before it that stand above its own.
func (t *Table) addHead(g *grid, rows []gridRow) {
	h := Head{Lines: linesOf(rows)}
	for i := range rows {
		var cells []Cell
		for j := range rows[i].cells {
			if c := &rows[i].cells[j]; c.text != "" && !c.carried {
				cells = append(cells, c.cell())
			}
		}
		h.Rows = append(h.Rows, cells)
	}
	paths := headPaths(rows, g.width)
	unmash(rows, paths)
	inheritLeaf(rows, paths)
	g.shareCorner(rows, paths)
	t.headUnit(paths)
	label := labelPeriod(rows)
	h.Columns = make([]Column, g.width)
	for c := range h.Columns {
		h.Columns[c] = t.column(paths[c], label, c)
	}
	if t.Period == "" && len(rows) > 0 && !h.years() {
		t.Period = tablePeriod(rows)
	}
	t.Heads = append(t.Heads, h)
}

// years reports whether a column has a complete time.
func (h *Head) years() bool {
	for i := range h.Columns {
		if i > 0 && hasYear(h.Columns[i].Period) {
			return true
		}
	}
	return false
}

// tablePeriod is a complete time in the label column's header, "2022 (Millions)": it holds for
// all columns.
func tablePeriod(rows []gridRow) string {
	for i := range rows {
		if len(rows[i].cells) > 0 && rows[i].cells[0].col == 0 {
			if text := bareLabel(rows[i].cells[0].text); isPeriod(text) && hasYear(text) {
				return text
			}
		}
	}
	return ""
}

// headPaths are the header texts above each column, top first.
func headPaths(rows []gridRow, width int) [][]string {
	paths := make([][]string, width)
	for i := range rows {
		for j := range rows[i].cells {
			c := &rows[i].cells[j]
			if c.text == "" {
				continue
			}
			for k := c.col; k < clip(rows[:i], c) && k < width; k++ {
				if p := paths[k]; len(p) == 0 || p[len(p)-1] != c.text {
					paths[k] = append(paths[k], c.text)
				}
			}
		}
	}
	return paths
}

// clip is the column after the last that c heads. A wrong span is cut: of a cell that begins
// inside the cell above it and reaches beyond its end, and of one that begins under no text and
// reaches under two different ones.
func clip(above []gridRow, c *gridCell) int {
	end := c.col + c.span
	if c.span == 1 || len(above) == 0 {
		return end
	}
	if _, _, unit := unitText(c.text); unit {
		return end
	}
	first, blank := "", c.col
	for _, u := range above[len(above)-1].cells {
		switch {
		case u.col+u.span <= c.col || u.col >= end:
		case u.text == "":
			if u.col <= blank {
				blank = min(u.col+u.span, end)
			}
		case u.col < c.col && u.col+u.span < end:
			return u.col + u.span
		case first == "":
			first = u.text
		case u.text != first && blank > c.col:
			return blank
		}
	}
	return end
}

// shiftHead repairs a header that lacks the cell above the labels: its bottom row begins with
// two times while the rows below begin with texts.
func (g *grid) shiftHead(n int) {
	if n == 0 || n == len(g.rows) {
		return
	}
	leaf := g.rows[n-1].cells
	if len(leaf) < 2 || !hasYear(leaf[0].text) || !hasYear(leaf[1].text) || !isPeriod(leaf[0].text) || !isPeriod(leaf[1].text) {
		return
	}
	texts, numbers := 0, 0
	for _, r := range g.rows[n:min(len(g.rows), n+50)] {
		if len(r.cells) == 0 || r.cells[0].text == "" || r.cells[0].col > 0 {
			continue
		}
		if isNumber(r.cells[0].text) || isPeriod(r.cells[0].text) {
			numbers++
		} else {
			texts++
		}
	}
	if texts <= 2*numbers {
		return
	}
	for i := range g.rows[:n] {
		for j := range g.rows[i].cells {
			c := &g.rows[i].cells[j]
			c.col++
			g.width = max(g.width, c.col+1)
			c.span = max(1, min(c.span, g.width-c.col))
		}
	}
}

// inheritLeaf gives a column whose cell in the bottom header row is blank the text of the column
// before it, when both stand under the same texts: "2022 vs. 2021" over an amount and a percentage.
func inheritLeaf(rows []gridRow, paths [][]string) {
	for len(rows) > 0 && unitRow(&rows[len(rows)-1]) {
		rows = rows[:len(rows)-1]
	}
	if len(rows) == 0 {
		return
	}
	leaf := make([]string, len(paths))
	for j := range rows[len(rows)-1].cells {
		c := &rows[len(rows)-1].cells[j]
		for k := c.col; k < min(c.col+c.span, len(leaf)); k++ {
			leaf[k] = c.text
		}
	}
	for c := 2; c < len(paths); c++ {
		if left := paths[c-1]; leaf[c] == "" && leaf[c-1] != "" && len(left) == len(paths[c])+1 && slices.Equal(left[:len(left)-1], paths[c]) {
			paths[c], leaf[c] = left, leaf[c-1]
		}
	}
}

// unmash takes apart a header that a parser poured into one cell over all columns: when its text
// ends in as many years as there are columns of values, each gets its own.
func unmash(rows []gridRow, paths [][]string) {
	if len(rows) == 0 || len(paths) < 3 {
		return
	}
	last := rows[len(rows)-1].cells
	if len(last) != 1 || last[0].col != 0 || last[0].span < len(paths) {
		return
	}
	words := strings.Fields(last[0].text)
	if len(words) < len(paths)-1 {
		return
	}
	years := words[len(words)-len(paths)+1:]
	for _, y := range years {
		if !year(y) {
			return
		}
	}
	for c := range years {
		paths[c+1] = append(slices.Clone(paths[c+1][:len(paths[c+1])-1]), years[c])
	}
}

// shareCorner gives the first column of values the header above the labels, "RSUs", when it has
// none of its own while all columns after it have.
func (g *grid) shareCorner(rows []gridRow, paths [][]string) {
	if len(rows) == 0 || len(paths) < 3 || len(paths[0]) == 0 || len(paths[1]) > 0 {
		return
	}
	for _, p := range paths[2:] {
		if len(p) == 0 {
			return
		}
	}
	corner := paths[0][len(paths[0])-1]
	if _, _, unit := unitText(corner); unit || isPeriod(bareLabel(corner)) {
		return
	}
	numbers, texts := 0, 0
	for i := range g.rows[:min(len(g.rows), 60)] {
		for j := range g.rows[i].cells {
			switch c := &g.rows[i].cells[j]; {
			case c.col != 1 || c.text == "":
			case isNumber(c.text):
				numbers++
			default:
				texts++
			}
		}
	}
	if numbers > 1 && texts == 0 {
		paths[1] = paths[0]
	}
}

// unitRow reports whether all texts of a row are units.
func unitRow(r *gridRow) bool {
	for i := range r.cells {
		if c := &r.cells[i]; c.text != "" {
			if _, _, ok := unitText(c.text); !ok {
				return false
			}
		}
	}
	return true
}

// headUnit takes the table's unit from its header: the unit in the label column, or one that
// stands over at least half of the other columns, or over any column when all of them are times.
// A unit over fewer columns is theirs only.
func (t *Table) headUnit(paths [][]string) {
	if t.Unit != "" {
		return
	}
	found, covered, times := "", 0, 0
	for c, path := range paths {
		for _, p := range path {
			text, scale, ok := unitText(p)
			if !ok && c == 0 {
				text, scale, ok = unitInside(p)
			}
			switch {
			case !ok:
				continue
			case c == 0:
				t.Unit, t.Scale = text, scale
				return
			case found == "" || found == text:
				found, t.Scale = text, scale
				covered++
			default: // two units: each its column's
				t.Scale = 1
				return
			}
			break
		}
		if c > 0 && len(path) > 0 && periodOf(path) != "" {
			times++
		}
	}
	if found != "" && (2*covered >= len(paths)-1 || times >= len(paths)-1) {
		t.Unit = found
		return
	}
	t.Scale = 1
}

// labelPeriod is the time in the label column's header, "Years ended December 31,", when the
// columns have to add a year to it.
func labelPeriod(rows []gridRow) string {
	for i := range rows {
		if len(rows[i].cells) == 0 || rows[i].cells[0].col != 0 {
			continue
		}
		if text := bareLabel(rows[i].cells[0].text); isPeriod(text) && !hasYear(text) {
			return text
		}
	}
	return ""
}

// bareLabel is a header of the label column without the unit in it: "Year Ended December 31
// (Millions)".
func bareLabel(text string) string {
	if unit, _, ok := unitInside(text); ok {
		text = strings.TrimSpace(strings.Replace(text, "("+unit+")", "", 1))
	}
	return text
}

// column sorts the texts above one column into path, unit and period.
func (t *Table) column(path []string, label string, c int) Column {
	var col Column
	for _, p := range path {
		text, _, ok := unitText(p)
		if !ok {
			col.Path = append(col.Path, p)
			continue
		}
		if text != t.Unit {
			col.Unit = text
		}
	}
	if len(col.Path) == 0 {
		col.Path = path
	}
	col.Period = periodOf(col.Path)
	if label != "" && c > 0 && bareYear.MatchString(col.Period) {
		col.Period = strings.TrimRight(label, ",: ") + ", " + col.Period
	}
	return col
}
