package value

import (
	"math/big"
	"strings"
	"unicode"
	"unicode/utf8"
)

// parser reads one value from the start of s.
type parser struct {
	s          string
	at         int
	convention Convention
	cell       bool // s is nothing but the value: what is behind it is its unit or its notes
	open       bool // a parenthesis stands before the number and is not closed
	closed     bool // it was closed behind it
	minus      bool
}

func (p *parser) rest() string { return p.s[p.at:] }

func (p *parser) blanks() {
	p.at = len(p.s) - len(strings.TrimLeftFunc(p.rest(), unicode.IsSpace))
}

// value reads a number or a range with all that belongs to it.
func (p *parser) value(v *Value) bool {
	p.lead(v)
	n, places, ok := p.digits()
	if !ok || p.cell && p.date() {
		return false
	}
	v.Kind, v.Number, v.Places = Number, n, places
	p.trail(v)
	if p.cell && !p.ending(v) {
		return false
	}
	if p.negative(v) {
		n.Neg(n)
	}
	return true
}

// lead passes what stands before the digits, and gives the byte behind it.
func (p *parser) lead(v *Value) int {
	for p.at < len(p.s) {
		r, size := utf8.DecodeRuneInString(p.rest())
		switch {
		case unicode.IsSpace(r):
			p.at += size
			continue
		case r == '(' && !p.open:
			p.open = true
		case strings.ContainsRune("-−–", r) && !p.minus:
			p.minus = true
		case r == '+':
		case strings.ContainsRune("<>~≈≤≥±", r):
			v.Approx = string(r)
		default:
			if code, n := spelled(currencies, p.rest()); n > 0 && v.Currency == "" {
				v.Currency, size = code, n
			} else if sign, n := spelled(approximations, p.rest()); n > 0 {
				v.Approx, size = sign, n
			} else {
				return p.at
			}
		}
		p.at += size
	}
	return p.at
}

// date reports whether the digits go on as a date or another row of numbers does, "12/31/2022".
func (p *parser) date() bool {
	return p.at < len(p.s) && strings.IndexByte("/:", p.s[p.at]) >= 0 && digitAt(p.s, p.at+1)
}

// trail passes what belongs to the number behind it: percent, scale, currency, closing parenthesis, the end of a range.
func (p *parser) trail(v *Value) {
	for {
		before := p.at
		p.blanks()
		if p.at < len(p.s) && p.s[p.at] == ')' && p.open {
			p.at++
			p.open, p.closed = false, true
			continue
		}
		if p.percent(v) || p.scale(v) || p.currency(v) || p.cell && p.to(v) {
			continue
		}
		p.at = before
		return
	}
}

func (p *parser) percent(v *Value) bool {
	_, n := spelled(percents, p.rest())
	if n == 0 || v.Percent {
		return false
	}
	v.Percent, v.Unit = true, "%"
	p.at += n
	return true
}

func (p *parser) scale(v *Value) bool {
	if v.Scale > 1 || v.Percent {
		return false
	}
	factor, n := spelled(scales, p.rest())
	if n == 0 && v.Currency != "" {
		factor, n = spelled(letters, p.rest())
	}
	if n == 0 {
		return false
	}
	v.Scale = factorOf(factor)
	p.at += n
	return true
}

func (p *parser) currency(v *Value) bool {
	code, n := spelled(currencies, p.rest())
	if n == 0 || v.Currency != "" || !p.cell && p.rest()[0] < utf8.RuneSelf && !letter(p.rest()[0]) { // in a sentence, "5 $7" is the next number's
		return false
	}
	v.Currency = code
	p.at += n
	return true
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// to reads the end of a range.
func (p *parser) to(v *Value) bool {
	if v.To != nil || p.open || p.closed {
		return false
	}
	word, n := spelled(ranges, p.rest())
	if n == 0 || word == "" {
		return false
	}
	q := *p
	q.at += n
	end := Value{Scale: 1}
	q.lead(&end)
	number, places, ok := q.digits()
	if !ok || q.date() || strings.HasPrefix(q.rest(), "-") && digitAt(q.s, q.at+1) {
		return false
	}
	if end.Currency != "" {
		v.Currency = end.Currency
	}
	v.Kind, v.To, v.Places = Range, number, max(v.Places, places)
	p.at = q.at
	return true
}

// ending reads what is left of a cell: marks of footnotes, a minus sign behind the number, a unit. What is longer, or
// holds further numbers, makes the cell a text.
func (p *parser) ending(v *Value) bool {
	rest := strings.TrimSpace(p.rest())
	if rest == "-" || rest == "−" {
		p.minus, rest = true, ""
	}
	for {
		mark, left := noteAtEnd(rest)
		if mark == "" {
			break
		}
		v.Notes = append([]string{mark}, v.Notes...)
		rest = left
	}
	if v.Unit == "" && rest != "" && rest[0] != '(' {
		v.Unit = rest
	}
	if rest == "" {
		return true
	}
	r, _ := utf8.DecodeRuneInString(rest)
	aside := rest[0] == '(' && strings.IndexByte(rest, ')') == len(rest)-1
	return aside || unicode.IsLetter(r) && len(strings.Fields(rest)) <= 3 && !strings.ContainsAny(rest, "0123456789")
}

// negative reports whether the number is below nought: by its sign, or by its parentheses. In a sentence these may as
// well be an aside, "(2022)", "(see 5)": there they count only around what looks like an amount.
func (p *parser) negative(v *Value) bool {
	if p.minus {
		return true
	}
	if p.cell {
		return p.open || p.closed
	}
	return p.closed && (v.Currency != "" || v.Percent || v.Places > 0 || v.Number.Cmp(big.NewRat(9999, 1)) > 0 || strings.Contains(p.s[:p.at], ","))
}

// noteAtEnd cuts the mark of a footnote off the end of s; "" when none stands there.
func noteAtEnd(s string) (mark, rest string) {
	if s == "" {
		return "", s
	}
	r, size := utf8.DecodeLastRuneInString(s)
	if strings.ContainsRune("*†‡§¹²³⁴⁵⁶⁷⁸⁹#", r) {
		at := len(strings.TrimRight(s, string(r)))
		return s[at:], strings.TrimSpace(s[:at])
	}
	opening := map[rune]byte{')': '(', ']': '['}[r]
	if opening == 0 {
		return "", s
	}
	at := strings.LastIndexByte(s, opening)
	if inner := len(s) - at - 1 - size; at < 0 || inner < 1 || inner > 2 {
		return "", s
	}
	return s[at:], strings.TrimSpace(s[:at])
}
