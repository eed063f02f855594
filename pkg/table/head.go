package table

import "strings"

// headRows is the number of rows at the top that are a header.
func headRows(g *grid) int {
	n := 0
	for n < len(g.rows) && n < maxHeadRow && (g.rows[n].head || allHeads(&g.rows[n])) {
		n++
	}
	written := n
	for n > 0 && isData(&g.rows[n-1]) && n > 1 {
		n--
	}
	if n == 1 && isData(&g.rows[0]) && !g.rows[0].head {
		n = 0
	}
	if n == 1 && returns(g) {
		n = 0
	}
	for (n > 1 || n == 1 && (written > n || g.dropped)) && isTitle(&g.rows[n-1], g.width) {
		n--
	}
	if n == 0 && written > 0 {
		return 0
	}
	years := false
	for i := range g.rows[:n] {
		for j := range g.rows[i].cells {
			years = years || g.rows[i].cells[j].col > 0 && hasYear(g.rows[i].cells[j].text)
		}
	}
	for n < len(g.rows) && n < maxHeadRow && continuesHead(&g.rows[n], n == 0, years || n == 0) && !yearsAsData(g, n) {
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
