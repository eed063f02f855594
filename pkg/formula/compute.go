package formula

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/value"
)

// Operand is a line as it was found.
type Operand struct {
	Number   *big.Rat // in units of one
	Text     string   // as it stands in the document
	Currency string   // ISO code; "" when not known
	Ref      any      // the caller's own
}

// Find gives a line for a year; nil when it is not there.
type Find func(l *Line, year int) *Operand

// Result is what was computed.
type Result struct {
	Number  *big.Rat
	Formula string // in words
	Filled  string // with the numbers as they stand
	Used    []*Operand
}

// ErrMissing says that a line was not found; the error names it.
var ErrMissing = errors.New("is not in the statements")

// ErrMixed says that lines are in different currencies.
var ErrMixed = errors.New("the lines are in different currencies")

// At computes the metric for a year: by the first of its expressions of which every line is found.
func (m *Metric) At(year int, find Find) (r Result, err error) {
	for i, e := range m.is {
		c := computation{find: find}
		var p part
		if p, err = c.eval(e, year); err == nil {
			if err = c.mixed(); err != nil {
				return r, err
			}
			return Result{p.n, m.text[i], p.text, c.used}, nil
		}
	}
	return r, err
}

// computation gathers what it used.
type computation struct {
	find  Find
	used  []*Operand
	depth int
}

func (c *computation) mixed() error {
	code := ""
	for _, o := range c.used {
		if o.Currency != "" && code != "" && o.Currency != code {
			return fmt.Errorf("%w: %s and %s", ErrMixed, code, o.Currency)
		}
		if o.Currency != "" {
			code = o.Currency
		}
	}
	return nil
}

// part is a value and its text; op is what binds the text last, 0 when nothing does.
type part struct {
	n    *big.Rat
	text string
	op   byte
}

// within is the text as a part of a longer one, in parentheses where these change what is meant.
func (p part) within(op byte, right bool) string {
	if p.op != 0 && (binds(p.op) < binds(op) || right && binds(p.op) == binds(op) && (op == '-' || op == '/')) {
		return "(" + p.text + ")"
	}
	return p.text
}

func binds(op byte) int {
	if op == '*' || op == '/' {
		return 2
	}
	return 1
}

// eval is e for a year.
func (c *computation) eval(e *expr, year int) (part, error) {
	switch e.op {
	case 'n':
		return part{n: e.n, text: value.Exact(e.n)}, nil
	case 'l':
		return c.line(e, year)
	case 'f':
		return c.function(e, year)
	}
	a, err := c.eval(e.a, year)
	if err != nil {
		return a, err
	}
	b, err := c.eval(e.b, year)
	if err != nil {
		return b, err
	}
	if b.text == "" && (e.op == '+' || e.op == '-') { // an optional line that is not there
		return a, nil
	}
	if a.text == "" && e.op == '+' {
		return b, nil
	}
	n := new(big.Rat)
	switch e.op {
	case '+':
		n.Add(a.n, b.n)
	case '-':
		n.Sub(a.n, b.n)
	case '*':
		n.Mul(a.n, b.n)
	case '/':
		if b.n.Sign() == 0 {
			return part{}, fmt.Errorf("%s is nought, and nothing can be divided by it", b.text)
		}
		n.Quo(a.n, b.n)
	}
	return part{n, a.within(e.op, false) + " " + string(e.op) + " " + b.within(e.op, true), e.op}, nil
}

// maxInstead bounds lines that are given by other lines.
const maxInstead = 3

func (c *computation) line(e *expr, year int) (part, error) {
	l := lines[e.name]
	if o := c.find(l, year); o != nil {
		if !slices.Contains(c.used, o) {
			c.used = append(c.used, o)
		}
		return part{n: o.Number, text: bracket(o.Text)}, nil
	}
	if l.instead != nil && c.depth < maxInstead {
		c.depth++
		p, err := c.eval(l.instead, year)
		c.depth--
		if err == nil {
			return p, nil
		}
	}
	if e.maybe {
		return part{n: new(big.Rat)}, nil
	}
	return part{}, fmt.Errorf("%s of %d %w", l.Name, year, ErrMissing)
}

// bracket keeps the sign of a number together with it.
func bracket(s string) string {
	if strings.HasPrefix(s, "-") {
		return "(" + s + ")"
	}
	return s
}

func (c *computation) function(e *expr, year int) (part, error) {
	switch e.name {
	case "prev":
		return c.eval(e.a, year-1)
	case "abs":
		p, err := c.eval(e.a, year)
		if err != nil || p.n.Sign() >= 0 {
			return p, err
		}
		return part{n: new(big.Rat).Neg(p.n), text: strings.Trim(strings.TrimLeft(p.text, "($€£-−"), ")")}, nil
	}
	a, err := c.eval(e.a, year)
	if err != nil {
		return a, err
	}
	b, err := c.eval(e.a, year-1)
	if err != nil {
		return b, err
	}
	n := new(big.Rat).Add(a.n, b.n)
	return part{n: n.Quo(n, big.NewRat(2, 1)), text: "((" + a.within('+', false) + " + " + b.within('+', true) + ") / 2)"}, nil
}
