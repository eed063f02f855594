package table

import (
	"bytes"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/plain/inline"
)

// finder walks the lines of a text once.
type finder struct {
	src    []byte
	at     int // next byte
	line   int // its line
	fence  inline.Fence
	above  []span    // the last lines before a table that are not blank
	tags   []opening // every <table
	tag    int       // the first that lies ahead
	rows   int       // rows and cells so far
	cells  int
	tables []Table
}

// full reports whether no further rows are read.
func (f *finder) full() bool { return f.rows >= maxRows || f.cells >= maxCells }

// span is a line of the text: number and bytes, without its line end.
type span struct{ line, start, end int }

func (f *finder) run() {
	f.tags = openings(f.src)
	for f.at < len(f.src) {
		s := f.peek(f.at, f.line)
		text := f.src[s.start:s.end]
		switch code, _ := f.fence.Line(text); {
		case code:
			f.next(s)
		case f.table(s, text):
		default:
			if n := len(f.above); len(bytes.TrimSpace(text)) > 0 && (n == 0 || f.above[n-1] != s) {
				f.remember(s)
			}
			f.next(s)
		}
	}
}

// peek is the line that begins at byte at.
func (f *finder) peek(at, line int) span {
	end := bytes.IndexByte(f.src[at:], '\n')
	if end < 0 {
		return span{line, at, len(f.src)}
	}
	return span{line, at, at + end}
}

func (f *finder) next(s span) {
	f.at, f.line = min(s.end+1, len(f.src)), s.line+1
}

func (f *finder) remember(s span) {
	if len(f.above) == maxAhead {
		copy(f.above, f.above[1:])
		f.above = f.above[:maxAhead-1]
	}
	f.above = append(f.above, s)
}

// table reads the table that begins on line s, if one does.
func (f *finder) table(s span, text []byte) bool {
	if f.full() {
		return false
	}
	for f.tag < len(f.tags) && f.tags[f.tag].at < s.start {
		f.tag++
	}
	if f.tag < len(f.tags) && f.tags[f.tag].at < s.end {
		f.html(s, f.tags[f.tag].at, f.tags[f.tag].end)
		return true
	}
	if bytes.IndexByte(text, '|') >= 0 && f.pipe(s) {
		return true
	}
	if leadsFlat(text) {
		f.remember(s)
		return f.flat(s)
	}
	return false
}

// leadsFlat reports whether a line may have a flat table below it: a caption, or the picture
// that a parser cut out of the page.
func leadsFlat(text []byte) bool {
	text = bytes.TrimLeft(text, "#*- ")
	if len(text) > maxNote || len(text) < 5 {
		return false
	}
	if bytes.HasPrefix(text, []byte("![")) {
		return bytes.Contains(text, []byte("(table"))
	}
	return (text[0]|0x20 == 't' || text[0] >= 0x80) && isNumbered(string(cutBytes(text)))
}

// add builds the table from its raw rows and what stands around it.
func (f *finder) add(k Kind, lines doc.Lines, b doc.Bytes, caption string, rows []rawRow) {
	t := Table{Kind: k, Lines: lines, Bytes: b, Caption: caption, Scale: 1}
	t.build(rows)
	f.around(&t)
	f.tables = append(f.tables, t)
	f.above = f.above[:0]
}

// cutBytes is the start of a line, long enough to tell a caption.
func cutBytes(b []byte) []byte { return b[:min(len(b), 64)] }
