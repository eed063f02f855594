package table

// fold joins the columns that a parser split: a column of currency signs with the one after it,
// a column of ")" or "%" with the one before, a column without values with its neighbour under
// the same header, and a header that stands one column beside its values with these.
func (g *grid) fold() {
	if g.width < 3 {
		return
	}
	cols := g.columns()
	to := make([]int, g.width+1)
	n := 0
	for c := range g.width {
		if c > 0 && !joins(cols[c-1], cols[c]) {
			n++
		}
		to[c] = n
	}
	to[g.width] = n + 1
	if n+1 == g.width {
		return
	}
	g.renumber(to, n+1)
}

// columnStat is what the cells of one column look like.
type columnStat struct {
	signs, ends, values int  // currency signs; suffixes; anything else
	spanned             bool // a header covers it and the column before it with one cell
	head                bool // it has a header cell of its own
}

func (g *grid) columns() []columnStat {
	cols := make([]columnStat, g.width)
	for i := range g.rows {
		head := g.rows[i].head || allHeads(&g.rows[i])
		for j := range g.rows[i].cells {
			c := &g.rows[i].cells[j]
			s := &cols[c.col]
			switch {
			case c.text == "":
			case head:
				s.head = true
				for k := c.col + 1; k < c.col+c.span; k++ {
					cols[k].spanned = true
				}
			case isCurrency(c.text):
				s.signs++
			case isSuffix(c.text):
				s.ends++
			default:
				s.values++
			}
		}
	}
	return cols
}

// joins reports whether column b belongs to column a before it.
func joins(a, b columnStat) bool {
	empty := func(s columnStat) bool { return s.values+s.signs+s.ends == 0 }
	switch {
	case a.signs > 0 && a.values == 0:
		return !(a.head && b.head && !b.spanned)
	case b.ends > 0 && b.values+b.signs == 0:
		return !b.head
	case empty(b) && !b.head:
		return a.values > 0 || b.spanned
	case empty(a) && a.head && !b.head && !empty(b):
		return true
	}
	return false
}

// renumber moves every cell to its new column. Cells that fall together stay apart: the joining
// of a row's values makes one of them.
func (g *grid) renumber(to []int, width int) {
	for i := range g.rows {
		cells := g.rows[i].cells
		for j := range cells {
			c := &cells[j]
			end := to[min(c.col+c.span, len(to)-1)-1]
			c.col = to[c.col]
			c.span = end - c.col + 1
		}
	}
	g.width = width
}
