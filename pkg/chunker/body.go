package chunker

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/plain"
	"github.com/fingerpost/fingerpost/pkg/table"
)

// body is a node's own clean text, without its heading line, and where its lines stand.
type body struct {
	text   string
	runes  int
	last   int // the last line of the Source that it reaches
	lines  []line
	heads  []string // table headers as pipe rows, each with its line end
	tables []*table.Table
}

// line is one line of the clean text.
type line struct {
	start, end int
	lines      doc.Lines
	table      int // index in tables, or -1
	head       int // index in heads of the header above a row; -1 for other lines
}

// own renders the node's own text.
func own(src []byte, n *doc.Node) *body {
	part := src[n.Bytes.Start:n.Bytes.End]
	first := max(n.Lines.Start, 1)
	if n.Level > 0 {
		skip := headingLines(part, n)
		for range skip {
			end := bytes.IndexByte(part, '\n')
			if end < 0 {
				end = len(part) - 1
			}
			part = part[end+1:]
			first++
		}
	}
	b := &body{}
	var text strings.Builder
	blocks := plain.Blocks(part, first)
	size := 0
	for i := range blocks {
		size += len(blocks[i].Text) + 1
	}
	text.Grow(size)
	for i := range blocks {
		if !furniture(blocks, i) {
			b.add(&text, &blocks[i])
		}
	}
	b.text = text.String()
	b.runes = utf8.RuneCountInString(b.text)
	return b
}

// furniture reports whether block i belongs to the page, not to the text: the link back to the
// contents that filings carry on every page, and the page number beside it.
func furniture(blocks []plain.Block, i int) bool {
	if backLink(&blocks[i]) {
		return true
	}
	text := blocks[i].Text
	if len(text) > 4 || strings.Trim(text, "0123456789") != "" {
		return false
	}
	return i+1 < len(blocks) && backLink(&blocks[i+1]) || i > 0 && backLink(&blocks[i-1])
}

func backLink(b *plain.Block) bool {
	return b.Table == nil && len(b.Text) == len("Table of Contents") && strings.EqualFold(b.Text, "Table of Contents")
}

// headingLines is how many lines at the start of a node's text are its heading.
func headingLines(part []byte, n *doc.Node) int {
	first, rest, _ := bytes.Cut(part, []byte("\n"))
	line := bytes.TrimSpace(first)
	if len(line) == 0 || len(line) > 4000 {
		return 0
	}
	if line[0] == '#' {
		return 1
	}
	for skip := 1; skip <= 4; skip++ {
		next, more, ok := bytes.Cut(rest, []byte("\n"))
		next = bytes.TrimSpace(next)
		if len(next) == 0 {
			break
		}
		if under := bytes.Trim(next, "=-"); len(under) == 0 && !n.Synthetic {
			return skip + 1
		}
		if !ok {
			break
		}
		rest = more
	}
	if plain.Text(first) == strings.TrimSpace(n.Title) {
		return 1
	}
	return 0
}

// add appends one block.
func (b *body) add(text *strings.Builder, block *plain.Block) {
	index := -1
	if block.Table != nil {
		index = len(b.tables)
		b.tables = append(b.tables, block.Table)
	}
	heads := tableHeads{body: b, table: block.Table, last: -1}
	rest := block.Text
	for i := range block.Rows {
		s, more, _ := strings.Cut(rest, "\n")
		rest = more
		if text.Len() > 0 {
			text.WriteByte('\n')
		}
		start := text.Len()
		text.WriteString(s)
		b.lines = append(b.lines, line{start, text.Len(), block.Rows[i], index, heads.next()})
		b.last = max(b.last, block.Rows[i].End)
	}
}

// tableHeads follows the rendered lines of a table, header by header, as plain writes them.
type tableHeads struct {
	body  *body
	table *table.Table
	rows  int // rows so far
	last  int // header in force, index in Table.Heads
	index int // its text, index in body.heads
	left  int // lines of the header that are still to come
}

// next is the header to repeat above the next rendered line of the table; -1 for a line of a
// header.
func (h *tableHeads) next() int {
	if h.table == nil {
		return -1
	}
	for h.left == 0 && (h.rows >= len(h.table.Rows) || h.last < h.table.Rows[h.rows].Head) && h.last+1 < len(h.table.Heads) {
		h.last++
		head := &h.table.Heads[h.last]
		h.left = len(head.Rows)
		h.index = len(h.body.heads)
		h.body.heads = append(h.body.heads, string(table.AppendHead(nil, head)))
	}
	if h.left > 0 {
		h.left--
		return -1
	}
	h.rows++
	return h.index
}
