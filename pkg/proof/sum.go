package proof

import (
	"math/big"
	"slices"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/value"
)

// sum is a computation that a statement shows: "(5.2 - 4.1) / 4.1 = 26.8%". Its operands are proven like any number of the
// statement; constants of the formula, "x 100", are not.
type sum struct {
	first     int   // of the statement's numbers: the first operand
	result    int   // of the statement's numbers
	constants []int // of the statement's numbers
	right     bool
}

// computes reports whether a number is the right result of a computation shown, or a constant in one.
func (cl *claim) computes(n *number) bool {
	i := slices.IndexFunc(cl.numbers, func(o number) bool { return o.Start == n.Start })
	return slices.ContainsFunc(cl.sums, func(s sum) bool { return s.right && s.result == i || slices.Contains(s.constants, i) })
}

// sums refuses a statement whose arithmetic is wrong.
func (c *Checker) sums(cl *claim, _ []*evidence, s *Statement) {
	for _, k := range cl.sums {
		if !k.right {
			s.Fault, s.About = NoSum, cl.numbers[k.result].words
			return
		}
	}
}

// sumsIn finds each equals sign with an expression before it and a number right behind it.
func sumsIn(s string, all []number) (out []sum) {
	for at, r := range s {
		if r != '=' && r != '≈' {
			continue
		}
		behind := slices.IndexFunc(all, func(n number) bool { return n.Start > at })
		if behind < 0 || strings.IndexFunc(s[at+len(string(r)):all[behind].Start], isWord) >= 0 {
			continue
		}
		if e := expressionBefore(s[:at], all[:behind]); len(e.tokens) > 2 {
			if x, ok := e.value(); ok {
				out = append(out, sum{first: e.first, result: behind, constants: e.constants, right: results(&all[behind], x)})
			}
		}
	}
	return out
}

func isWord(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '=' }

// results reports whether a stated number is a result, as it is or as a percentage of one.
func results(n *number, x *big.Rat) bool {
	if n.rounds(x, n.Scale) {
		return true
	}
	return n.Percent && value.Rounds(n.Number, n.Places, new(big.Rat).Mul(x, big.NewRat(100, 1)))
}

// token is an operator, a parenthesis, or a number ('n').
type token struct {
	op rune
	n  *big.Rat
}

type expression struct {
	tokens    []token
	constants []int
	first     int // the number that it begins with
	at        int
	depth     int
}

// expressionBefore is the longest run of numbers, operators and parentheses that ends where s ends.
func expressionBefore(s string, all []number) *expression {
	e := &expression{}
	for i := 0; i < len(s); {
		if k := slices.IndexFunc(all, func(n number) bool { return n.Start <= i && i < n.End }); k >= 0 {
			e.number(k, &all[k])
			i = all[k].End
			continue
		}
		r := []rune(s[i:min(len(s), i+4)])[0]
		i += len(string(r))
		e.sign(r)
	}
	return e
}

func (e *expression) number(k int, n *number) {
	if len(e.tokens) > 0 && e.tokens[len(e.tokens)-1].op == 'n' { // two numbers without an operator: the former is not of it
		*e = expression{}
	}
	if !slices.ContainsFunc(e.tokens, func(t token) bool { return t.op == 'n' }) {
		e.first = k
	}
	x := n.Amount()
	if n.Percent {
		x.Quo(x, big.NewRat(100, 1))
	}
	if len(e.tokens) > 0 && strings.ContainsRune("*/", e.tokens[len(e.tokens)-1].op) && slices.Contains(constants, n.words) {
		e.constants = append(e.constants, k)
	}
	e.tokens = append(e.tokens, token{'n', x})
}

// constants are the numbers of formulas: averages, months, quarters, days, percent.
var constants = []string{"2", "3", "4", "5", "12", "100", "360", "365", "1,000", "1000"}

func (e *expression) sign(r rune) {
	switch r {
	case ' ', '\t', '$', '€', '£', '\u00a0', '\u202f':
		return
	case '×', 'x', '·', '*':
		r = '*'
	case '÷', '/':
		r = '/'
	case '−', '–', '-':
		r = '-'
	case '+', '(', ')':
	default: // words end it
		*e = expression{}
		return
	}
	e.tokens = append(e.tokens, token{op: r})
}

// value computes it; false when it is none: an operator misses a number, or a division by nought.
func (e *expression) value() (*big.Rat, bool) {
	x, ok := e.terms()
	return x, ok && e.at == len(e.tokens)
}

func (e *expression) next(ops string) rune {
	if e.at < len(e.tokens) && strings.ContainsRune(ops, e.tokens[e.at].op) {
		e.at++
		return e.tokens[e.at-1].op
	}
	return 0
}

func (e *expression) terms() (*big.Rat, bool) {
	x, ok := e.factors()
	for ok {
		op := e.next("+-")
		if op == 0 {
			break
		}
		var y *big.Rat
		if y, ok = e.factors(); ok && op == '+' {
			x.Add(x, y)
		} else if ok {
			x.Sub(x, y)
		}
	}
	return x, ok
}

func (e *expression) factors() (*big.Rat, bool) {
	x, ok := e.factor()
	for ok {
		op := e.next("*/")
		if op == 0 {
			break
		}
		y, good := e.factor()
		if !good || op == '/' && y.Sign() == 0 {
			return nil, false
		}
		if op == '*' {
			x.Mul(x, y)
		} else {
			x.Quo(x, y)
		}
	}
	return x, ok
}

// mostDeep bounds parentheses within parentheses.
const mostDeep = 20

func (e *expression) factor() (*big.Rat, bool) {
	if e.depth++; e.depth > mostDeep {
		return nil, false
	}
	defer func() { e.depth-- }()
	switch {
	case e.next("-") != 0:
		x, ok := e.factor()
		if ok {
			x.Neg(x)
		}
		return x, ok
	case e.next("(") != 0:
		x, ok := e.terms()
		return x, ok && e.next(")") != 0
	case e.next("n") != 0:
		return new(big.Rat).Set(e.tokens[e.at-1].n), true
	}
	return nil, false
}
