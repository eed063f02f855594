package proof

import (
	"math/big"
	"strconv"

	"github.com/fingerpost/fingerpost/pkg/value"
	"github.com/fingerpost/fingerpost/pkg/words"
)

// numbers looks for each number of the statement: computed by our code, in a cell that the statement speaks of, or in a sentence
// that does.
func (c *Checker) numbers(cl *claim, from []*evidence, s *Statement) {
	for i := range cl.numbers {
		n := &cl.numbers[i]
		if c.isComputed(n) || cl.computes(n) {
			continue
		}
		ev, fault := prove(cl, n, from)
		if fault != "" {
			s.Fault, s.About = fault, n.words
			return
		}
		s.Evidence = append(s.Evidence, ev)
	}
}

// number is the place that proves a number, or the mildest reason why none does.
func prove(cl *claim, n *number, from []*evidence) (Evidence, Fault) {
	fault := NoNumber
	for _, e := range from {
		for i := range e.cells {
			f := &e.cells[i]
			switch why := inCell(cl, n, f, e); {
			case why == "":
				return Evidence{Section: e.N, Lines: f.Lines, Spot: f.Spot}, ""
			case why != NoNumber:
				fault = why
			}
		}
		for _, p := range e.prose {
			switch why := inProse(cl, n, p); {
			case why == "":
				return Evidence{Section: e.N, Lines: p.lines}, ""
			case why != NoNumber:
				fault = why
			}
		}
	}
	return Evidence{}, fault
}

// inCell judges whether the number is that of a cell: its amount, its period, its row.
func inCell(cl *claim, n *number, f *fact, e *evidence) Fault {
	if why := amount(cl, n, f); why != "" {
		return why
	}
	if !meet(n.years, f.years) || cl.span != 0 && f.span != 0 && cl.span != f.span {
		return OtherTime
	}
	own, asked := cl.fits(f)
	if own == 0 && asked == 0 && e.rows(f.sheet) > 1 {
		return OtherRow
	}
	for i := range e.cells {
		if o := &e.cells[i]; o.sheet == f.sheet && o.better(f, cl, own) {
			if o.Spot.Row != f.Spot.Row {
				return OtherRow
			}
			return OtherTime
		}
	}
	return ""
}

// fits is how many words of a row's name the statement and the question say.
func (cl *claim) fits(f *fact) (own, asked int) {
	return common(f.row, cl.terms), common(f.row, cl.asked)
}

// better reports whether the statement describes another cell and not this one: it says all of the other's label, and more of
// it; or in the same row all of the other's headers, and less of this one's.
func (o *fact) better(f *fact, cl *claim, own int) bool {
	if o.Spot.Row == f.Spot.Row {
		ours, theirs := common(f.headers, cl.terms), common(o.headers, cl.terms)
		return o.Spot.Column != f.Spot.Column && theirs > 0 && theirs == len(o.headers) && theirs > ours
	}
	said := common(o.label, cl.terms)
	if len(o.label) == 0 || said < len(o.label) || same(o, f) {
		return false
	}
	return common(o.row, cl.terms) > own && common(f.label, cl.terms) < len(f.label)
}

func same(a, b *fact) bool {
	x, y := a.Amount(), b.Amount()
	return x != nil && y != nil && x.Cmp(y) == 0
}

// rows is how many rows with a label a table has.
func (e *evidence) rows(sheet int) int {
	seen := map[int]bool{}
	for i := range e.cells {
		if f := &e.cells[i]; f.sheet == sheet && len(f.label) > 0 {
			seen[f.Spot.Row] = true
		}
	}
	return len(seen)
}

// amount compares a stated number with a cell: as it is printed there, or in units.
func amount(cl *claim, n *number, f *fact) Fault {
	v := f.Value
	if v.Number == nil || n.Percent != f.Percent() {
		return NoNumber
	}
	exact := f.Amount()
	if n.Percent {
		return equal(cl, n, f, v.Number, 1)
	}
	if equal(cl, n, f, exact, n.Scale) == "" {
		return ""
	}
	if f.Factor() == 1 || equal(cl, n, f, v.Number, 1) != "" {
		return NoNumber
	}
	// As it is printed: in the table's own scale, when the statement names no other.
	if n.Scale == 1 && (n.Currency == "" || value.ScaleIn(cl.text) == f.Factor()) {
		return ""
	}
	return OtherScale
}

// equal compares, with the sign: a number in parentheses may be said without one where a word says the direction.
func equal(cl *claim, n *number, f *fact, exact *big.Rat, scale int64) Fault {
	if n.rounds(exact, scale) {
		return ""
	}
	turned := new(big.Rat).Neg(exact)
	if exact.Sign() < 0 && n.Number.Sign() > 0 && (n.bracketed || cl.less || falls(f.Row())) && n.rounds(turned, scale) {
		return ""
	}
	if exact.Sign() > 0 && n.Number.Sign() < 0 && falls(f.Row()) && n.rounds(turned, scale) {
		return "" // "costs of (5)"
	}
	return NoNumber
}

// inProse judges whether the number is one of a sentence that speaks of the same.
func inProse(cl *claim, n *number, p sentence) Fault {
	fault := NoNumber
	for i := range p.numbers {
		m := &p.numbers[i]
		if n.Percent != m.Percent || !alike(cl, n, m, p) {
			continue
		}
		switch {
		case !meet(n.years, m.years):
			fault = OtherTime
		case common(cl.terms, p.terms)+common(cl.asked, p.terms) < 1+min(1, len(cl.terms)/3):
			fault = OtherRow
		case p.other(i, n, cl):
			fault = OtherRow
		default:
			return ""
		}
	}
	return fault
}

func alike(cl *claim, n, m *number, p sentence) bool {
	if m.Number == nil {
		return false
	}
	exact := m.Amount()
	if n.rounds(exact, n.Scale) {
		return true
	}
	return (n.bracketed || cl.less || falls(p.text)) && n.rounds(exact.Neg(exact), n.Scale)
}

// other reports whether the words right before another number of the sentence are said, and of those before this one none.
func (p sentence) other(i int, n *number, cl *claim) bool {
	own := common(p.before(i), cl.terms)
	if own > 0 {
		return false
	}
	for j := range p.numbers {
		if j != i && !n.rounds(p.numbers[j].Amount(), n.Scale) && common(p.before(j), cl.terms) > 1 {
			return true
		}
	}
	return false
}

// before is the terms between a number and the one before it.
func (p sentence) before(i int) map[string]bool {
	from := 0
	if i > 0 {
		from = p.numbers[i-1].End
	}
	return set(words.Analyze(p.text[from:p.numbers[i].Start], p.language))
}

func itoa(n int) string { return strconv.Itoa(n) }
