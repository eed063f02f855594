package formula

import (
	"fmt"
	"math/big"
	"strings"
	"unicode"
)

// expr is an expression of formulas.txt, a tree.
type expr struct {
	op    byte // '+', '-', '*', '/'; 'n' a number, 'l' a line, 'f' a function
	a, b  *expr
	n     *big.Rat
	name  string // of a line or a function
	maybe bool   // a line that counts nought where it is missing
}

// parser reads an expression.
type parser struct {
	s     string
	at    int
	lines map[string]*Line
}

// parse reads an expression over the lines. The error says what is wrong with it.
func parse(s string, lines map[string]*Line) (*expr, error) {
	p := parser{s: s, lines: lines}
	e, err := p.sum()
	if err == nil && p.peek() != 0 {
		err = fmt.Errorf("unexpected %q", p.s[p.at:])
	}
	if err != nil {
		return nil, fmt.Errorf("expression %q: %w", s, err)
	}
	return e, nil
}

func (p *parser) peek() byte {
	for p.at < len(p.s) && p.s[p.at] == ' ' {
		p.at++
	}
	if p.at == len(p.s) {
		return 0
	}
	return p.s[p.at]
}

func (p *parser) sum() (*expr, error) { return p.chain("+-", p.product) }

func (p *parser) product() (*expr, error) { return p.chain("*/", p.factor) }

func (p *parser) chain(ops string, next func() (*expr, error)) (*expr, error) {
	e, err := next()
	for err == nil {
		c := p.peek()
		if c == 0 || strings.IndexByte(ops, c) < 0 {
			break
		}
		p.at++
		var b *expr
		if b, err = next(); err == nil {
			e = &expr{op: c, a: e, b: b}
		}
	}
	return e, err
}

func (p *parser) factor() (*expr, error) {
	c := p.peek()
	switch {
	case c == '(':
		p.at++
		e, err := p.sum()
		return e, p.closed(err)
	case c >= '0' && c <= '9':
		start := p.at
		for p.at < len(p.s) && (p.s[p.at] >= '0' && p.s[p.at] <= '9' || p.s[p.at] == '.') {
			p.at++
		}
		n, ok := new(big.Rat).SetString(p.s[start:p.at])
		if !ok {
			return nil, fmt.Errorf("%q is no number", p.s[start:p.at])
		}
		return &expr{op: 'n', n: n}, nil
	}
	start := p.at
	for p.at < len(p.s) && (unicode.IsLetter(rune(p.s[p.at])) || p.s[p.at] == ' ' || p.s[p.at] == '-' && p.at+1 < len(p.s) && p.s[p.at+1] != ' ') {
		p.at++
	}
	name := strings.TrimSpace(p.s[start:p.at])
	if p.peek() == '(' && (name == "avg" || name == "prev" || name == "abs") {
		p.at++
		e, err := p.sum()
		return &expr{op: 'f', name: name, a: e}, p.closed(err)
	}
	if p.lines[name] == nil {
		return nil, fmt.Errorf("no line %q", name)
	}
	e := &expr{op: 'l', name: name}
	if p.peek() == '?' {
		p.at++
		e.maybe = true
	}
	return e, nil
}

func (p *parser) closed(err error) error {
	if err == nil && p.peek() != ')' {
		return fmt.Errorf("a parenthesis is not closed")
	}
	p.at++
	return err
}

// names is the lines of an expression, each once, in order.
func (e *expr) names() (out []string) {
	var walk func(*expr)
	seen := map[string]bool{}
	walk = func(e *expr) {
		if e == nil {
			return
		}
		if e.op == 'l' && !seen[e.name] {
			seen[e.name] = true
			out = append(out, e.name)
		}
		walk(e.a)
		walk(e.b)
	}
	walk(e)
	return out
}
