package layout

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
)

// writer writes the Markdown and remembers where each line stood.
type writer struct {
	b      bytes.Buffer
	places []Place
	out    *Result
	words  map[string]int // of the document, to tell hyphens that part a word from those that join two
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

// page writes the blocks of one page.
func (w *writer) page(p *page) {
	var para []*line
	flush := func() {
		w.paragraph(para)
		para = para[:0]
	}
	done := map[*table]bool{}
	skip := 0
	for k, l := range p.lines {
		if l.furniture {
			continue
		}
		if skip > 0 && len(l.before) == 0 {
			skip--
			continue
		}
		skip = 0
		if len(l.before) > 0 {
			flush()
			for _, h := range l.before {
				w.synthetic(h, l)
			}
		}
		if l.head != nil {
			flush()
			w.heading(p, k)
			skip = l.head.merged
			if l.head.rest != "" {
				w.line(escape(l.head.rest), placeOf(l))
				w.blank()
			}
			if l.table == nil {
				continue
			}
		}
		if l.table != nil {
			if !done[l.table] {
				flush()
				w.table(l.table)
				done[l.table] = true
			}
			continue
		}
		if len(para) > 0 && parted(para[len(para)-1], l) {
			flush()
		}
		para = append(para, l)
	}
	flush()
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
	w.out.Headings = append(w.out.Headings, Heading{Line: len(w.places) + 1, Page: at.Page, Level: h.level, Title: title, Why: h.why, Synthetic: synthetic})
	w.line(strings.Repeat("#", max(1, min(h.level, maxLevel)))+" "+escapeInline(title), at)
	w.blank()
}

// table writes a pipe table.
func (w *writer) table(t *table) {
	head, body := t.rows()
	first := t.lines[0]
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

// clean takes out what must not stand in a line, and soft hyphens that parted nothing.
func clean(t string) string {
	t = strings.ReplaceAll(t, "\u00ad", "-")
	t = strings.Map(func(r rune) rune {
		if r < ' ' || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) || r == 0x85 {
			return ' '
		}
		return r
	}, t)
	return strings.Join(strings.Fields(t), " ")
}

// escape keeps the first characters of a paragraph from being read as Markdown.
func escape(t string) string {
	t = escapeInline(t)
	if t == "" {
		return t
	}
	switch t[0] {
	case '#', '>', '+', '=', '~', '|':
		return `\` + t
	case '-', '*', '_':
		if len(t) == 1 || t[1] == ' ' || t[1] == t[0] {
			return `\` + t
		}
	case '`':
		if strings.HasPrefix(t, "```") {
			return `\` + t
		}
	}
	return t
}

// escapeInline keeps a '<' from being read as a tag.
func escapeInline(t string) string {
	if !strings.Contains(t, "<") {
		return t
	}
	var b strings.Builder
	for i := 0; i < len(t); i++ {
		if t[i] == '<' && i+1 < len(t) && (t[i+1] == '/' || t[i+1] == '!' || t[i+1] == '?' || t[i+1]|0x20 >= 'a' && t[i+1]|0x20 <= 'z') {
			b.WriteByte('\\')
		}
		b.WriteByte(t[i])
	}
	return b.String()
}

// mend puts back the second f that fonts of slanted letters lose: "ef ective". It does so where the
// whole word stands elsewhere in the document, and oftener than the rest by itself.
func (w *writer) mend(l *line, t string) string {
	if !l.italic || !strings.Contains(t, "f ") {
		return t
	}
	parts := strings.Split(t, " ")
	out := parts[:1]
	for _, b := range parts[1:] {
		a := out[len(out)-1]
		if whole := word(a + "f" + b); strings.HasSuffix(a, "f") && w.words[whole] > w.words[word(b)] {
			out[len(out)-1] = a + "f" + b
			continue
		}
		out = append(out, b)
	}
	return strings.Join(out, " ")
}

// close takes out blanks that wide letters leave within a word: "Shee t" where the document has "Sheet".
func (w *writer) close(t string) string {
	parts := strings.Split(t, " ")
	out := parts[:1]
	for _, b := range parts[1:] {
		a := out[len(out)-1]
		whole := w.words[word(a+b)]
		if b == "s" && (strings.HasSuffix(a, "’") || strings.HasSuffix(a, "'")) {
			out[len(out)-1] = a + b
			continue
		}
		letter := len(b) == 1 && b != "a" && b != "I" && b != "A" && unicode.IsLetter(rune(b[0]))
		if len(b) <= 5 && whole >= 2 && (letter || w.words[word(a)]*2 <= whole) && len(a) > 1 && allLetters(a+b) {
			out[len(out)-1] = a + b
			continue
		}
		out = append(out, b)
	}
	return strings.Join(out, " ")
}

func allLetters(t string) bool {
	return strings.IndexFunc(strings.TrimRight(t, ".,:"), func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}

// wordCounts counts the words of the document that hold a letter.
func (s *sheet) wordCounts() map[string]int {
	m := map[string]int{}
	for _, p := range s.pages {
		for _, l := range p.lines {
			if l.table != nil {
				continue
			}
			for w := range strings.FieldsSeq(l.text()) {
				if w = word(w); len(w) > 3 {
					m[w]++
				}
			}
		}
	}
	return m
}

// word is w in lower case without punctuation around it.
func word(w string) string {
	return strings.ToLower(strings.Trim(w, ".,;:()[]\"'“”‘’?!"))
}

// join adds the next line to a paragraph; a word parted by a hyphen at the end of a line becomes one again.
func (w *writer) join(text, next string) string {
	if text == "" {
		return next
	}
	soft := strings.HasSuffix(text, "\u00ad")
	if !soft && !strings.HasSuffix(text, "-") {
		return text + " " + next
	}
	head := strings.TrimSuffix(strings.TrimSuffix(text, "\u00ad"), "-")
	left := word(head[strings.LastIndexByte(head, ' ')+1:])
	first, _, _ := strings.Cut(next, " ")
	right := word(first)
	joined, hyphened := w.words[left+right], w.words[left+"-"+right]
	if left == "" || right == "" || !unicode.IsLower([]rune(right)[0]) || !unicode.IsLower([]rune(first)[0]) {
		return head + "-" + next
	}
	if joined > hyphened || joined == 0 && hyphened == 0 && soft && len(left) < 12 && w.words[left] == 0 {
		return head + next
	}
	return head + "-" + next
}
