package route

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// pattern is a regular expression that first looks for one of the words without which it cannot match: most of
// the rules speak of other things than the question in hand, and a search for a word costs a hundredth.
type pattern struct {
	*regexp.Regexp
	needs []string // lower case; one of them stands in every match; nil: unknown
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
	return pattern{re, needs(tree)}, nil
}

// may reports whether p can match a text, given in lower case.
func (p pattern) may(lower string) bool {
	for _, n := range p.needs {
		if strings.Contains(lower, n) {
			return true
		}
	}
	return p.needs == nil
}

// needs is a set of words, lower case, of which every match of re holds at least one; nil when there is no such set.
func needs(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{strings.ToLower(string(re.Rune))}
	case syntax.OpCapture, syntax.OpPlus:
		return needs(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needs(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if n := needs(sub); n != nil && (best == nil || shortest(n) > shortest(best)) {
				best = n
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			n := needs(sub)
			if n == nil {
				return nil
			}
			all = append(all, n...)
		}
		return all
	}
	return nil
}

func shortest(words []string) int {
	n := len(words[0])
	for _, w := range words {
		n = min(n, len(w))
	}
	return n
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
