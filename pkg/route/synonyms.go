package route

import (
	_ "embed"
	"fmt"
	"slices"
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
	from, _ := m.find(lower)
	return from >= 0
}

// find is where a text, given in lower case, holds the member as whole words, in bytes, the end not included; -1: nowhere.
func (m member) find(lower string) (from, to int) {
	for at := 0; ; {
		i := strings.Index(lower[at:], m.lower)
		if i < 0 {
			return -1, -1
		}
		before, _ := utf8.DecodeLastRuneInString(lower[:at+i])
		rest := lower[at+i+len(m.lower):]
		if m.open {
			rest = strings.TrimLeftFunc(rest, unicode.IsLetter)
		}
		behind, _ := utf8.DecodeRuneInString(rest)
		if !ofWord(before) && !ofWord(behind) {
			return at + i, len(lower) - len(rest)
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

// Saying is a thing that a question says by some of the words for it.
type Saying struct {
	Held   []string // what the question says, in lower case
	others []member
}

// In reports whether a text, given in lower case, says it by another word than the question.
func (s Saying) In(lower string) bool {
	return slices.ContainsFunc(s.others, func(m member) bool { return m.in(lower) })
}

// Sayings are the things of which the vocabulary knows several words, one of which the question holds.
func (v *Vocabulary) Sayings(question string) []Saying {
	if v == nil {
		return nil
	}
	return sayings(v.same, strings.ToLower(question))
}

// sayings are the groups of which a question, given in lower case, holds a member and lacks one.
func sayings(groups []synonyms, lower string) (out []Saying) {
	has := pairsOf(lower)
	held := func(m member) bool { return has.begin(m.lower) && m.in(lower) }
	for _, g := range groups {
		if !slices.ContainsFunc(g.each, held) {
			continue
		}
		var s Saying
		for _, m := range g.each {
			if from, to := m.find(lower); from >= 0 {
				s.Held = append(s.Held, lower[from:to])
			} else {
				s.others = append(s.others, m)
			}
		}
		if len(s.others) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// others are the words for these things that the question does not hold.
func others(things []Saying) (out []string) {
	for _, s := range things {
		for _, m := range s.others {
			out = append(out, m.word)
		}
	}
	return out
}

// pairs are the neighbouring bytes of a text, a bit each: most words are not in it, and two bytes tell.
type pairs [1 << 10]uint64

func pairsOf(text string) *pairs {
	var p pairs
	for i := 1; i < len(text); i++ {
		n := uint(text[i-1])<<8 | uint(text[i])
		p[n>>6] |= 1 << (n & 63)
	}
	return &p
}

// begin reports whether the text holds a word's first two bytes; one of a single byte it may always hold.
func (p *pairs) begin(word string) bool {
	if len(word) < 2 {
		return true
	}
	n := uint(word[0])<<8 | uint(word[1])
	return p[n>>6]&(1<<(n&63)) != 0
}
