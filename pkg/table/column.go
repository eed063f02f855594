package table

import (
	"strings"
)

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
		text = strings.TrimSpace(strings.TrimLeft(strings.Replace(text, "("+unit+")", "", 1), " ,"))
	}
	return text
}

// column sorts the texts above one column into path, unit and period.
func (t *Table) column(path []string, label string, c int) Column {
	var col Column
	for _, p := range path {
		text, _, alone := unitText(p)
		inside := false
		if !alone {
			text, _, inside = unitInside(p)
		}
		if rest := bareLabel(p); inside && (text == t.Unit || isPeriod(rest)) {
			p = rest
		} else {
			inside = false
		}
		if !alone && p != "" {
			col.Path = append(col.Path, p)
		}
		if (alone || inside) && text != t.Unit {
			col.Unit = text
		}
	}
	col.Period = periodOf(col.Path)
	if label != "" && c > 0 && bareYear.MatchString(col.Period) {
		col.Period = strings.TrimRight(label, ",: ") + ", " + col.Period
	}
	return col
}
