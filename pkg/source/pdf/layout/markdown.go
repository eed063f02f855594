package layout

import (
	"bytes"
	"fmt"
	"strings"
)

// writer writes the Markdown and remembers where each line stood.
type writer struct {
	b      bytes.Buffer
	places []Place
	out    *Result
	words  map[string]int // of the document, to tell hyphens that part a word from those that join two
	last   *header        // of the table that was written last, if nothing was written after it
}

// header is that of a table which may go on, on the next page.
type header struct {
	page int
	head []string
	cols []columnBox
}

// goesOn reports whether a table on page n without a header has the columns of h.
func (h *header) goesOn(n int, head []string, cols []columnBox) bool {
	if h == nil || n != h.page+1 || len(cols) != len(h.cols) || len(cols) == 0 || strings.Join(head, "") != "" {
		return false
	}
	for i, c := range cols {
		if abs(c.x1-h.cols[i].x1) > 12 {
			return false
		}
	}
	return true
}

// line writes one line.
func (w *writer) line(text string, at Place) {
	w.b.WriteString(text)
	w.b.WriteByte('\n')
	w.places = append(w.places, at)
}

func (w *writer) blank() {
	if n := w.b.Len(); n > 1 && !bytes.HasSuffix(w.b.Bytes(), []byte("\n\n")) {
		w.line("", Place{})
	}
}

// write makes the Markdown of the sheet.
func (s *sheet) write() *Result {
	w := &writer{out: &Result{Tables: s.nTables}, words: s.wordCounts()}
	for _, p := range s.pages {
		w.out.Labels = append(w.out.Labels, p.label)
		w.blank()
		w.line(fmt.Sprintf("<!-- page: %d -->", p.n+1), Place{Page: p.n + 1, X1: p.w, Y1: p.h})
		w.blank()
		w.page(p)
	}
	w.out.Markdown, w.out.Places = w.b.Bytes(), w.places
	w.out.KnownLevels = len(s.anchors) > 0 && s.anchors[0].why == "outline"
	return w.out
}

// Levels are those of headings, by line, that are deeper than Markdown can write.
func (r *Result) Levels() map[int]int {
	m := map[int]int{}
	for _, h := range r.Headings {
		if h.Level > maxLevel {
			m[h.Line] = h.Level
		}
	}
	return m
}

// page writes the blocks of one page.
func (w *writer) page(p *page) {
	var para []*line
	flush := func() {
		w.paragraph(para)
		para = para[:0]
	}
	done := map[*table]bool{}
	skip := 0 // lines that belong to the heading above
	for k, l := range p.lines {
		if l.furniture {
			continue
		}
		for _, f := range p.figures {
			if f.at == l && skip == 0 && (l.table == nil || !done[l.table]) {
				flush()
				w.figure(p, f)
				f.at, f.done = nil, true
			}
		}
		if skip > 0 && len(l.before) == 0 {
			skip--
			continue
		}
		skip = 0
		if l.head != nil || l.table != nil || len(l.before) > 0 {
			flush()
			w.heads(p, k)
		}
		if l.head != nil && l.head.rest != "" {
			para = append(para, p.lines[k+l.head.merged].withText(l.head.rest))
		}
		switch {
		case l.table != nil && !done[l.table]:
			w.table(l.table)
			done[l.table] = true
		case l.table != nil:
		case l.head != nil:
			skip = l.head.merged
		default:
			if n := len(para); n > 0 && (parted(para[n-1], l) || k < p.cover && unlike(para[n-1], l)) {
				flush()
			}
			para = append(para, l)
		}
	}
	flush()
	for _, f := range p.figures { // at the end of the page, or inside of a table or title
		if !f.done {
			w.figure(p, f)
		}
	}
}

// heads writes the headings of line k.
func (w *writer) heads(p *page, k int) {
	l := p.lines[k]
	for _, h := range l.before {
		w.synthetic(h, l)
	}
	if l.head == nil {
		return
	}
	w.heading(p, k)
}

