package words

import (
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/russian"
)

// rules is what is particular to a language.
type rules struct {
	stop       map[string]bool
	stem       func(*snowballstem.Env) bool
	apostrophe bool // "company's" is one word
	comma      bool // the comma is the decimal sign, a dot or a hard space parts thousands
}

var ruled = map[Language]*rules{
	None:    {},
	English: {stop: stopWords(English), stem: english.Stem, apostrophe: true},
	German:  {stop: stopWords(German), stem: german.Stem, comma: true},
	Russian: {stop: stopWords(Russian), stem: russian.Stem, comma: true},
}

func rulesOf(l Language) *rules {
	if r := ruled[l]; r != nil {
		return r
	}
	return ruled[None]
}

// term is the stem of a lower-cased word, "" of a stop word.
func (r *rules) term(word string) string {
	if r.stop[word] {
		return ""
	}
	if r.apostrophe {
		word = strings.Trim(strings.TrimSuffix(word, "'s"), "'")
		if r.stop[word] {
			return ""
		}
	}
	if r.stem == nil {
		return word
	}
	env := snowballstem.NewEnv(word)
	r.stem(env)
	if s := env.Current(); s != "" {
		return s
	}
	return word
}
