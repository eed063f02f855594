package table

import (
	"strings"
	"unicode"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// build makes heads and rows of the raw rows.
func (t *Table) build(raw []rawRow) {
	g := layOut(raw)
	g.fold()
	n := headRows(&g)
	g.shiftHead(n)
	t.addHead(&g, g.rows[:n])
	b := builder{t: t, g: &g}
	if n > 0 {
		b.headLabel(&g.rows[n-1])
	}
	for i := n; i < len(g.rows); i++ {
		b.row(&g.rows[i], i+1 < len(g.rows))
	}
}

// headLabel opens the section that a header row in the body names: "Revenues | 2022 | 2021".
func (b *builder) headLabel(r *gridRow) {
	if len(r.cells) == 0 {
		return
	}
	if path := b.t.Heads[0].Columns[0].Path; (r.head || allHeads(r)) && (len(path) < 2 || !isPeriod(bareLabel(path[len(path)-2]))) {
		return
	}
	c := &r.cells[0]
	_, _, unit := unitText(c.text)
	if c.text == "" || c.col > 0 || unit || isPeriod(bareLabel(c.text)) || !b.t.Heads[0].years() {
		return
	}
	b.open(c.text, c.bold)
	b.t.Rows = append(b.t.Rows, Row{Lines: r.lines, Label: c.text, LabelCell: c.cell(), Section: true})
}

// builder turns the rows below the header into Rows and keeps the section rows above them.
type builder struct {
	t        *Table
	g        *grid
	sections []section
	fresh    bool // the last row was a section row
}

// section is an open section row.
type section struct {
	title string
	style style
}

// style is what section rows of one level have in common.
type style struct {
	bold, caps bool
	end        byte
}

func (b *builder) row(r *gridRow, more bool) {
	filled := 0
	for i := range r.cells {
		if r.cells[i].text != "" {
			filled++
		}
	}
	if filled == 0 {
		return
	}
	if more && len(b.t.Heads) < maxHeads && repeatsHead(r, filled) {
		b.t.addHead(b.g, []gridRow{*r})
		return
	}
	row := Row{Lines: r.lines, Head: len(b.t.Heads) - 1}
	merged, bold := row.takeLabel(r)
	row.takeValues(r)
	if len(row.Cells) == 0 && row.Label != "" && len(merged) == 0 {
		row.Section = true
		b.open(row.Label, bold)
		row.Parents = b.parents(len(b.sections) - 1)
	} else {
		row.Parents = append(b.parents(len(b.sections)), merged...)
		row.Merged = len(merged)
		b.fresh = false
		b.close(&row)
	}
	if _, _, ok := unitText(row.Label); !ok {
		row.Unit, _, _ = unitInside(row.Label)
	}
	b.t.Rows = append(b.t.Rows, row)
}

// parents are the titles of the first n open sections. The slice is shared by rows: never changed.
func (b *builder) parents(n int) []string {
	if n <= 0 {
		return nil
	}
	out := make([]string, n)
	for i := range out {
		out[i] = b.sections[i].title
	}
	return out
}

// open begins a section. Its level: that of the open section of the same style; below the last
// one when nothing stands between them; in place of the last one otherwise.
func (b *builder) open(title string, bold bool) {
	s := section{title: strings.TrimRight(title, ":–—- "), style: styleOf(title, bold)}
	if s.title == "" {
		s.title = title
	}
	keep := len(b.sections)
	if i := b.same(s.style); i >= 0 {
		keep = i
	} else if !b.fresh && keep > 0 && b.sections[keep-1].style.rank() >= s.style.rank() {
		keep--
	}
	b.sections = append(b.sections[:min(keep, maxParents-1)], s)
	b.fresh = true
}

// same is the index of the open section with this style, or -1.
func (b *builder) same(st style) int {
	for i := len(b.sections) - 1; i >= 0; i-- {
		if b.sections[i].style == st && !(b.fresh && i == len(b.sections)-1) {
			return i
		}
	}
	return -1
}

// close ends the section that a row "Total current assets" sums up. A total of something else
// ends the innermost one, before the row itself.
func (b *builder) close(row *Row) {
	if len(b.sections) == 0 || !sums[firstWord(row.Label)] {
		return
	}
	words := contentWords(row.Label)
	for i := len(b.sections) - 1; i >= 0; i-- {
		if contains(words, contentWords(b.sections[i].title)) {
			row.Parents = append(b.parents(i+1), row.Parents[len(row.Parents)-row.Merged:]...)
			b.sections = b.sections[:i]
			return
		}
	}
}

// sums are the first words of a row that may sum up a section.
var sums = map[string]bool{"total": true, "totals": true, "net": true, "subtotal": true, "итого": true, "всего": true, "summe": true, "gesamt": true}

// filler are words that two names of the same thing need not share.
var filler = map[string]bool{"the": true, "and": true, "from": true, "for": true, "flows": true, "flow": true, "total": true, "net": true, "итого": true, "всего": true}

// contentWords are the words of a label that carry meaning, in lower case.
func contentWords(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(cut(s, 300)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(w) > 2 && !filler[w] {
			m[w] = true
		}
	}
	return m
}

// contains reports whether all words of part, at least one, are among those of whole.
func contains(whole, part map[string]bool) bool {
	for w := range part {
		if !whole[w] {
			return false
		}
	}
	return len(part) > 0
}

// minCaps is the least length of a title whose capitals say more than "DTD" or "U.S.".
const minCaps = 6

func styleOf(title string, bold bool) style {
	s := style{bold: bold, caps: len(title) >= minCaps && strings.ToUpper(title) == title && strings.ToLower(title) != title}
	if strings.HasPrefix(strings.ToLower(title), "cash flow") {
		s.bold = true
	}
	if n := len(title); n > 0 {
		switch c := title[n-1]; {
		case c == ':':
			s.end = ':'
		case strings.HasSuffix(title, "–") || strings.HasSuffix(title, "—") || c == '-':
			s.end = '-'
		}
	}
	return s
}

// rank orders styles: loud ones stand higher.
func (s style) rank() int {
	switch {
	case s.caps || s.bold:
		return 0
	case s.end == '-':
		return 2
	}
	return 1
}

// takeLabel finds the label: the first text, before any value. A cell that spans rows heads the
// text after it and is a parent of it.
func (row *Row) takeLabel(r *gridRow) (parents []string, bold bool) {
	for i := range r.cells {
		c := &r.cells[i]
		if c.text == "" {
			continue
		}
		if c.col > 0 && (isNumber(c.text) || c.col > 2) {
			return parents, bold
		}
		if next := nextText(r, i); c.merged && next != nil && !isNumber(next.text) && len(parents) < maxParents {
			parents = append(parents, c.text)
			continue
		}
		row.Label, row.LabelCell, bold = c.text, c.cell(), c.bold
		return parents, bold
	}
	return parents, bold
}

func nextText(r *gridRow, i int) *gridCell {
	for i++; i < len(r.cells); i++ {
		if r.cells[i].text != "" {
			return &r.cells[i]
		}
	}
	return nil
}

func (c *gridCell) cell() Cell {
	return Cell{Text: c.text, Line: c.line, Column: c.col + 1, Span: c.span, Carried: c.carried}
}

// takeValues collects the cells after the label and joins split ones.
func (row *Row) takeValues(r *gridRow) {
	labelled := row.LabelCell.Column == 0
	open := -1 // place of a currency sign that waits for its number
	for i := range r.cells {
		c := &r.cells[i]
		if c.text == "" || c.merged && !labelled && c.col+1 < row.LabelCell.Column {
			continue
		}
		if !labelled {
			labelled = c.col+1 == row.LabelCell.Column
			continue
		}
		last := len(row.Cells) - 1
		switch {
		case open == last && open >= 0 && isNumber(c.text):
			row.Cells[last].join(c)
			open = -1
		case isSuffix(c.text) && last >= 0 && hasDigit(row.Cells[last].Text):
			row.Cells[last].join(c)
		default:
			row.Cells = append(row.Cells, c.cell())
			if isCurrency(c.text) {
				open = last + 1
			}
		}
	}
}

// join adds the text of the next cell.
func (c *Cell) join(next *gridCell) {
	c.Text += next.text
	c.Span = next.col + next.span - c.Column + 1
}

// linesOf is the range of lines of some rows.
func linesOf(rows []gridRow) doc.Lines {
	if len(rows) == 0 {
		return doc.Lines{}
	}
	return doc.Lines{Start: rows[0].lines.Start, End: rows[len(rows)-1].lines.End}
}
