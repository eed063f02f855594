package layout

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/pkg/source/pdf/content"
)

// cell is a piece of a line between wide gaps.
type cell struct {
	text   string
	x0, x1 float32
	bold   bool
}

// line is one printed line.
type line struct {
	page           int
	cells          []cell
	x0, x1, y0, y1 float32
	base, size     float32
	bold, italic   bool   // all of its letters
	lead           int    // characters of bold letters before the first that is not
	opening        string // its text in bold letters before the first that is not; "" when none is or all are
	chars          int
	tag            int // level of heading that the file's structure gives all of it, 0 for none
	column         int // 0: the whole width; 1 left, 2 right
	furniture      bool
	entry          bool // of a table of contents or an index
	table          *table
	head           *head
	before         []*head // synthetic headings that stand before it
	full           string  // its text, made once
}

// text is all of the line, cells parted by one blank.
func (l *line) text() string {
	if l.full == "" {
		parts := make([]string, len(l.cells))
		for i, c := range l.cells {
			parts[i] = c.text
		}
		l.full = strings.TrimSpace(strings.Join(parts, " "))
	}
	return l.full
}

// isText reports whether the line may be text or heading: no furniture, no table.
func (l *line) isText() bool { return !l.furniture && l.table == nil }

// newPage puts the page's runs into lines, columns in reading order.
func newPage(n int, c *content.Page) *page {
	p := &page{n: n, w: c.Width, h: c.Height, links: c.Links}
	runs := slices.Clone(c.Runs)
	for i := range runs {
		frameRun(&runs[i])
	}
	p.gutter = gutter(p, runs)
	if p.gutter == 0 {
		p.lines = linesOf(n, runs, 0)
	} else {
		p.lines = columns(p, runs)
	}
	return p
}

// frameRun gives the run the height of its font instead of that of its ink, so that lines of small
// letters measure like others; a font whose size is plainly wrong keeps its ink.
func frameRun(r *content.Run) {
	if ink := r.Y1 - r.Y0; ink <= 1.6*r.Size && r.Base >= r.Y0-r.Size && r.Base <= r.Y1+r.Size {
		r.Y0, r.Y1 = r.Base-0.72*r.Size, r.Base+0.22*r.Size
	}
}

// linesOf groups runs that stand beside each other.
func linesOf(page int, runs []content.Run, column int) []*line {
	slices.SortStableFunc(runs, func(a, b content.Run) int { return cmp.Compare(a.Y1, b.Y1) })
	var out []*line
	from := 0
	var y0, y1 float32
	for i, r := range runs {
		h := r.Y1 - r.Y0
		if i > 0 && min(y1, r.Y1)-max(y0, r.Y0) > 0.4*min(h, y1-y0) {
			y0, y1 = min(y0, r.Y0), max(y1, r.Y1)
			if y1-y0 > 3*h && h > 0 { // a tall letter must not swallow the lines below it
				y0, y1 = r.Y0, r.Y1
			}
			continue
		}
		if i > from {
			out = append(out, newLine(page, runs[from:i], column))
		}
		from, y0, y1 = i, r.Y0, r.Y1
	}
	if len(runs) > from {
		out = append(out, newLine(page, runs[from:], column))
	}
	return out
}

// newLine makes a line of runs that stand beside each other.
func newLine(page int, runs []content.Run, column int) *line {
	slices.SortStableFunc(runs, func(a, b content.Run) int { return cmp.Compare(a.X0, b.X0) })
	l := &line{page: page, column: column, x0: 1e9, y0: 1e9, x1: -1e9, y1: -1e9, bold: true, italic: true}
	sizes := map[float32]int{}
	lead, letters := true, false
	var text []byte // of the last cell
	l.tag = runs[0].Tag
	for _, r := range runs {
		if r.Tag != l.tag {
			l.tag = 0
		}
		n := utf8.RuneCountInString(r.Text)
		if strings.IndexFunc(r.Text, unicode.IsLetter) >= 0 {
			letters = true
			l.bold, l.italic = l.bold && r.Font.Bold, l.italic && r.Font.Italic
			if lead && !r.Font.Bold && l.lead > 0 && len(l.cells) == 1 {
				l.opening = string(text)
			}
			lead = lead && r.Font.Bold
		}
		if lead {
			l.lead += n
		}
		sizes[half(r.Size)] += n
		l.chars += n
		text = l.add(text, r)
	}
	l.cells[len(l.cells)-1].text = string(text)
	if !letters {
		l.bold, l.italic = runs[0].Font.Bold, runs[0].Font.Italic
	}
	l.size = most(sizes)
	return l
}

// add puts one more run at the right end of the line. text is that of the last cell so far; it returns that of
// the last cell now.
func (l *line) add(text []byte, r content.Run) []byte {
	k := len(l.cells) - 1
	gap := float32(0)
	if k >= 0 {
		gap = r.X0 - l.cells[k].x1
	}
	switch {
	case k < 0:
		l.cells = append(l.cells, cell{"", r.X0, r.X1, r.Font.Bold})
	case gap > max(r.Size, 6)*1.1:
		l.cells[k].text = string(text)
		text = text[:0]
		l.cells = append(l.cells, cell{"", r.X0, r.X1, r.Font.Bold})
	default:
		c := &l.cells[k]
		c.x1, c.bold = max(c.x1, r.X1), c.bold && r.Font.Bold
		if gap > r.Size*0.12 && !strings.HasPrefix(r.Text, ",") && !bytes.HasSuffix(text, []byte(" ")) {
			text = append(text, ' ')
		}
	}
	text = append(text, r.Text...)
	l.x0, l.x1 = min(l.x0, r.X0), max(l.x1, r.X1)
	l.y0, l.y1 = min(l.y0, r.Y0), max(l.y1, r.Y1)
	l.base = max(l.base, r.Base)
	return text
}

// half rounds a size to half points.
func half(v float32) float32 { return float32(math.Round(float64(v)*2) / 2) }

// most is the size that most characters have, the larger of two.
func most(sizes map[float32]int) float32 {
	best, n := float32(0), 0
	for s, k := range sizes {
		if k > n || k == n && s > best {
			best, n = s, k
		}
	}
	return best
}

func abs(v float32) float32 { return max(v, -v) }
