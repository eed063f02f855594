package table

import "github.com/fingerpost/fingerpost/pkg/doc"

// grid is a table with its spans laid out: each cell knows its column, from 0.
type grid struct {
	rows    []gridRow
	width   int
	dropped bool // rows that hold data were written as header rows
}

type gridRow struct {
	lines doc.Lines
	head  bool // written as a header row
	cells []gridCell
}

type gridCell struct {
	text      string
	line      int
	col, span int
	merged    bool // has a rowspan, or is carried from one
	carried   bool
	th, bold  bool
}

// hanging is a cell with rows still to cover.
type hanging struct {
	cell gridCell
	left int
}

// layOut places raw rows. Cells carried down by rowspan may add at most as many cells and bytes
// as the table itself has (and a small allowance); after that a rowspan counts as 1.
func layOut(raw []rawRow) grid {
	g := grid{rows: make([]gridRow, 0, len(raw))}
	cells, size := 1000, 100000
	for i := range raw {
		cells += len(raw[i].cells)
		for j := range raw[i].cells {
			size += len(raw[i].cells[j].text)
		}
	}
	arena := make([]gridCell, 0, cells-1000)
	var hang []hanging
	for i := range raw {
		start := len(arena)
		arena, hang = placeRow(arena, hang, raw[i].cells, &cells, &size)
		row := arena[start:len(arena):len(arena)]
		for j := range row {
			g.width = max(g.width, row[j].col+row[j].span)
		}
		g.rows = append(g.rows, gridRow{lines: raw[i].lines, head: raw[i].head, cells: row})
	}
	return g
}

// placeRow appends the cells of one row to out, with those that hang over from above, by column.
func placeRow(out []gridCell, hang []hanging, raw []rawCell, cells, size *int) ([]gridCell, []hanging) {
	var next []hanging
	col, h := 0, 0
	carry := func() { // places the hanging cells that begin at or before col
		for h < len(hang) && hang[h].cell.col <= col {
			c := hang[h].cell
			c.carried = true
			out = append(out, c)
			*cells--
			*size -= len(c.text)
			if hang[h].left--; hang[h].left > 0 && *cells > 0 && *size > 0 {
				next = append(next, hang[h])
			}
			col = max(col, c.col+c.span)
			h++
		}
	}
	for i := range raw {
		carry()
		c := gridCell{text: raw[i].text, line: raw[i].line, col: col, span: raw[i].colspan, th: raw[i].th, bold: raw[i].bold}
		if col+c.span > maxWidth {
			c.span = 1
		}
		if h < len(hang) && c.span > hang[h].cell.col-col {
			c.span = hang[h].cell.col - col
		}
		if raw[i].rowspan > 1 {
			c.merged = true
			next = append(next, hanging{c, raw[i].rowspan - 1})
		}
		out = append(out, c)
		col += c.span
	}
	for h < len(hang) {
		col = max(col, hang[h].cell.col)
		carry()
	}
	return out, next
}
