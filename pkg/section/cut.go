package section

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/plain"
)

// block is a piece of a section that is kept or left out as one: a paragraph, a table row, a list item.
type block struct {
	from, to int // bytes of Source.Text, half-open
	lines    doc.Lines
	shown    string
	size     int // characters of shown, its line end included
	head     int // index of the block with the table's header; -1: none
}

// part is a run of blocks that is rated as one: half-open indices.
type part struct{ from, to, size int }

// Cut cuts one section to the budget (clean characters).
func Cut(s Source, score Scorer, budget int) Section {
	if s.Score == nil {
		s.Score = score
	}
	return cut(s, budget, headMax+stubMark)
}

// maxRaw bounds the verbatim text of a section, in bytes: markup without words (a megabyte of "> ") is shown as little
// and would be a reply of its own.
const maxRaw = 64 << 10

// cut cuts a section to the budget; where that is too little it is heading and pointer, of room characters.
func cut(s Source, budget, room int) Section {
	out := fit(s, budget, room)
	if len(out.Text) > maxRaw {
		end := maxRaw
		for !utf8.RuneStart(out.Text[end]) {
			end--
		}
		out.Text, out.Cut = out.Text[:end]+"\n"+s.mark(s.Lines), true
	}
	return out
}

func fit(s Source, budget, room int) Section {
	if len(s.Text) > MaxText && budget >= least {
		return s.part(budget)
	}
	if len(s.Text) <= MaxText {
		if shown := plain.Text(s.Text); utf8.RuneCountInString(shown) <= budget {
			return Section{Text: string(s.Text), Shown: shown, Kept: []doc.Lines{s.Lines}}
		}
	}
	if budget < least {
		return s.stub(room)
	}
	size := min(partSize, budget*2/5)
	blocks := split(s, size)
	if len(blocks) == 0 {
		return s.stub(room)
	}
	mark := utf8.RuneCountInString(s.mark(s.Lines)) + 1
	c := cutting{s: s, blocks: blocks, kept: make([]bool, len(blocks)), mark: mark, left: budget + 1 - mark}
	c.title()
	c.choose(parts(blocks, 1, size), s.Score)
	return c.section()
}

// part cuts MaxText bytes of a longer section, whole lines where there are any, around s.Around.
func (s Source) part(budget int) Section {
	from := max(0, min(s.Around-MaxText/2, len(s.Text)-MaxText))
	if n := bytes.LastIndexByte(s.Text[:from], '\n'); n >= 0 && from-n < MaxText/2 {
		from = n + 1
	}
	to := min(from+MaxText, len(s.Text))
	if n := bytes.LastIndexByte(s.Text[from:to], '\n'); n >= 0 && to < len(s.Text) {
		to = from + n + 1
	}
	near, before := s, s
	near.Text = s.Text[from:to]
	near.Lines.Start += bytes.Count(s.Text[:from], []byte("\n"))
	near.Lines.End = near.Lines.Start + max(0, bytes.Count(near.Text, []byte("\n"))-1)
	before.Lines.End = near.Lines.Start - 1
	after := s
	after.Lines.Start = near.Lines.End + 1
	lead, tail := "", ""
	if before.Lines.End >= before.Lines.Start {
		lead = s.mark(before.Lines) + "\n"
	}
	if after.Lines.Start <= after.Lines.End {
		tail = "\n" + s.mark(after.Lines)
	}
	marks := utf8.RuneCountInString(lead + tail)
	sec := cut(near, budget-marks, budget-marks)
	sec.Text, sec.Shown, sec.Cut = lead+sec.Text+tail, lead+sec.Shown+tail, true
	return sec
}

// show joins the renderings of blocks.
func show(blocks []block) string {
	var sb strings.Builder
	for _, b := range blocks {
		sb.WriteString(b.shown)
		sb.WriteByte('\n')
	}
	return strings.TrimRight(sb.String(), "\n")
}

// parts groups the blocks from index first on into runs of at most size, where a block is not longer; a part never joins rows of
// two tables or rows and prose.
func parts(blocks []block, first, size int) []part {
	var ps []part
	for i := first; i < len(blocks); i++ {
		n := len(ps) - 1
		if n >= 0 && ps[n].size+blocks[i].size <= size && blocks[i].head == blocks[i-1].head {
			ps[n].to, ps[n].size = i+1, ps[n].size+blocks[i].size
			continue
		}
		ps = append(ps, part{i, i + 1, blocks[i].size})
	}
	return ps
}

// cutting is a section being cut.
type cutting struct {
	s      Source
	blocks []block
	kept   []bool
	mark   int // characters of the longest mark, its line end included
	left   int // characters of the budget left
}

