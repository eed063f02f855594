package query

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/fingerpost/fingerpost/pkg/formula"
	"github.com/fingerpost/fingerpost/pkg/route"
	"github.com/fingerpost/fingerpost/pkg/spot"
	"github.com/fingerpost/fingerpost/pkg/words"
)

// Floors of what the quoted sections must hold of a question, as a share of its idf.
const (
	askFloor   = 0.33 // where every word of it stands in some document
	askUnknown = 0.50 // where one of its words stands in none
)

// unknowns are the words of the question that stand in no document: those written as names, and the others. A word by
// which the vocabulary knows where to look is none, nor is one that only says how it is asked.
func (a asker) unknowns(v *route.Vocabulary, langs []words.Language) (names, others []string) {
	idle := map[string]bool{}
	for _, l := range langs {
		for t := range spot.Idle(func(s string) []string { return words.Analyze(s, l) }) {
			idle[t] = true
		}
	}
	start := true
	for _, f := range strings.Fields(a.question) {
		first := start
		start = strings.ContainsAny(f[len(f)-1:], ".?!:")
		word := strings.Trim(f, ".,;:?!()\"'“”„«»")
		if word == "" || !a.never(words.Question(word, langs), idle) {
			continue
		}
		word = strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "’s")
		switch {
		case metric(word):
		case len(v.Sayings(word)) > 0: // other words for it are looked for
		case len(v.Hint(a.question).Words) > len(v.Hint(strings.ReplaceAll(a.question, word, " ")).Words):
		case named(word, first) && !slices.Contains(names, word):
			names = append(names, word)
		default:
			others = append(others, word)
		}
	}
	return names, others
}

// metric reports whether a word is the name of something that we compute, "EBITDA".
func metric(word string) bool {
	_, ok := formula.Read(word, word, nil)
	return ok
}

// never reports whether a word stands in no document: all of its terms, and it has any that say something.
func (a asker) never(terms []string, idle map[string]bool) bool {
	said := false
	for _, t := range terms {
		v, ok := a.idf[t]
		if !ok || v < a.most || idle[t] || len(t) == 4 && !spot.ReadPeriod(t).None() {
			return false
		}
		said = true
	}
	return said
}

// named reports whether a word is written as a name: with a capital that is not that of a sentence's start, or with
// letters and digits.
func named(word string, first bool) bool {
	upper := strings.IndexFunc(word, unicode.IsUpper)
	later := strings.IndexFunc(word[1:], unicode.IsUpper) >= 0
	mixed := strings.ContainsAny(word, "0123456789") && strings.IndexFunc(word, unicode.IsLetter) >= 0
	return later || mixed || upper == 0 && !first
}

// rarest is the idf of a term that stands in no window of n.
func rarest(n int) float64 { return math.Log(1+(float64(n)+.5)/.5) - 1e-9 }
