package table

import "strings"

// close ends the sections that row i sums up and reports whether it did. The row itself stands
// in them. In this order: the row that was known from the start; a total that names the section,
// and perhaps more; a row whose values are the sums of the section's rows.
func (n *nester) close(i int, values []amount) bool {
	row := &n.rows[i]
	for j := range n.sections {
		if n.sections[j].until == i && i > 0 {
			return n.end(i, j)
		}
	}
	if sumWords[firstWord(row.Label)] {
		words := contentWords(row.Label)
		for j := len(n.sections) - 1; j >= 0; j-- {
			if contains(words, contentWords(n.sections[j].title)) {
				return n.sections[j].until == 0 && n.end(i, j)
			}
		}
		if len(words) == 0 {
			return n.grand(i, values)
		}
	}
	if row.Merged > 0 || n.names.total(i) {
		return false
	}
	for j := len(n.sections) - 1; j >= 0 && n.sections[j].until == 0; j-- {
		if n.sections[j].sums.equal(values) {
			n.settle(j+1, i)
			n.stand(row, j+1)
			n.truncate(j + 1)
			n.sections[j].sumAt = i
			return true
		}
	}
	return false
}

// settle ends, before row i, the outermost section from the j-th on whose rows had a sum. Its last
// sum is its end: "Gains before tax", "Tax", "Gains after tax" all stand in it, the rows after
// them do not.
func (n *nester) settle(j, i int) {
	for ; j < len(n.sections); j++ {
		at := n.sections[j].sumAt
		if at == 0 {
			continue
		}
		for k := at + 1; k < i; k++ {
			if r := &n.rows[k]; len(r.Parents)-r.Merged > j {
				r.Parents = append(r.Parents[:j:j], r.Parents[len(r.Parents)-r.Merged:]...)
			}
		}
		n.truncate(j)
		return
	}
}

// stand puts a row below the first k open sections.
func (n *nester) stand(row *Row, k int) {
	row.Parents = append(n.parents(k), row.Parents[len(row.Parents)-row.Merged:]...)
}

// end closes section j with all in it; row i is the last of it.
func (n *nester) end(i, j int) bool {
	n.settle(j+1, i)
	n.stand(&n.rows[i], j+1)
	n.truncate(j)
	return true
}

// grand puts a row "Total" below the section that it sums up, by arithmetic: further out than the
// innermost one, perhaps below none. What follows the total of the innermost one still belongs to
// it: "Total", "Allowance", "Net receivables".
func (n *nester) grand(i int, values []amount) bool {
	last := len(n.sections) - 1
	for j := last; j >= 0; j-- {
		if n.sections[j].sums.equal(values) {
			return j < last && n.end(i, j)
		}
	}
	if last >= 0 && n.sections[0].until == 0 && n.all.equal(values) {
		n.settle(0, i)
		n.stand(&n.rows[i], 0)
		n.truncate(0)
		return true
	}
	return false
}

// leaveTheme ends a section "Borrowings, by original maturity:" within another one before the
// first row that shares no word with all rows before it, when these share at least two.
func (n *nester) leaveTheme(row *Row) {
	last := len(n.sections) - 1
	if last < 1 || n.sections[last].until > 0 || !strings.Contains(n.sections[last].title, " by ") || sumWords[firstWord(row.Label)] {
		return
	}
	s := &n.sections[last]
	words := contentWords(row.Label)
	if s.rows == 0 {
		s.theme = words
		return
	}
	for w := range words {
		if !s.theme[w] {
			delete(words, w)
		}
	}
	switch {
	case len(words) == 0 && s.rows > 1 && len(s.theme) > 0:
		n.truncate(last)
	case s.rows == 1 && len(words) < 2:
		s.theme = nil
	default:
		s.theme = words
	}
}

// vacant reports whether row i, which has no values, is rather a row of a list whose values are
// all empty: the row below it closes the account that a row of the same list opened, "Outstanding
// at December 31, 2021" and "... 2022".
func (n *nester) vacant(i int) bool {
	if i+1 >= len(n.rows) || n.marks[i].bold || styleOf(n.rows[i].Label, false) != (style{}) || len(n.rows[i+1].Cells) == 0 {
		return false
	}
	next := n.rows[i+1].Label
	opening, ok := n.names.first[withoutDigits(next)]
	return ok && opening < i && hasDigit(next) && n.rows[opening].Label != next && len(n.rows[opening].Parents) == len(n.sections)
}

// heads reports whether row i heads the rows below it although it has values. Either its label
// covers more columns than theirs, or its values stand in other columns, and the label below
// returns further down, below such rows each time, while its own does not; or its values are the header of a column.
func (n *nester) heads(i int) bool {
	if i+1 >= len(n.rows) {
		return false
	}
	row, next := &n.rows[i], &n.rows[i+1]
	if !mayHead(row, next) || sumWords[firstWord(next.Label)] || len(n.marks[i].merged) > 0 {
		return false
	}
	count, apart := n.names.count[next.Label], disjoint(row, next)
	if n.names.count[row.Label] == 1 && count > 1 && count == n.names.headed[next.Label] && keyOf(next.Label) != "other" && (!apart || n.two(i+1)) {
		return true
	}
	return apart && n.headsColumn(i)
}

// two reports whether the rows i and i+1 return together and have values in the same columns.
func (n *nester) two(i int) bool {
	if i+1 >= len(n.rows) {
		return false
	}
	a, b := &n.rows[i], &n.rows[i+1]
	return n.names.count[a.Label] == n.names.count[b.Label] && !disjoint(a, b)
}

// mayHead reports whether two rows with labels and values stand as a head and the first row below
// it may: its label covers more columns, or its values stand in others.
func mayHead(row, next *Row) bool {
	return len(row.Cells) > 0 && len(next.Cells) > 0 && row.Label != "" && next.Label != "" &&
		(row.LabelCell.Span > next.LabelCell.Span || disjoint(row, next))
}

// headsColumn reports whether the values of row i are texts, those of the next row numbers, and
// numbers stand below these texts a few rows down.
func (n *nester) headsColumn(i int) bool {
	for _, c := range n.rows[i].Cells {
		if hasDigit(c.Text) || len(c.Text) < minCaps {
			return false
		}
	}
	for _, c := range n.rows[i+1].Cells {
		if !isNumber(c.Text) {
			return false
		}
	}
	for j := i + 2; j < min(len(n.rows), i+6); j++ {
		for _, c := range n.rows[j].Cells {
			if c.Column == n.rows[i].Cells[0].Column {
				return isNumber(c.Text) && hasDigit(c.Text)
			}
		}
	}
	return false
}

// disjoint reports whether no two values of a and b stand in the same column.
func disjoint(a, b *Row) bool {
	for i, j := 0, 0; i < len(a.Cells) && j < len(b.Cells); {
		switch x, y := &a.Cells[i], &b.Cells[j]; {
		case x.Column+x.Span <= y.Column:
			i++
		case y.Column+y.Span <= x.Column:
			j++
		default:
			return false
		}
	}
	return true
}
