// Package words is the one analyzer: it turns text and questions into the terms that every
// index stores and searches, so that all of them see the same words.
//
// A term is, in this order of preference:
//   - a word: Unicode letters, lower-cased, stemmed by Snowball in the text's language, unless
//     it is a stop word of that language (function words only; "not" and "end" are kept);
//   - a number: thousands separators dropped, decimals kept ("2,648.5" is "2648.5"), in German
//     and Russian with the comma as the decimal sign;
//   - an identifier, whole and unstemmed, beside its parts ("read_timeout" is "read_timeout",
//     "read", "timeout"; "/healthz", "IdleConns", "A2.1.1", "10-K", "3.2(b)" likewise);
//   - two neighbouring characters of a script that is written without spaces (Han, kana, Thai).
//
// The same text in the same language always gives the same terms; Version changes when they do.
package words

import "slices"

// Version names the rules of this package. It is part of a build's fingerprint: two builds
// with unequal versions hold unequal terms for the same text.
const Version = "words/1"

// MaxTerm is the longest term in bytes. Longer words are cut; longer identifiers are found
// by their parts only.
const MaxTerm = 64

// Language is an ISO 639-1 code of a language that the analyzer knows, or None.
type Language string

// The languages. None is any other: its words are lower-cased, not stemmed, none is dropped.
const (
	None    Language = ""
	English Language = "en"
	German  Language = "de"
	Russian Language = "ru"
)

// Languages is every language but None.
var Languages = []Language{English, German, Russian}

// Known reports whether l is one of Languages.
func (l Language) Known() bool { return slices.Contains(Languages, l) }

// Analyze is the terms of text in reading order, repeats included. An unknown language
// is analysed as None.
func Analyze(text string, lang Language) []string {
	return Append(nil, text, lang)
}

// Append appends the terms of text to dst. Words seen lately cost no allocation.
func Append(dst []string, text string, lang Language) []string {
	s := borrow(lang)
	defer s.giveBack()
	return s.scan(dst, text)
}

// Question is the terms of a question that may be meant for a document in any of langs:
// a term stands in it as often as in the one language that has it most often, so that no
// word counts twice for being the same in two languages. The stop words of the language it is asked in
// are left out for every one of them. Without langs it is analysed as None.
func Question(text string, langs []Language) []string {
	if len(langs) == 0 {
		return Analyze(text, None)
	}
	own := Detect(text)
	var out []string
	have := map[string]int{}
	for _, l := range langs {
		out = appendMissing(out, have, without(Analyze(text, l), own, l))
	}
	return out
}

// without leaves out the stop words of the question's own language, which the analyzer of another one keeps.
func without(terms []string, own, l Language) []string {
	if own == l || !own.Known() {
		return terms
	}
	return slices.DeleteFunc(terms, func(t string) bool { return ruled[own].stop[t] })
}

// appendMissing appends those of terms that have not been counted in `have` as often yet.
func appendMissing(out []string, have map[string]int, terms []string) []string {
	seen := map[string]int{}
	for _, t := range terms {
		seen[t]++
		if seen[t] > have[t] {
			have[t]++
			out = append(out, t)
		}
	}
	return out
}
