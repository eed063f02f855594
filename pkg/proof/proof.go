// Package proof tells whether an answer is proven by the sections that it cites: each quote stands in one of them word
// for word, each number is a number of theirs that speaks of the same row and the same period (allowing scale and
// rounding), or was computed from such numbers and the computation is shown. What is not proven is named with the reason;
// nothing is believed because a model said it.
//
// A number is held against the cell that a sentence describes, not against the whole table: the number of the next
// year, of the next row or in another scale stands in the cited lines too, and would be wrong.
//
// Time is linear in the answer times the text of the sections that each sentence cites.
package proof

import (
	"math/big"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/value"
	"github.com/fingerpost/fingerpost/pkg/words"
)

// Section is a text that an answer may cite as [N].
type Section struct {
	N        int    // its number in citations, from 1
	Text     []byte // verified Source
	First    int    // number of its first line in the Source, from 1
	Head     string // what stands above it: the document's title, owner, period, the breadcrumb
	Language words.Language
	// Apart are lines that prove nothing, because they speak to the reader's model: both ends inclusive.
	Apart []doc.Lines
}

// Computed is a number that our own code computed from cited cells and shows with its formula.
type Computed struct {
	Number  *big.Rat // in units of one; of a percentage in hundredths: .125
	Percent bool
	Name    string // "growth of net revenue"
}

// Fault is why a statement is not proven; "" of one that is.
type Fault string

// The faults.
const (
	NoCitation Fault = "it cites nothing"
	NoSection  Fault = "it cites a section that was not given"
	NoQuote    Fault = "its quote does not stand in what it cites"
	NoNumber   Fault = "its number does not stand in what it cites"
	OtherRow   Fault = "its number is that of another row"
	OtherTime  Fault = "its number is that of another period or column"
	OtherScale Fault = "its number stands there in another scale"
	NoPlace    Fault = "the year, item or note that it names does not stand in what it cites"
	NoSum      Fault = "the computation that it shows is wrong"
	NoWords    Fault = "what it cites does not say that"
	Commands   Fault = "it repeats text that speaks to the model"
)

// Statement is a sentence, a list item or a table row of an answer.
type Statement struct {
	Text     string
	Cites    []int // section numbers as written, without doubles
	Fault    Fault
	About    string // the number or the quote that is at fault; "" when it is the whole
	Evidence []Evidence
}

// Proven reports whether everything in the statement was found.
func (s *Statement) Proven() bool { return s.Fault == "" }

// Evidence is a place that proves a part of a statement.
type Evidence struct {
	Section int       // N of the section
	Lines   doc.Lines // in the Source
	Spot    doc.Spot  // zero when it is no cell
}

// Check judges every statement of an answer. The sections are those that the answer was given; the computed numbers are
// those shown with it. A statement that names no period and no row speaks of the question's.
func Check(question, answer string, sections []Section, computed []Computed) []Statement {
	return New(question, sections, computed).Check(answer)
}

// New is a Checker of answers to one question; see Check.
func New(question string, sections []Section, computed []Computed) *Checker {
	c := &Checker{question: question, computed: computed, given: map[int]*evidence{}}
	for i := range sections {
		c.given[sections[i].N] = &evidence{Section: &sections[i]}
	}
	return c
}

// Check judges every statement of an answer, or of a part of one that ends with a statement.
func (c *Checker) Check(answer string) (out []Statement) {
	for _, text := range Split(answer) {
		out = append(out, c.statement(text))
	}
	return out
}

// Checker reads each section once, when it is first cited. It is not safe for concurrent use.
type Checker struct {
	question string
	computed []Computed
	given    map[int]*evidence
}

// statement judges one: the first fault is told.
func (c *Checker) statement(text string) Statement {
	s := Statement{Text: text, Cites: cited(text)}
	if len(s.Cites) == 0 {
		s.Fault = NoCitation
		if cl := c.claim(text, words.English); c.onlyComputed(cl) {
			s.Fault = ""
			c.words(cl, []*evidence{{Section: &Section{Language: words.English}, done: true}}, &s)
		}
		return s
	}
	var from []*evidence
	for _, n := range s.Cites {
		e := c.given[n]
		if e == nil {
			s.Fault, s.About = NoSection, ""
			return s
		}
		e.read()
		from = append(from, e)
	}
	cl := c.claim(text, from[0].Language)
	for _, f := range []func(*claim, []*evidence, *Statement){c.orders, c.quotes, c.references, c.sums, c.numbers, c.words} {
		if f(cl, from, &s); s.Fault != "" {
			return s
		}
	}
	return s
}

// onlyComputed reports whether a statement without a citation says nothing but numbers that our code computed.
func (c *Checker) onlyComputed(cl *claim) bool {
	for i := range cl.numbers {
		if !c.isComputed(&cl.numbers[i]) {
			return false
		}
	}
	return len(cl.numbers) > 0 && len(cl.quotes) == 0
}

func (c *Checker) isComputed(n *number) bool {
	for _, k := range c.computed {
		if n.Percent == k.Percent && n.says(k.Number, k.Percent) {
			return true
		}
	}
	return false
}

// says reports whether a stated number may stand for an exact one in units of one; a share counts in hundredths.
func (n *number) says(exact *big.Rat, percent bool) bool {
	if exact == nil {
		return false
	}
	x := new(big.Rat).Set(exact)
	if percent {
		x.Mul(x, big.NewRat(100, 1))
	}
	return n.rounds(x, n.Scale)
}

// rounds compares with an amount in units of one, in the scale in which the number is stated.
func (n *number) rounds(amount *big.Rat, scale int64) bool {
	x := new(big.Rat).Quo(amount, new(big.Rat).SetInt64(max(scale, 1)))
	return value.Rounds(n.Number, n.Places, x) || n.about && n.near(x)
}

// near reports whether a number that is said to be rounded is x to as many digits as it has before its noughts: "about 4,300".
func (n *number) near(x *big.Rat) bool {
	if n.Places > 0 || n.Number == nil || n.Number.Sign() == 0 {
		return false
	}
	unit, ten := big.NewInt(1), big.NewInt(10)
	for rest := new(big.Int).Set(n.Number.Num()); new(big.Int).Mod(rest, ten).Sign() == 0; rest.Quo(rest, ten) {
		unit.Mul(unit, ten)
	}
	u := new(big.Rat).SetInt(unit)
	return value.Rounds(new(big.Rat).Quo(n.Number, u), 0, new(big.Rat).Quo(x, u))
}
