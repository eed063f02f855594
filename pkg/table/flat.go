package table

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/plain/inline"
)

// A flat table is what some parsers leave of a table: one cell a line, in reading order, below
// its caption or its picture. It is only told when the cells fit a rectangle without remainder:
// a header of m (or m+1) texts, then rows of a label and m values; or a header of h texts and
// rows of h values.

// Limits of flat tables.
const (
	maxFlatCell  = 60   // characters of a cell
	maxFlatCells = 5000 // cells looked at
	minFlatRows  = 2
)

// flat reads the flat table that begins at or below the line after s, which is a caption or a
// picture of a table.
func (f *finder) flat(s span) bool {
	cells := f.flatCells(s)
	head, rows := rectangle(cells)
	if len(rows) == 0 {
		return false
	}
	first, last := f.lineOf(cells[0].line, s), f.lineOf(cells[len(cells)-1].line, s)
	f.next(last)
	f.add(Flat, doc.Lines{Start: first.line, End: last.line}, doc.Bytes{Start: int64(first.start), End: int64(f.at)}, "",
		append([]rawRow{head}, rows...))
	return true
}

func flatRow(cells []rawCell, head bool) rawRow {
	r := rawRow{head: head, cells: cells}
	if len(cells) > 0 {
		r.lines = doc.Lines{Start: cells[0].line, End: cells[len(cells)-1].line}
	}
	return r
}

// lineOf is the span of a line below s.
func (f *finder) lineOf(line int, s span) span {
	for s.line < line {
		s = f.peek(s.end+1, s.line+1)
	}
	return s
}

// flatCells are the short lines below s, up to the first that is no cell.
func (f *finder) flatCells(s span) []rawCell {
	var cells []rawCell
	for len(cells) < maxFlatCells && s.end+1 < len(f.src) {
		s = f.peek(s.end+1, s.line+1)
		text := bytes.TrimSpace(f.src[s.start:s.end])
		if len(text) == 0 {
			continue
		}
		if len(text) > 4*maxFlatCell || text[0] == '#' || text[0] == '|' || text[0] == '<' || text[0] == '!' || text[0] == '`' || isNumbered(string(cutBytes(text))) {
			break
		}
		cell := inline.Text(text)
		if utf8.RuneCountInString(cell) > maxFlatCell {
			break
		}
		cells = append(cells, rawCell{text: cell, line: s.line, colspan: 1, rowspan: 1})
	}
	return cells
}

// rectangle fits cells into a header and rows; no rows when they do not fit.
func rectangle(cells []rawCell) (head rawRow, rows []rawRow) {
	first := firstLabel(cells)
	if first < 0 {
		return head, nil
	}
	values := 0
	for first+1+values < len(cells) && isNumber(cells[first+1+values].text) {
		values++
	}
	if first+1+values == len(cells) {
		return rowsWithoutLabels(cells, first+1)
	}
	top := withoutMarks(cells[:first])
	sections := false
	if len(top) == values+2 { // the last text is a section row, as are others further down
		top, first, sections = top[:values+1], first-1, true
	}
	unsure := len(top) != values && len(top) != values+1
	if unsure && (len(top) < 2 || len(top) > 3*(values+1) || values < 3) {
		return head, nil
	}
	found := 0
	for at := first; at < len(cells); {
		if at+2 < len(cells) && sections && !isNumber(cells[at].text) && !isNumber(cells[at+1].text) {
			rows = append(rows, flatRow(cells[at:at+1], false))
			found++
			at++
		}
		if !isFlatRow(cells[at:], values) {
			return head, nil
		}
		rows = append(rows, flatRow(cells[at:at+values+1], false))
		at += values + 1
	}
	if len(rows)-found < minFlatRows || sections && found < 2 || unsure && len(rows) < 3 {
		return head, nil
	}
	if unsure {
		return mergedHead(top, values+1), rows
	}
	return flatHead(top, values+1), rows
}

// mergedHead is a header whose texts cannot be told apart by column (it had several rows): one
// cell over all columns.
func mergedHead(top []rawCell, width int) rawRow {
	texts := make([]string, len(top))
	for i := range top {
		texts[i] = top[i].text
	}
	row := flatRow(top, true)
	row.cells = []rawCell{{text: strings.Join(texts, "; "), line: top[0].line, colspan: width, rowspan: 1}}
	return row
}

// isFlatRow reports whether cells begin with a label and exactly so many values.
func isFlatRow(cells []rawCell, values int) bool {
	if len(cells) < values+1 || isNumber(cells[0].text) && hasDigit(cells[0].text) {
		return false
	}
	for _, c := range cells[1 : values+1] {
		if !isNumber(c.text) {
			return false
		}
	}
	return true
}

// rowsWithoutLabels fits cells whose first n are texts and the rest all values.
func rowsWithoutLabels(cells []rawCell, n int) (head rawRow, rows []rawRow) {
	top, rest := withoutMarks(cells[:n]), cells[n:]
	w := len(top)
	if w < 3 || len(rest)%w != 0 || len(rest)/w < minFlatRows || !allTexts(top) {
		return head, nil
	}
	for at := 0; at < len(rest); at += w {
		rows = append(rows, flatRow(rest[at:at+w], false))
	}
	return flatHead(top, w), rows
}

// flatHead is the header row, with an empty cell above the labels when it lacks one.
func flatHead(top []rawCell, width int) rawRow {
	var cells []rawCell
	if len(top) < width {
		cells = append(cells, rawCell{line: top[0].line, colspan: 1, rowspan: 1})
	}
	return flatRow(append(cells, top...), true)
}

// firstLabel is the first text that two values follow, or -1.
func firstLabel(cells []rawCell) int {
	for i := 0; i+2 < len(cells); i++ {
		if !isNumber(cells[i].text) && isNumber(cells[i+1].text) && isNumber(cells[i+2].text) {
			return i
		}
	}
	return -1
}

// withoutMarks drops the footnote marks that stand as cells between the texts of a header.
func withoutMarks(head []rawCell) []rawCell {
	if len(head) == 0 || isNumber(head[0].text) {
		return head
	}
	out := make([]rawCell, 0, len(head))
	for _, c := range head {
		if len(c.text) == 1 && isNumber(c.text) {
			continue
		}
		out = append(out, c)
	}
	return out
}

func allTexts(cells []rawCell) bool {
	for i := range cells {
		if isNumber(cells[i].text) {
			return false
		}
	}
	return true
}
