package route

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/pkg/facts"
)

// index is the names of all owners.
type index struct {
	owners []*owner
	names  map[string][]*alias // by squashed name
	starts map[string][]*owner // by the beginning of a name, in whole words
	inside map[string][]*owner // by each word of a name
	// Where typos are looked for: names by their first letter, and by their second; where blends are: owners by
	// the first two bytes of their name.
	first, second map[rune][]*alias
	blends        map[string][]*owner
	near          map[string]bool     // ordinary words that look like typos of a name
	more          map[string][]string // a user's names of owners, by squashed name
}

// alias is a name of an owner.
type alias struct {
	key      string // squashed
	words    int
	owners   []*owner
	capital  bool // needs its capital
	capitals bool // needs capitals only
	whole    bool // is a whole name: several owners may share it
}

func newIndex(owners []*owner, more map[string][]string) *index {
	x := &index{owners: owners, names: map[string][]*alias{}, starts: map[string][]*owner{}, inside: map[string][]*owner{}, first: map[rune][]*alias{},
		second: map[rune][]*alias{}, blends: map[string][]*owner{}, near: map[string]bool{}, more: more}
	for _, o := range owners {
		x.wholes(o)
		x.begin(o)
	}
	for _, o := range owners {
		x.parts(o)
	}
	for _, key := range slices.Sorted(maps.Keys(x.names)) {
		for _, a := range x.names[key] {
			if r := []rune(a.key); len(r) >= minFuzzy && !a.capitals && len(a.owners) == 1 {
				x.first[r[0]] = append(x.first[r[0]], a)
				x.second[r[1]] = append(x.second[r[1]], a)
			}
		}
	}
	return x
}

// begin notes how an owner's names begin, the ordinary words near them, and what may be blended.
func (x *index) begin(o *owner) {
	for _, id := range o.idents {
		for _, w := range slices.Concat(id.facts.Near, id.facts.Common) {
			x.near[w] = true
		}
		at := ""
		for _, w := range facts.Words(facts.Core(id.facts.Owner)) {
			at += w
			if !slices.Contains(x.starts[at], o) {
				x.starts[at] = append(x.starts[at], o)
			}
			if !slices.Contains(x.inside[w], o) {
				x.inside[w] = append(x.inside[w], o)
			}
		}
		if len(at) < 2 {
			continue
		}
		if b := x.blends[at[:2]]; !slices.Contains(b, o) {
			x.blends[at[:2]] = append(b, o)
		}
	}
}

// wholes adds the whole names of an owner: with and without legal form, stated ones, parties, tickers, initials.
func (x *index) wholes(o *owner) {
	for _, id := range o.idents {
		f := id.facts
		for _, name := range slices.Concat([]string{f.Owner}, f.Aliases, f.Parties, x.more[facts.Squash(facts.Core(f.Owner))]) {
			core := facts.Core(name)
			one := len(facts.Words(core)) == 1
			common := one && (o.common[strings.ToLower(core)] || ordinary[strings.ToLower(core)])
			for _, n := range []string{core, name} {
				x.add(o, &alias{key: facts.Squash(n), words: len(facts.Words(n)), whole: true, capital: common})
			}
			if in := initials(core); utf8.RuneCountInString(in) >= minFirst {
				x.add(o, &alias{key: strings.ToLower(in), words: 1, capitals: true})
			}
		}
		if f.Ticker != "" {
			t := strings.ToLower(f.Ticker)
			x.add(o, &alias{key: facts.Squash(t), words: 1, capitals: len(t) < minFirst || o.common[t] || ordinary[t]})
		}
	}
}

// parts adds the beginnings of an owner's name that no other owner's name has.
func (x *index) parts(o *owner) {
	for _, id := range o.idents {
		words := facts.Words(facts.Core(id.facts.Owner))
		for n := 1; n < len(words); n++ {
			key := facts.Squash(strings.Join(words[:n], " "))
			if n == 1 && (utf8.RuneCountInString(key) < minFirst || o.common[key] || ordinary[key]) {
				continue
			}
			if !x.shared(key, o) {
				x.add(o, &alias{key: key, words: n})
			}
		}
	}
}

// shared reports whether the name of another owner begins with key, or is it, or has it as one of its words.
func (x *index) shared(key string, o *owner) bool {
	if len(x.starts[key]) > 1 || len(x.inside[key]) > 1 {
		return true
	}
	return slices.ContainsFunc(x.names[key], func(a *alias) bool { return !slices.Contains(a.owners, o) })
}

// add puts a name in. One that two owners have stays when it is whole in both, for both.
func (x *index) add(o *owner, a *alias) {
	if a.key == "" {
		return
	}
	for _, b := range x.names[a.key] {
		if b.capitals != a.capitals {
			continue
		}
		if !slices.Contains(b.owners, o) {
			b.whole = b.whole && a.whole
			b.owners = append(b.owners, o)
		}
		b.capital = b.capital && a.capital
		return
	}
	a.owners = []*owner{o}
	x.names[a.key] = append(x.names[a.key], a)
}

// initials are the capitals of a name, or the first letters of its words where it is all in capitals.
func initials(core string) string {
	var caps, first []rune
	start := true
	for _, r := range core {
		if unicode.IsUpper(r) {
			caps = append(caps, r)
		}
		if start && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			first = append(first, unicode.ToUpper(r))
		}
		start = !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
	}
	if strings.ToUpper(core) == core || len(first) < 2 {
		caps = first
	}
	if len(first) < 2 {
		return ""
	}
	return string(caps)
}
