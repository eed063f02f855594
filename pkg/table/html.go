package table

import (
	"bytes"
	"strconv"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/plain/inline"
)

// rawRow is a row as it was written, before spans are laid out.
type rawRow struct {
	lines doc.Lines
	head  bool // in <thead>, or above the delimiter of a pipe table
	cells []rawCell
}

type rawCell struct {
	text             string
	line             int
	colspan, rowspan int
	th, bold         bool
}

// html reads the table whose tag begins at byte start on line s.
func (f *finder) html(s span, start, end int) {
	if end < 0 {
		end = f.unclosed(start)
	}
	h := htmlScan{src: f.src[:end], at: start, line: s.line, counted: s.start, f: f}
	h.run()
	end = h.at
	f.at = end
	last := s.line + bytes.Count(f.src[s.start:end], []byte("\n"))
	f.line = last
	if end > s.start && end < len(f.src) && f.src[end-1] == '\n' {
		last--
	}
	f.add(HTML, doc.Lines{Start: s.line, End: max(last, s.line)}, doc.Bytes{Start: int64(start), End: int64(end)}, h.caption, h.rows)
	f.endLine()
}

// endLine goes on at the next line when nothing but blanks follow the table on its last one.
func (f *finder) endLine() {
	rest := f.src[f.at:]
	if n := bytes.IndexByte(rest, '\n'); n >= 0 && len(bytes.TrimSpace(rest[:n])) == 0 {
		f.at += n + 1
		f.line++
	}
}

// htmlScan reads one table. Tags inside nested tables are text to it.
type htmlScan struct {
	f       *finder
	src     []byte
	at      int
	line    int // of byte counted
	counted int
	depth   int // of tables
	thead   bool
	rows    []rawRow
	inRow   bool
	cell    rawCell
	inCell  bool
	from    int // where the cell's or caption's text begins
	inCap   bool
	caption string
}

func (h *htmlScan) run() {
	for h.at < len(h.src) {
		n := bytes.IndexByte(h.src[h.at:], '<')
		if n < 0 {
			h.at = len(h.src)
			break
		}
		h.at += n
		size := inline.TagLen(h.src[h.at:])
		if size == 0 {
			h.at++
			continue
		}
		if h.f.full() {
			break
		}
		tag := h.src[h.at : h.at+size]
		h.tag(tag)
		h.at += size
	}
	h.endRow()
}

// tag acts on one tag; all but those of table structure are text.
func (h *htmlScan) tag(tag []byte) {
	switch {
	case named(tag, "<table"):
		h.depth++
	case named(tag, "</table"):
		if h.depth == 1 {
			h.endRow()
		}
		h.depth--
	case h.depth != 1:
	case named(tag, "<td"), named(tag, "<th"):
		h.startCell(tag)
	case named(tag, "</td"), named(tag, "</th"):
		h.endCell()
	case named(tag, "<tr"):
		h.endRow()
		h.startRow()
	case named(tag, "</tr"):
		h.endRow()
	case named(tag, "<thead"):
		h.endRow()
		h.thead = true
	case named(tag, "</thead"), named(tag, "<tbody"), named(tag, "<tfoot"):
		h.endRow()
		h.thead = false
	case named(tag, "<caption"):
		h.endRow()
		h.inCap, h.from = true, h.at+len(tag)
	case named(tag, "</caption") && h.inCap:
		h.caption, h.inCap = inline.Text(h.src[h.from:h.at]), false
	}
}

func (h *htmlScan) lineAt(at int) int {
	if at > h.counted {
		h.line += bytes.Count(h.src[h.counted:at], []byte("\n"))
		h.counted = at
	}
	return h.line
}

func (h *htmlScan) startRow() {
	n := h.lineAt(h.at)
	h.rows = append(h.rows, rawRow{lines: doc.Lines{Start: n, End: n}, head: h.thead})
	h.inRow = true
	h.f.rows++
}

func (h *htmlScan) endRow() {
	h.endCell()
	if !h.inRow {
		return
	}
	end := h.at
	if end == len(h.src) || !named(h.src[end:], "</tr") { // not said: after its last byte
		end = h.counted + len(bytes.TrimRight(h.src[h.counted:end], " \t\r\n"))
	}
	h.rows[len(h.rows)-1].lines.End = h.lineAt(end)
	h.inRow = false
}

func (h *htmlScan) startCell(tag []byte) {
	h.endCell()
	if !h.inRow {
		h.startRow()
	}
	h.cell = rawCell{colspan: 1, rowspan: 1, th: tag[2]|0x20 == 'h'}
	if len(tag) > len("<td>") {
		h.cell.colspan = attribute(tag, "colspan")
		h.cell.rowspan = attribute(tag, "rowspan")
	}
	h.inCell, h.from = true, h.at+len(tag)
}

func (h *htmlScan) endCell() {
	if !h.inCell {
		return
	}
	h.inCell = false
	raw := h.src[h.from:h.at]
	lead := len(raw) - len(bytes.TrimLeft(raw, " \t\r\n"))
	if lead == len(raw) {
		lead = 0
	}
	h.cell.line = h.lineAt(h.from + lead)
	h.cell.text = inline.Text(raw)
	h.cell.bold = isBold(raw[lead:])
	r := &h.rows[len(h.rows)-1]
	r.cells = append(r.cells, h.cell)
	h.f.cells++
}

// isBold reports whether the text of a cell begins in bold.
func isBold(raw []byte) bool {
	return bytes.HasPrefix(raw, []byte("**")) || named(raw, "<b") || named(raw, "<strong")
}

// attribute is the number of an attribute, from 1 to maxSpan; 1 when it is absent or no number.
func attribute(tag []byte, name string) int {
	for i := 0; i+len(name) < len(tag); i++ {
		if tag[i]|0x20 != name[0] || !bytes.EqualFold(tag[i:i+len(name)], []byte(name)) {
			continue
		}
		rest := bytes.TrimLeft(tag[i+len(name):], " =\"'\t\r\n")
		n := 0
		for n < len(rest) && n < 12 && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		v, err := strconv.Atoi(string(rest[:n]))
		if err != nil {
			return 1
		}
		return min(max(v, 1), maxSpan)
	}
	return 1
}
