package table

import (
	"bytes"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/plain/inline"
)

// pipe reads a pipe table whose first line is s. It needs a delimiter row below its header, or
// two lines that begin and end with a pipe.
func (f *finder) pipe(s span) bool {
	second := span{end: -1}
	if s.end+1 < len(f.src) {
		second = f.peek(s.end+1, s.line+1)
	}
	if second.end < 0 {
		return false
	}
	one, two := unquote(f.src[s.start:s.end]), unquote(f.src[second.start:second.end])
	if bytes.Count(one, []byte("|")) > maxRowCells {
		return false
	}
	delimited := delimiter(two)
	if !delimited && !(boxed(one) && boxed(two) && !delimiter(one)) {
		return false
	}
	var rows []rawRow
	last := s
	for at, n := s.start, s.line; at < len(f.src); n++ {
		l := f.peek(at, n)
		text := unquote(f.src[l.start:l.end])
		if n := bytes.Count(text, []byte("|")); n == 0 || n > maxRowCells || f.full() {
			break
		}
		if !delimiter(text) {
			rows = append(rows, pipeRow(text, n, delimited && n == s.line))
			f.rows++
			f.cells += len(rows[len(rows)-1].cells)
		}
		last, at = l, l.end+1
	}
	f.next(last)
	f.add(Pipe, doc.Lines{Start: s.line, End: last.line}, doc.Bytes{Start: int64(s.start), End: int64(f.at)}, "", rows)
	return true
}

// unquote drops the marks of a block quote and the blanks around a line.
func unquote(b []byte) []byte { return bytes.TrimSpace(bytes.TrimLeft(b, "> \t")) }

func boxed(b []byte) bool { return len(b) > 2 && b[0] == '|' && b[len(b)-1] == '|' }

// delimiter reports whether b is a line such as "|---|:-:|".
func delimiter(b []byte) bool {
	dash, pipe := false, false
	for _, c := range b {
		switch c {
		case '-':
			dash = true
		case '|':
			pipe = true
		case ':', ' ', '\t', '\r':
		default:
			return false
		}
	}
	return dash && pipe
}

func pipeRow(b []byte, line int, head bool) rawRow {
	r := rawRow{lines: doc.Lines{Start: line, End: line}, head: head}
	b = bytes.TrimPrefix(b, []byte("|"))
	add := func(text []byte) {
		bold := isBold(bytes.TrimSpace(text))
		r.cells = append(r.cells, rawCell{text: inline.Text(text), line: line, colspan: 1, rowspan: 1, th: head, bold: bold})
	}
	start := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '|':
			add(b[start:i])
			start = i + 1
		}
	}
	if len(bytes.TrimSpace(b[start:])) > 0 {
		add(b[start:])
	}
	return r
}
