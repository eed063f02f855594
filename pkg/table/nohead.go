package table

import "strings"

// returns reports whether the only header row is rather the first of the rows below it: it has a
// label and numbers, and another row has values in the same columns below a label with the same
// first word, "PART I | 1" and "PART II | 38".
func returns(g *grid) bool {
	first := &g.rows[0]
	if !isData(first) {
		return false
	}
	word := firstWord(first.cells[0].text)
	for i := range g.rows[1:min(len(g.rows), maxLook)] {
		if r := &g.rows[i+1]; len(word) > 2 && len(r.cells) > 0 && firstWord(r.cells[0].text) == word && isData(r) && sameColumns(first, r) {
			return true
		}
	}
	return false
}

// sameColumns reports whether the texts of a and b stand in the same columns.
func sameColumns(a, b *gridRow) bool {
	i, j := 0, 0
	for {
		for i < len(a.cells) && a.cells[i].text == "" {
			i++
		}
		for j < len(b.cells) && b.cells[j].text == "" {
			j++
		}
		switch {
		case i == len(a.cells) || j == len(b.cells):
			return i == len(a.cells) && j == len(b.cells)
		case a.cells[i].col != b.cells[j].col:
			return false
		}
		i, j = i+1, j+1
	}
}

// dropHeads takes the header marks off rows that hold data: a label and amounts of money or of
// thousands, which name no column. A parser that needs a header takes the first rows for one.
func (g *grid) dropHeads() {
	for i := range g.rows[:min(len(g.rows), maxLook)] {
		r := &g.rows[i]
		if !(r.head || allHeads(r)) || !hasAmounts(r) {
			continue
		}
		r.head, g.dropped = false, true
		for j := range r.cells {
			r.cells[j].th = false
		}
	}
}

// hasAmounts reports whether a row has a label and an amount: a sign of money, or thousands.
func hasAmounts(r *gridRow) bool {
	if len(r.cells) == 0 || r.cells[0].col > 0 || r.cells[0].text == "" || isNumber(r.cells[0].text) {
		return false
	}
	for i := range r.cells[1:] {
		c := &r.cells[i+1]
		if isCurrency(c.text) && i+2 < len(r.cells) && isNumber(r.cells[i+2].text) && hasDigit(r.cells[i+2].text) || isNumber(c.text) && hasDigit(c.text) && strings.ContainsAny(c.text, "$€£¥,") {
			return true
		}
	}
	return false
}

// yearsAsData reports whether the years of row n are its values, although they look like a header:
// it has a label, "Plant A | 2011 | 2023", and no amounts stand below them, but years again or
// nothing; or the rows above give each of its columns a name of its own, "Opened | Closed".
func yearsAsData(g *grid, n int) bool {
	row := &g.rows[n]
	if len(row.cells) == 0 || row.cells[0].text == "" || row.cells[0].col > 0 {
		return false
	}
	if _, _, unit := unitText(row.cells[0].text); unit || isPeriod(bareLabel(row.cells[0].text)) && !hasYear(row.cells[0].text) {
		return false
	}
	at := map[int]bool{}
	for j := range row.cells {
		if c := &row.cells[j]; c.col > 0 && hasYear(c.text) {
			at[c.col] = true
		}
	}
	return len(at) > 0 && (namedApart(g.rows[:n], at) || !amountsBelow(g.rows[n+1:], at))
}

// namedApart reports whether a header row names every one of these columns differently, in cells of
// one column each.
func namedApart(rows []gridRow, at map[int]bool) bool {
	for i := range rows {
		texts := map[string]bool{}
		for j := range rows[i].cells {
			if c := &rows[i].cells[j]; at[c.col] && c.span == 1 && c.text != "" && !isPeriod(c.text) {
				texts[c.text] = true
			}
		}
		if len(texts) == len(at) {
			return true
		}
	}
	return false
}

// amountsBelow reports whether the first row with a value in one of the columns has an amount there.
func amountsBelow(rows []gridRow, at map[int]bool) bool {
	for i := range rows[:min(len(rows), maxLook)] {
		for j := range rows[i].cells {
			if c := &rows[i].cells[j]; at[c.col] && hasDigit(c.text) {
				return isNumber(c.text) && !isPeriod(c.text)
			} else if at[c.col] && c.text != "" && !isNumber(c.text) {
				return false
			}
		}
	}
	return false
}

// yearsBelow reports whether the next value below one of the years of a row is a year again: then
// all of them are values.
func yearsBelow(r *gridRow, below []gridRow) bool {
	at := map[int]bool{}
	for j := range r.cells {
		if c := &r.cells[j]; c.col > 0 && hasYear(c.text) {
			at[c.col] = true
		}
	}
	for i := range below[:min(len(below), maxLook)] {
		for j := range below[i].cells {
			if c := &below[i].cells[j]; at[c.col] && c.text != "" {
				return isPeriod(c.text)
			}
		}
	}
	return false
}