// title keeps the heading.
func (c *cutting) title() {
	b := &c.blocks[0]
	b.shown = clip(b.shown, headMax)
	b.size = utf8.RuneCountInString(b.shown) + 1
	c.keep(0)
}

func (c *cutting) keep(i int) {
	if !c.kept[i] {
		c.kept[i] = true
		c.left -= c.blocks[i].size
	}
}

// choose keeps the best parts, best first, that fit; earlier ones first among equals.
func (c *cutting) choose(ps []part, score Scorer) {
	texts := make([]string, len(ps))
	for i, p := range ps {
		texts[i] = show(c.blocks[p.from:p.to])
	}
	ratings, order := score(texts), make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ratings[b], ratings[a]) })
	for _, i := range order {
		c.part(ps[i])
	}
}

// part keeps a part, and the header of its rows, when there is room for both and for the marks before
// them.
func (c *cutting) part(p part) {
	room, size := c.mark, 0
	for j := p.from; j < p.to; j++ {
		if !c.kept[j] {
			size += c.blocks[j].size
		}
	}
	head := c.blocks[p.from].head
	if head >= 0 && !c.kept[head] {
		room += c.mark
		size += c.blocks[head].size
	}
	if room+size > c.left {
		return
	}
	c.left -= room
	if head >= 0 {
		c.keep(head)
	}
	for j := p.from; j < p.to; j++ {
		c.keep(j)
	}
}

// section puts the kept blocks together, in reading order, with marks between them.
func (c *cutting) section() Section {
	out := Section{Cut: true}
	var text, shown strings.Builder
	at := 0 // bytes of the Source written: rows on one line are written once
	for i := 0; i < len(c.blocks); {
		j := i
		for j < len(c.blocks) && c.kept[j] == c.kept[i] {
			j++
		}
		lines := doc.Lines{Start: c.blocks[i].lines.Start, End: c.blocks[j-1].lines.End}
		if c.kept[i] {
			out.Kept = append(out.Kept, lines)
			at = c.s.write(&text, max(at, c.blocks[i].from), c.blocks[j-1].to)
			shown.WriteString(show(c.blocks[i:j]))
		} else {
			text.WriteString(c.s.mark(lines))
			shown.WriteString(c.s.mark(lines))
			text.WriteByte('\n')
		}
		shown.WriteByte('\n')
		i = j
	}
	out.Text, out.Shown = strings.TrimRight(text.String(), "\n"), strings.TrimRight(shown.String(), "\n")
	return out
}

// write appends the bytes of the Source, ended by a line end, and returns how far it is written.
func (s Source) write(sb *strings.Builder, from, to int) int {
	if from >= to {
		return from
	}
	sb.Write(s.Text[from:to])
	if s.Text[to-1] != '\n' {
		sb.WriteByte('\n')
	}
	return to
}

// stubMark is about the length of a mark with a pointer, in characters.
const stubMark = 200

// stub is a section for which there is no room: its heading and where it stands, in so many characters of Shown. The
// pointer gives way to the lines first, then the heading, then the lines.
func (s Source) stub(room int) Section {
	out := Section{Cut: true}
	var title, head string
	if line, _, _ := bytes.Cut(s.Text[:min(len(s.Text), 16*headMax)], []byte("\n")); len(line) > 0 {
		out.Kept = []doc.Lines{{Start: s.Lines.Start, End: s.Lines.Start}}
		title = strings.TrimRight(string(line), "\r")
		title = title[:offset(title, headMax)] + "\n"
		head = clip(plain.Text(line), headMax)
	}
	mark := s.mark(s.Lines)
	out.Text = title + mark
	if utf8.RuneCountInString(head)+1+utf8.RuneCountInString(mark) > room {
		s.Pointer = nil
		mark = s.mark(s.Lines)
	}
	left := room - utf8.RuneCountInString(mark) - 1
	if utf8.RuneCountInString(head) > left {
		head = clip(head, max(left-len("..."), 0))
	}
	switch {
	case left < 0:
		out.Shown = mark[:offset(mark, max(room, 0))]
	case head == "" || left < len("..."):
		out.Shown = mark
	default:
		out.Shown = head + "\n" + mark
	}
	return out
}

// mark stands for lines that are left out: "[... #L12-40]".
func (s Source) mark(l doc.Lines) string {
	if s.Pointer != nil {
		return "[... " + s.Pointer(l) + "]"
	}
	return fmt.Sprintf("[... #L%d-%d]", l.Start, l.End)
}
