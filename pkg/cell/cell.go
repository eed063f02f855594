// Package cell is a cell of a table with all that says what its number is: the label of its row with the parents, the
// path of headers over its column, unit, scale, currency and period, and the footnotes that its marks lead to.
//
// Cells are read from the verified text of a section each time they are asked for; nothing of them is stored, so they
// always agree with the Source.
package cell

import (
	"math/big"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/table"
	"github.com/fingerpost/fingerpost/pkg/value"
)

// Cell is one value of a table.
type Cell struct {
	Spot  doc.Spot  // table of the section, row of the table (header rows not counted), column (labels counted); from 1
	Line  int       // of the Source, in which the value stands
	Lines doc.Lines // of the row

	Caption string   // of the table; "" when it has none
	Label   string   // of the row, without marks of footnotes; "" when it has none
	Parents []string // what the row stands below: "Current assets", outermost first
	Columns []string // the headers over the column, topmost first, without units
	Period  string   // as it is written: "Year Ended December 31, 2022"; "" when nothing says it
	Unit    string   // as it is written: "In millions, except per share amounts"; "%"; "" when nothing says it
	// Scale is the factor of the number that table, column or row state, 1e6 of "in millions"; 1 when they state none, and
	// for rows that the unit line excepts.
	Scale    int64
	Currency string       // ISO code; "" when nothing says it, or when the number is no money
	Notes    []table.Note // that its marks, its row's or its column's lead to
	Value    value.Value  // Value.Text is the cell as it stands

	row *table.Row
	top int
}

// Shown is its row as a pipe row.
func (c *Cell) Shown() string { return string(table.AppendRow(nil, c.row)) }

// Top is the first line of its table: cells above may reach down into its row.
func (c *Cell) Top() int { return c.top }

// Amount is the number in units of one: Value times Scale, where the cell itself names no scale; nil of a text.
func (c *Cell) Amount() *big.Rat {
	n := c.Value.Amount()
	if n == nil || c.Value.Scale > 1 {
		return n
	}
	return n.Mul(n, new(big.Rat).SetInt64(max(c.Scale, 1)))
}

// Factor is what Amount multiplies the number by.
func (c *Cell) Factor() int64 {
	if c.Value.Scale > 1 {
		return c.Value.Scale
	}
	return max(c.Scale, 1)
}

// Percent reports whether the number is a share of a hundred.
func (c *Cell) Percent() bool { return c.Value.Percent || c.Unit == "%" }

// Row is the label with its parents before it: "Current assets > Inventories".
func (c *Cell) Row() string {
	return strings.Join(append(c.Parents[:len(c.Parents):len(c.Parents)], c.Label), " > ")
}

// Sheet is a table with its cells.
type Sheet struct {
	*table.Table
	N    int // which table of the section, from 1
	Rows []Row
}

// Row is one row of a Sheet: its place in Table.Rows and its cells in order.
type Row struct {
	*table.Row
	N     int // from 1
	Cells []Cell
}

// Sheets reads every table of a section, whose first line has the number firstLine. The convention is that of the
// document's language.
func Sheets(src []byte, firstLine int, c value.Convention) []Sheet {
	tables := table.Find(src, firstLine)
	out := make([]Sheet, len(tables))
	for i := range tables {
		out[i] = sheet(&tables[i], i+1, c)
	}
	return out
}

// Pick is the cell that a Spot names; false when the section has no such table, row or column.
func Pick(src []byte, firstLine int, s doc.Spot, c value.Convention) (Cell, bool) {
	tables := table.Find(src, firstLine)
	if s.Table < 1 || s.Table > len(tables) || s.Row < 1 || s.Row > len(tables[s.Table-1].Rows) {
		return Cell{}, false
	}
	sh := sheet(&tables[s.Table-1], s.Table, c)
	for _, x := range sh.Rows[s.Row-1].Cells {
		if x.Spot == s {
			return x, true
		}
	}
	return Cell{}, false
}