// parted reports whether l begins a new paragraph after the line before.
func parted(before, l *line) bool {
	gap := l.y0 - before.y1
	if gap > l.size*0.6 || l.column != before.column && gap > 0 || gap < -3*l.size && l.column == before.column {
		return true
	}
	t := l.text()
	return strings.HasPrefix(t, "•") || strings.HasPrefix(t, "–") || strings.HasPrefix(t, "▪") || strings.HasPrefix(t, "●") || l.size > before.size*1.4
}

// withText is the line with another text: what follows a run-in title.
func (l *line) withText(t string) *line {
	c := *l
	c.full, c.head, c.before = t, nil, nil
	return &c
}

// unlike reports whether two lines look different: on a cover each such line speaks for itself.
func unlike(a, b *line) bool { return a.bold != b.bold || abs(a.size-b.size) > 0.4 }

func placeOf(l *line) Place {
	return Place{Page: l.page + 1, X0: l.x0, Y0: l.y0, X1: l.x1, Y1: l.y1}
}

func (a Place) with(l *line) Place {
	if a.Page == 0 {
		return placeOf(l)
	}
	a.X0, a.Y0, a.X1, a.Y1 = min(a.X0, l.x0), min(a.Y0, l.y0), max(a.X1, l.x1), max(a.Y1, l.y1)
	return a
}

// paragraph writes lines as one line of Markdown.
func (w *writer) paragraph(lines []*line) {
	if len(lines) == 0 {
		return
	}
	text := ""
	var at Place
	for _, l := range lines {
		text = w.join(text, w.mend(l, l.text()))
		at = at.with(l)
	}
	if text = clean(text); text == "" {
		return
	}
	w.last = nil
	w.line(escape(text), at)
	w.blank()
}

// heading writes the heading of line k.
func (w *writer) heading(p *page, k int) {
	l := p.lines[k]
	h := l.head
	at := placeOf(l)
	for _, m := range p.lines[k : k+1+h.merged] {
		at = at.with(m)
	}
	w.title(h, clean(w.close(w.mend(l, h.title))), at, false)
}

// synthetic writes a heading that stands nowhere, before line l.
func (w *writer) synthetic(h *head, l *line) {
	at := placeOf(l)
	at.Y1 = at.Y0
	w.title(h, clean(h.title), at, true)
}

func (w *writer) title(h *head, title string, at Place, synthetic bool) {
	if title == "" {
		return
	}
	w.blank()
	w.last = nil
	w.out.Headings = append(w.out.Headings, Heading{Line: len(w.places) + 1, Page: at.Page, Level: h.level, Title: title, Why: h.why, Synthetic: synthetic})
	w.line(strings.Repeat("#", max(1, min(h.level, maxLevel)))+" "+escapeInline(title), at)
	w.blank()
}

// table writes a pipe table.
func (w *writer) table(t *table) {
	head, body, cols := t.rows()
	first := t.lines[0]
	if w.last.goesOn(first.page, head, cols) {
		head = w.last.head
	}
	w.last = &header{first.page, head, cols}
	top := Place{Page: first.page + 1, X0: first.x0, Y0: first.y0, X1: first.x1, Y1: first.y1}
	w.blank()
	w.line(pipe(head), top)
	w.line("|"+strings.Repeat(" --- |", len(head)), Place{})
	for _, r := range body {
		w.line(pipe(append([]string{r.label}, r.values...)), Place{first.page + 1, r.left, r.y0, r.right, r.y1})
	}
	w.blank()
}

func pipe(cells []string) string {
	var b strings.Builder
	b.WriteByte('|')
	for _, c := range cells {
		b.WriteByte(' ')
		if c = clean(c); c != "" {
			b.WriteString(strings.ReplaceAll(escapeInline(c), "|", `\|`))
			b.WriteByte(' ')
		}
		b.WriteByte('|')
	}
	return b.String()
}
