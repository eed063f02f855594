package route

import (
	"cmp"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// pattern is a regular expression that first looks for the words without which it cannot match: most of
// the rules speak of other things than the question in hand, and a search for a word costs a hundredth.
type pattern struct {
	*regexp.Regexp
	need need
}

// need is what a text must hold, in lower case: a word, or all of several needs, or any of them. The zero need is none.
type need struct {
	word     string
	all, any []need
}

// newPattern compiles a case-insensitive expression.
func newPattern(expr string) (pattern, error) {
	re, err := regexp.Compile(`(?i)` + expr)
	if err != nil {
		return pattern{}, err
	}
	tree, err := syntax.Parse(`(?i)`+expr, syntax.Perl)
	if err != nil {
		return pattern{}, err
	}
	return pattern{re, needOf(tree)}, nil
}

// may reports whether p can match a text, given in lower case.
func (p pattern) may(lower string) bool { return p.need.met(lower) }

func (n need) met(lower string) bool {
	for _, a := range n.all {
		if !a.met(lower) {
			return false
		}
	}
	for _, a := range n.any {
		if a.met(lower) {
			return true
		}
	}
	return n.any == nil && (n.word == "" || strings.Contains(lower, n.word))
}

func (n need) none() bool { return n.word == "" && n.all == nil && n.any == nil }

// needOf is what every match of re holds.
func needOf(re *syntax.Regexp) need {
	switch re.Op {
	case syntax.OpLiteral:
		return need{word: strings.ToLower(string(re.Rune))}
	case syntax.OpCapture, syntax.OpPlus:
		return needOf(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needOf(re.Sub[0])
		}
	case syntax.OpConcat:
		return needAll(re.Sub)
	case syntax.OpAlternate:
		var n need
		for _, sub := range re.Sub {
			one := needOf(sub)
			if one.none() {
				return need{}
			}
			n.any = append(n.any, one)
		}
		return n
	}
	return need{}
}

// needAll is what the parts of a concatenation need, the longest words first: they tell most.
func needAll(parts []*syntax.Regexp) need {
	var n need
	for _, sub := range parts {
		if one := needOf(sub); !one.none() {
			n.all = append(n.all, one)
		}
	}
	slices.SortStableFunc(n.all, func(a, b need) int { return cmp.Compare(b.shortest(), a.shortest()) })
	if len(n.all) == 1 {
		return n.all[0]
	}
	return n
}

// shortest is the length of the shortest word by which the need may be met.
func (n need) shortest() int {
	switch {
	case n.all != nil:
		return n.all[0].shortest()
	case n.any != nil:
		return slices.MinFunc(n.any, func(a, b need) int { return cmp.Compare(a.shortest(), b.shortest()) }).shortest()
	}
	return len(n.word)
}

// maxMatches bounds the matches of one pattern in a question that are looked at.
const maxMatches = 16

// all is the submatches of p in a text, also given in lower case.
func (p pattern) all(text, lower string) [][]string {
	if !p.may(lower) {
		return nil
	}
	return p.FindAllStringSubmatch(text, maxMatches)
}
