package chunker

import (
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// runes is the cost of text in characters.
func runes(s string) int { return utf8.RuneCountInString(s) }

// packer gathers the lines of a body into groups of about target, never more than limit.
type packer struct {
	body          *body
	target, limit int
	step          int  // bytes of a line that is cut before it is counted
	sentences     bool // a line that is too long is cut at each of its sentences
	overlap       int  // cost of the end of a group that the next one repeats
	cost          func(string) int
	pieces        []piece
	heads         map[int]int // cost of headers
}

// pack calls out for each group in order, with the sum of its costs.
func (p *packer) pack(out func(text string, lines doc.Lines, cost int)) {
	p.cut()
	rest := p.wholes()
	for from := 0; from < len(p.pieces); {
		sum := p.lead(from)
		to := from
		for to < len(p.pieces) && (to == from || sum+p.pieces[to].cost <= p.target) {
			if to > from && p.breaksBefore(to, sum, rest) {
				break
			}
			sum += p.pieces[to].cost
			to++
		}
		if more, ok := p.fits(to, sum); ok {
			to, sum = len(p.pieces), more
		}
		text, lines := p.text(from, to)
		out(text, lines, sum)
		from = p.next(from, to)
	}
}

// cut makes pieces of the lines.
func (p *packer) cut() {
	p.pieces = make([]piece, 0, len(p.body.lines))
	p.heads = map[int]int{}
	for _, l := range p.body.lines {
		text := p.body.text[l.start:l.end]
		one := piece{start: l.start, end: l.end, lines: l.lines, head: l.head, table: l.table}
		if len(text) <= p.step {
			if one.cost = p.cost(text) + 1; one.cost <= p.target {
				p.pieces = append(p.pieces, one)
				continue
			}
		}
		at := l.start
		for i, part := range split(text, p.target-1, p.step, p.sentences, p.cost) {
			one.start, one.end, one.glue = at, at+len(part), i > 0
			one.cost = p.cost(part) + 1
			at = one.end
			p.pieces = append(p.pieces, one)
		}
	}
}

// wholes gives for the first piece of each table what the whole table costs.
func (p *packer) wholes() map[int]int {
	sums := map[int]int{}
	for i := len(p.pieces) - 1; i >= 0; i-- {
		if t := p.pieces[i].table; t >= 0 {
			sums[t] += p.pieces[i].cost
		}
	}
	return sums
}

// breaksBefore reports whether a group should end before piece i: a table begins there that does
// not fit any more but fits whole into the next group.
func (p *packer) breaksBefore(i, sum int, wholes map[int]int) bool {
	t := p.pieces[i].table
	if t < 0 || p.pieces[i-1].table == t || p.pieces[i].glue {
		return false
	}
	return sum+wholes[t] > p.limit && wholes[t] <= p.limit && sum > p.target/4
}

// lead is the cost of the header that a group from piece i repeats; 0 when it would take more
// than a third of the group, then it is left out.
func (p *packer) lead(i int) int {
	h := p.pieces[i].head
	if h < 0 || p.body.heads[h] == "" {
		return 0
	}
	c, ok := p.heads[h]
	if !ok {
		c = p.target
		if head := p.body.heads[h]; len(head) <= 8*p.target {
			c = p.cost(head)
		}
		p.heads[h] = c
	}
	if c > p.target/3 || c+p.pieces[i].cost > p.limit {
		return 0
	}
	return c
}

// fits reports whether what is left from piece i on is so little that it goes into this group,
// and the cost then.
func (p *packer) fits(i, sum int) (int, bool) {
	start := sum
	for ; i < len(p.pieces); i++ {
		if sum += p.pieces[i].cost; sum > p.limit || sum-start > p.target/4 {
			return 0, false
		}
	}
	return sum, true
}

// next is the first piece of the group after from..to: with an overlap, some pieces before to.
func (p *packer) next(from, to int) int {
	if p.overlap == 0 || to >= len(p.pieces) {
		return to
	}
	sum, at := 0, to
	for at-1 > from && sum+p.pieces[at-1].cost <= p.overlap {
		at--
		sum += p.pieces[at].cost
	}
	return at
}

// text is the text of the group and its lines.
func (p *packer) text(from, to int) (string, doc.Lines) {
	first, last := &p.pieces[from], &p.pieces[to-1]
	lines := doc.Lines{Start: first.lines.Start, End: first.lines.End}
	for i := from; i < to; i++ {
		lines.Start, lines.End = min(lines.Start, p.pieces[i].lines.Start), max(lines.End, p.pieces[i].lines.End)
	}
	text := p.body.text[first.start:last.end]
	if p.lead(from) > 0 {
		text = p.body.heads[first.head] + text
	}
	return text, lines
}
