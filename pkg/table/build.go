package table

import "github.com/fingerpost/fingerpost/pkg/doc"

// build makes heads and rows of the raw rows.
func (t *Table) build(raw []rawRow) {
	g := layOut(raw)
	g.dropHeads()
	g.fold()
	n := headRows(&g)
	g.shiftHead(n)
	t.addHead(&g, g.rows[:n])
	b := builder{t: t, g: &g}
	if n > 0 {
		b.headLabel(&g.rows[n-1])
	}
	for i := n; i < len(g.rows); i++ {
		b.row(&g.rows[i], g.rows[i+1:])
	}
	t.nest(b.marks)
}

// headLabel opens the section that a header row in the body names: "Revenues | 2022 | 2021".
func (b *builder) headLabel(r *gridRow) {
	if len(r.cells) == 0 {
		return
	}
	if path := b.t.Heads[0].Columns[0].Path; (r.head || allHeads(r)) && (len(path) < 2 || !isPeriod(bareLabel(path[len(path)-2]))) {
		return
	}
	c := &r.cells[0]
	_, _, unit := unitText(c.text)
	if c.text == "" || c.col > 0 || unit || isPeriod(bareLabel(c.text)) || !b.t.Heads[0].years() {
		return
	}
	b.t.Rows = append(b.t.Rows, Row{Lines: r.lines, Label: c.text, LabelCell: c.cell(), Section: true})
	b.marks = append(b.marks, mark{bold: c.bold})
}

// builder turns the rows below the header into Rows.
type builder struct {
	t     *Table
	g     *grid
	marks []mark // one a row
}

// mark is what the nesting of the rows needs to know of one beside the row itself.
type mark struct {
	bold   bool
	merged []string // texts of its merged cells before the label
}

func (b *builder) row(r *gridRow, below []gridRow) {
	filled := 0
	for i := range r.cells {
		if r.cells[i].text != "" {
			filled++
		}
	}
	if filled == 0 {
		return
	}
	if len(below) > 0 && len(b.t.Heads) < maxHeads && repeatsHead(r, filled) && !yearsBelow(r, below) {
		b.t.addHead(b.g, []gridRow{*r})
		return
	}
	row := Row{Lines: r.lines, Head: len(b.t.Heads) - 1}
	merged, bold := row.takeLabel(r)
	row.takeValues(r)
	row.Section = len(row.Cells) == 0 && row.Label != "" && len(merged) == 0
	if _, _, ok := unitText(row.Label); !ok {
		row.Unit, _, _ = unitInside(row.Label)
	}
	b.t.Rows = append(b.t.Rows, row)
	b.marks = append(b.marks, mark{bold: bold, merged: merged})
}

// takeLabel finds the label: the first text, before any value. A cell that spans rows heads the
// text after it and is a parent of it.
func (row *Row) takeLabel(r *gridRow) (parents []string, bold bool) {
	for i := range r.cells {
		c := &r.cells[i]
		if c.text == "" {
			continue
		}
		if c.col > 0 && (isNumber(c.text) || c.col > 2) {
			return parents, bold
		}
		if next := nextText(r, i); c.merged && next != nil && !isNumber(next.text) && len(parents) < maxParents {
			parents = append(parents, c.text)
			continue
		}
		row.Label, row.LabelCell, bold = c.text, c.cell(), c.bold
		return parents, bold
	}
	return parents, bold
}

func nextText(r *gridRow, i int) *gridCell {
	for i++; i < len(r.cells); i++ {
		if r.cells[i].text != "" {
			return &r.cells[i]
		}
	}
	return nil
}

func (c *gridCell) cell() Cell {
	return Cell{Text: c.text, Line: c.line, Column: c.col + 1, Span: c.span, Carried: c.carried}
}

// takeValues collects the cells after the label and joins split ones.
func (row *Row) takeValues(r *gridRow) {
	labelled := row.LabelCell.Column == 0
	open := -1 // place of a currency sign that waits for its number
	for i := range r.cells {
		c := &r.cells[i]
		if c.text == "" || c.merged && !labelled && c.col+1 < row.LabelCell.Column {
			continue
		}
		if !labelled {
			labelled = c.col+1 == row.LabelCell.Column
			continue
		}
		last := len(row.Cells) - 1
		switch {
		case open == last && open >= 0 && isNumber(c.text):
			row.Cells[last].join(c)
			open = -1
		case isSuffix(c.text) && last >= 0 && hasDigit(row.Cells[last].Text):
			row.Cells[last].join(c)
		default:
			row.Cells = append(row.Cells, c.cell())
			if isCurrency(c.text) {
				open = last + 1
			}
		}
	}
}

// join adds the text of the next cell.
func (c *Cell) join(next *gridCell) {
	c.Text += next.text
	c.Span = next.col + next.span - c.Column + 1
}

// linesOf is the range of lines of some rows.
func linesOf(rows []gridRow) doc.Lines {
	if len(rows) == 0 {
		return doc.Lines{}
	}
	return doc.Lines{Start: rows[0].lines.Start, End: rows[len(rows)-1].lines.End}
}
