package table

import "strings"

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
	for n < len(g.rows) && n < maxHeadRow && continuesHead(&g.rows[n], n == 0) {
		n++
	}
	return n
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
// without any header may also hold other texts.
func continuesHead(r *gridRow, first bool) bool {
	filled, times := 0, 0
	for i := range r.cells {
		c := &r.cells[i]
		if c.text == "" {
			continue
		}
		_, _, unit := unitText(c.text)
		switch time := isPeriod(c.text); {
		case time && c.col > 0:
			times++
		case unit, time:
		case first && c.col > 0 && !isNumber(c.text):
		default:
			return false
		}
		filled++
	}
	if filled == 1 {
		c := nextText(r, -1)
		_, _, unit := unitText(c.text)
		return unit || c.col > 0
	}
	return filled > 1
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
	t.headUnit(rows)
	label := labelPeriod(rows)
	h.Columns = make([]Column, g.width)
	paths := headPaths(rows, g.width)
	for c := range h.Columns {
		h.Columns[c] = t.column(paths[c], label, c)
	}
	t.Heads = append(t.Heads, h)
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

// clip is the column after the last that c heads. A cell that begins inside a cell above it and
// reaches beyond that one's end was given a wrong span: it stops there.
func clip(above []gridRow, c *gridCell) int {
	end := c.col + c.span
	if c.span == 1 || len(above) == 0 {
		return end
	}
	if _, _, unit := unitText(c.text); unit {
		return end
	}
	for _, u := range above[len(above)-1].cells {
		if u.text != "" && u.col < c.col && u.covers(c.col) && u.col+u.span < end {
			return u.col + u.span
		}
	}
	return end
}

// headUnit takes the table's unit from the header: a unit that spans all, or the only one.
func (t *Table) headUnit(rows []gridRow) {
	if t.Unit != "" {
		return
	}
	for i := range rows {
		for j := range rows[i].cells {
			c := &rows[i].cells[j]
			text, scale, ok := unitText(c.text)
			if !ok && c.col == 0 {
				text, scale, ok = unitInside(c.text)
			}
			if ok {
				t.Unit, t.Scale = text, scale
				return
			}
		}
	}
}

// labelPeriod is the time in the label column's header: "Years ended December 31,".
func labelPeriod(rows []gridRow) string {
	for i := range rows {
		if len(rows[i].cells) == 0 || rows[i].cells[0].col != 0 {
			continue
		}
		text := rows[i].cells[0].text
		if n := strings.IndexByte(text, '('); n > 0 {
			text = strings.TrimSpace(text[:n])
		}
		if isPeriod(text) && !yearOnly.MatchString(text) {
			return text
		}
	}
	return ""
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
	if label != "" && c > 0 && col.Period != "" && !strings.Contains(strings.ToLower(col.Period), "ended") {
		col.Period = strings.TrimRight(label, ",: ") + ", " + col.Period
	}
	return col
}
