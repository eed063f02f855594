package route

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

//go:embed synonyms.txt
var standardSynonyms string

// synonyms is words for one thing.
type synonyms struct {
	field string
	any   pattern   // one of its members
	each  []pattern // each member
	words []string  // the members as they are searched, without "*"
}

// parseSynonyms reads the form that synonyms.txt describes. An error names the line.
func parseSynonyms(text string) ([]synonyms, error) {
	var groups []synonyms
	field, n := "any", 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if f, ok := strings.CutPrefix(line, "field:"); ok {
			field = strings.TrimSpace(f)
			continue
		}
		g := synonyms{field: field}
		var all []string
		for member := range strings.SplitSeq(line, ";") {
			member = strings.TrimSpace(member)
			stem, open := strings.CutSuffix(member, "*")
			expr := regexp.QuoteMeta(stem)
			if open {
				expr += `\pL*`
			}
			p, err := newPattern(edge + expr + edge)
			if err != nil || stem == "" {
				return nil, fmt.Errorf("synonyms line %d: %q is not a member", n, member)
			}
			g.each, g.words, all = append(g.each, p), append(g.words, stem), append(all, expr)
		}
		var err error
		if g.any, err = newPattern(edge + `(?:` + strings.Join(all, "|") + `)` + edge); err != nil || len(all) < 2 {
			return nil, fmt.Errorf("synonyms line %d: a group has two members or more", n)
		}
		groups = append(groups, g)
	}
	return groups, nil
}

// others are the members that a question does not hold, of the groups of which it holds one.
func others(groups []synonyms, question, lower string) []string {
	var out []string
	for _, g := range groups {
		if !g.any.may(lower) || !g.any.MatchString(question) {
			continue
		}
		for i, p := range g.each {
			if !p.may(lower) || !p.MatchString(question) {
				out = append(out, g.words[i])
			}
		}
	}
	return out
}
