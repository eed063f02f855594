// Package plain renders a range of the Source as clean text: without tags and inline markup,
// entities decoded, tables as pipe rows ("| a | b |"). Every block of it knows its lines in the
// Source. Clean characters are what windows, chunks, shown text and the context budget count.
//
// It is linear in its input and takes any bytes.
package plain

import (
	"bytes"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/plain/inline"
	"github.com/fingerpost/fingerpost/pkg/table"
)

// Block is a piece of clean text that is not broken by a blank line or a table's border.
type Block struct {
	Lines doc.Lines // in the Source
	Text  string    // one or more lines, without a line end at its end
	// Rows says where the lines of Text stand in the Source: Rows[i] is the lines of Text's line i.
	Rows []doc.Lines
	// Table is set when the block is a table; then Text is its pipe rows.
	Table *table.Table
	// Code is set for the inside of a code fence: verbatim.
	Code bool
}

// Text is the clean text of src: its blocks, with a blank line between them.
func Text(src []byte) string {
	var b strings.Builder
	for i, block := range Blocks(src, 1) {
		if i > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(block.Text)
	}
	return b.String()
}

// Blocks renders src, whose first line has the number firstLine.
func Blocks(src []byte, firstLine int) []Block {
	r := render{src: src, line: firstLine}
	tables := table.Find(src, firstLine)
	for i := range tables {
		t := &tables[i]
		r.text(int(t.Bytes.Start))
		r.table(t)
		r.at, r.line = int(t.Bytes.End), t.Lines.End
		if r.at > 0 && src[r.at-1] == '\n' {
			r.line++
		}
	}
	r.text(len(src))
	return r.blocks
}

// render goes through the Source once.
type render struct {
	src     []byte
	at      int
	line    int
	fence   inline.Fence
	comment bool
	// commentEnd is the place of the next "-->" that was looked for; -1: there is none.
	commentEnd int
	open       bool // the last block takes further lines
	buf        []byte
	blocks     []Block
}

// text renders the lines up to byte end.
func (r *render) text(end int) {
	for r.at < end {
		stop := end
		if n := bytes.IndexByte(r.src[r.at:end], '\n'); n >= 0 {
			stop = r.at + n
		}
		r.one(r.src[r.at:stop])
		r.at = stop + 1
		if stop < end {
			r.line++
		}
	}
	r.at = end
	r.flush()
}

// one renders one line.
func (r *render) one(line []byte) {
	if !r.comment {
		switch code, mark := r.fence.Line(line); {
		case mark:
			r.flush()
			return
		case code:
			r.add(bytes.TrimRight(line, " \t\r"), true)
			return
		}
	}
	line = r.uncomment(line)
	line = bytes.TrimRight(line, " \t\r")
	if len(bytes.TrimLeft(line, " \t>")) == 0 || rule(line) {
		r.flush()
		return
	}
	start := len(r.buf)
	if r.open {
		r.buf = append(r.buf, '\n')
	}
	r.buf = inline.Append(r.buf, unmark(line))
	if n := len(r.buf); n == start || r.open && n == start+1 {
		r.buf = r.buf[:start]
		return
	}
	r.took(false)
}

// add appends a line as it stands.
func (r *render) add(line []byte, code bool) {
	if r.open {
		r.buf = append(r.buf, '\n')
	}
	r.buf = append(r.buf, line...)
	r.took(code)
}

// took notes that the last line of buf comes from the present line of the Source.
func (r *render) took(code bool) {
	if !r.open {
		r.blocks = append(r.blocks, Block{Lines: doc.Lines{Start: r.line}, Code: code})
		r.open = true
	}
	b := &r.blocks[len(r.blocks)-1]
	b.Lines.End = r.line
	b.Rows = append(b.Rows, doc.Lines{Start: r.line, End: r.line})
}

// flush ends the open block.
func (r *render) flush() {
	if r.open {
		r.blocks[len(r.blocks)-1].Text = strings.ToValidUTF8(string(r.buf), "\uFFFD")
		r.open = false
	}
	r.buf = r.buf[:0]
}

// table renders a table as pipe rows.
func (r *render) table(t *table.Table) {
	b := Block{Lines: t.Lines, Table: t, Rows: make([]doc.Lines, 0, len(t.Rows)+2)}
	head := -1
	for i := range t.Rows {
		row := &t.Rows[i]
		for head < row.Head {
			head++
			r.head(&b, &t.Heads[head])
		}
		r.buf = append(table.AppendRow(r.buf, row), '\n')
		b.Rows = append(b.Rows, row.Lines)
	}
	for head++; head < len(t.Heads); head++ {
		r.head(&b, &t.Heads[head])
	}
	b.Text = strings.ToValidUTF8(string(bytes.TrimRight(r.buf, "\n")), "\uFFFD")
	r.buf = r.buf[:0]
	if b.Text != "" {
		r.blocks = append(r.blocks, b)
	}
}

func (r *render) head(b *Block, h *table.Head) {
	r.buf = table.AppendHead(r.buf, h)
	for range h.Rows {
		b.Rows = append(b.Rows, h.Lines)
	}
}
