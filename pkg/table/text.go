package table

import (
	"strings"
	"unicode/utf8"
)

// Limits of a row's entry text: the header and the whole, in bytes. The windows hold all of it.
const (
	maxEntryHead = 1000
	// A longer caption is prose and left out: its words would drown those of the row. Measured on
	// 129 questions, words with routing, any@3/@5: 105/113 without captions, 107/116 with these, and
	// with all of them two less at any@3 where nothing is routed.
	maxEntryCaption = 200
	maxEntry        = 8000
)

// Entry is the text of a row's index entry: label, label again, the table's caption, header,
// values.
func (t *Table) Entry(r *Row) string {
	var b strings.Builder
	label := r.Full()
	b.WriteString(label)
	if label != "" {
		b.WriteByte('\n')
	}
	b.WriteString(label)
	b.WriteByte('\n')
	if len(t.Caption) <= maxEntryCaption {
		b.WriteString(t.Caption)
	}
	b.WriteByte('\n')
	b.WriteString(t.headText(r.Head))
	b.WriteByte('\n')
	for i := range r.Cells {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(r.Cells[i].Text)
	}
	return cut(b.String(), maxEntry)
}

// headText is the header as one line: its texts in order, each once, and the unit.
func (t *Table) headText(head int) string {
	if head < 0 || head >= len(t.Heads) {
		return ""
	}
	var b strings.Builder
	for _, row := range t.Heads[head].Rows {
		for _, c := range row {
			if b.Len() > maxEntryHead {
				return cut(b.String(), maxEntryHead)
			}
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(c.Text)
		}
	}
	return cut(b.String(), maxEntryHead)
}

// cut shortens s to at most n bytes, at a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// maxGap is how many empty cells in a row are rendered; spans cannot make a line longer than that.
const maxGap = 20

// AppendRow appends the row as a pipe row, "| label | 1 |  | 3 |", without a line end.
func AppendRow(dst []byte, r *Row) []byte {
	dst = append(dst, '|')
	col := 1
	for _, p := range r.Parents[len(r.Parents)-r.Merged:] {
		dst = appendCell(dst, p)
		col++
	}
	if r.LabelCell.Column > 0 {
		dst = appendCell(dst, r.Label)
		col = r.LabelCell.Column + r.LabelCell.Span
	}
	return appendCells(dst, r.Cells, col)
}

// AppendHead appends a header as pipe rows, each with its line end; nothing when there is none.
func AppendHead(dst []byte, h *Head) []byte {
	for _, cells := range h.Rows {
		dst = append(appendCells(append(dst, '|'), cells, 1), '\n')
	}
	return dst
}

func appendCells(dst []byte, cells []Cell, col int) []byte {
	for i := range cells {
		for gap := min(cells[i].Column-col, maxGap); gap > 0; gap-- {
			dst = append(dst, "  |"...)
		}
		dst = appendCell(dst, cells[i].Text)
		col = cells[i].Column + cells[i].Span
	}
	return dst
}

func appendCell(dst []byte, text string) []byte {
	dst = append(append(dst, ' '), text...)
	return append(dst, " |"...)
}
