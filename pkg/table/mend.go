package table

import (
	"slices"
	"strings"
)

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
