package route

import (
	_ "embed"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

//go:embed synonyms.txt
var standardSynonyms string

// synonyms is words for one thing.
type synonyms struct {
	field string
	each  []member
}

// member is one of the words for a thing.
type member struct {
	word  string // as it is searched, without "*"
	lower string
	open  bool // it may go on
}

// in reports whether a text, given in lower case, holds the member as whole words.
func (m member) in(lower string) bool {
	for at := 0; ; {
		i := strings.Index(lower[at:], m.lower)
		if i < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(lower[:at+i])
		rest := lower[at+i+len(m.lower):]
		if m.open {
			rest = strings.TrimLeftFunc(rest, unicode.IsLetter)
		}
		behind, _ := utf8.DecodeRuneInString(rest)
		if !ofWord(before) && !ofWord(behind) {
			return true
		}
		at += i + len(m.lower)
	}
}

// ofWord is whether r is of a word; the end of a text, utf8.RuneError, is not.
func ofWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

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
		for text := range strings.SplitSeq(line, ";") {
			text = strings.TrimSpace(text)
			stem, open := strings.CutSuffix(text, "*")
			if stem == "" || !utf8.ValidString(stem) {
				return nil, fmt.Errorf("synonyms line %d: %q is not a member", n, text)
			}
			g.each = append(g.each, member{stem, strings.ToLower(stem), open})
		}
		if len(g.each) < 2 {
			return nil, fmt.Errorf("synonyms line %d: a group has two members or more", n)
		}
		groups = append(groups, g)
	}
	return groups, nil
}

// others are the members that a question, given in lower case, does not hold, of the groups of which it holds one.
func others(groups []synonyms, lower string) (out []string) {
	for _, g := range groups {
		before, held := len(out), false
		for _, m := range g.each {
			if m.in(lower) {
				held = true
			} else {
				out = append(out, m.word)
			}
		}
		if !held {
			out = out[:before]
		}
	}
	return out
}
