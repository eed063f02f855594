// Package table reads the tables of a Source: pipe tables, HTML tables, and tables that a parser
// flattened to one cell a line where that can be told. A Table knows its caption, unit and
// scale, the header path and period of each column, and its rows: the label with its parents and
// the values in order, each with its line.
//
// Any bytes are taken; time and memory are bounded by the length of the input (see limits.go).
package table

import (
	"strings"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// Kind says how a table stands in the Source.
type Kind string

// The kinds of tables.
const (
	Pipe Kind = "pipe" // | a | b |
	HTML Kind = "html" // <table>
	Flat Kind = "flat" // one cell a line, told by its caption and shape
)

// Table is one table of the Source.
type Table struct {
	Kind  Kind
	Lines doc.Lines // its first and last line
	Bytes doc.Bytes // in the bytes given to Find
	// Caption is the line that names it: "Table 14: ...", its <caption>, the sentence or heading
	// before it; "" when there is none.
	Caption string
	// Unit is the unit line as it stands, "In millions, except per share amounts"; Scale is its
	// factor (1e3, 1e6, 1e9), 1 when none is said.
	Unit   string
	Scale  float64
	Period string // of the whole table, from the lines above: "December 31, 2022"; "" if none
	Notes  []Note // footnotes below it
	// Continues: it has no header of its own and goes on with the table before it on the page
	// before; its columns are that one's.
	Continues bool
	// Heads holds the header of the columns, one for the top of the table and one more for each
	// header that is repeated or changed further down. Heads[0] is always there.
	Heads []Head
	Rows  []Row // data and section rows, in order; header rows are in Heads

	corner bool // Caption is the header above the labels
}

// Head is a header: its rows as they stand, and what they say of each column.
type Head struct {
	Lines   doc.Lines // zero when the table has no header
	Rows    [][]Cell
	Columns []Column // index = column number - 1
}

// Column is what a header says of one column.
type Column struct {
	// Path are the texts from the top row to the bottom row, each once. Units are not among them,
	// but for those within the name of one column, "Life (in years)".
	Path   []string
	Period string // "Year Ended December 31, 2022", without marks of footnotes; "" when the header gives none
	Unit   string // of this column only: "In years"; "" when it is the table's
}

// Row is one row below a header.
type Row struct {
	Lines   doc.Lines
	Head    int      // index in Table.Heads
	Label   string   // "" when the row has none
	Parents []string // section rows and merged cells above the label, outermost first
	Merged  int      // how many of Parents, at their end, are merged cells of this row itself
	Section bool     // a row without values that heads the rows below it
	Unit    string   // of this row only, from its label: "billions"; "" when it is the table's
	Period  string   // of this row only: its label, or the innermost parent, that is a time with its year; "" when none is
	Cells   []Cell   // the values that are not empty, in order; the label is not among them
	// LabelCell is the label's cell; its Column is 0 when the row has no label.
	LabelCell Cell
}

// Cell is one cell, joined where a parser split it: "$" and "1,234" are "$1,234".
type Cell struct {
	Text    string
	Line    int  // of the Source
	Column  int  // from 1
	Span    int  // columns it covers, at least 1
	Carried bool // stands here because of a rowspan further up
}

// Note is one footnote below a table.
type Note struct {
	Mark string // "(a)", "1", "*"
	Text string
	Line int
}

// Column is the header of column number c (from 1) of row r; the zero Column when there is none.
func (t *Table) Column(r *Row, c int) Column {
	if r.Head < 0 || r.Head >= len(t.Heads) {
		return Column{}
	}
	if cols := t.Heads[r.Head].Columns; c >= 1 && c <= len(cols) {
		return cols[c-1]
	}
	return Column{}
}

// Full is the label with its parents before it: "Current assets: > Inventories".
func (r *Row) Full() string {
	if len(r.Parents) == 0 {
		return r.Label
	}
	parts := r.Parents
	if r.Label != "" {
		parts = append(parts[:len(parts):len(parts)], r.Label)
	}
	return strings.Join(parts, " > ")
}

// Find reads every table in src, in order. firstLine is the number of src's first line.
func Find(src []byte, firstLine int) []Table {
	f := finder{src: src, line: firstLine}
	f.run()
	return f.tables
}
