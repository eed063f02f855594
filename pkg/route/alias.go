package route

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/facts"
)

// index is the names of all owners.
type index struct {
	owners []*owner
	names  map[string][]*alias // by squashed name
	starts map[string]*owner   // by the beginning of a name, in whole words; nil: several owners
	// Where typos are looked for: names by their first letter, and by their second; where blends are: owners by
	// the first two bytes of their name.
	first, second map[rune][]*alias
	blends        map[string][]*owner
	near          map[string]bool // ordinary words that look like typos of a name
}

// alias is a name of an owner.
type alias struct {
	key    string // squashed
	words  int
	owners []*owner
	capital, capitals,
	whole bool // needs its capital; needs capitals only; is a whole name: several owners may share it
}

// How an owner was found by name.
const (
	byName  = "name"
	byTypo  = "one letter off"
	byBlend = "blend"
)

// Letters of a name, at least: for typos, for blends, and for a first word.
const (
	minFuzzy = 5
	minBlend = 4
	minFirst = 3
)

func newIndex(owners []*owner) *index {
	x := &index{owners: owners, names: map[string][]*alias{}, starts: map[string]*owner{}, first: map[rune][]*alias{},
		second: map[rune][]*alias{}, blends: map[string][]*owner{}, near: map[string]bool{}}
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
			if other, ok := x.starts[at]; ok && other != o {
				x.starts[at] = nil
			} else {
				x.starts[at] = o
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
		for _, name := range slices.Concat([]string{f.Owner}, f.Aliases, f.Parties) {
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

// shared reports whether the name of another owner begins with key, or is it.
func (x *index) shared(key string, o *owner) bool {
	if x.starts[key] != o {
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
			if !b.whole || !a.whole {
				b.whole = b.whole && a.whole
			}
			b.owners = append(b.owners, o)
		}
		b.capital = b.capital && a.capital || a.capital && b.capital
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

// token is a word of a question.
type token struct {
	span
	lower         string
	capital, caps bool // begins with a capital, or with a digit; has no small letter
}

// tokens are the words of a question, "'s" left out.
func tokens(q string) (out []token) {
	for i := 0; i < len(q); {
		r, size := utf8.DecodeRuneInString(q[i:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			i += size
			continue
		}
		start := i
		for i < len(q) && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			i += size
			r, size = utf8.DecodeRuneInString(q[i:])
		}
		word := q[start:i]
		for _, s := range []string{"'s", "’s", "'S", "’S"} { // possessive: no part of the name, but of the span
			if strings.HasPrefix(q[i:], s) && (i+len(s) == len(q) || !wordRune(q[i+len(s):])) {
				i += len(s)
				break
			}
		}
		first, _ := utf8.DecodeRuneInString(word)
		out = append(out, token{span{start, i}, strings.ToLower(word), unicode.IsUpper(first) || unicode.IsDigit(first), strings.ToUpper(word) == word})
	}
	return out
}

func wordRune(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// met is an owner that a question names.
type met struct {
	owners []*owner
	span
	how string
}

// maxRun is how many words of a question are put together to one name.
const maxRun = 8

// find is the owners that the words name, in their order: by name, or where no name is met by typo or blend.
func (x *index) find(ts []token) (out []met) {
	for i := 0; i < len(ts); {
		n, a := x.longest(ts[i:])
		if a == nil {
			i++
			continue
		}
		out = append(out, met{a.owners, span{ts[i].from, ts[i+n-1].to}, byName})
		i += n
	}
	if out != nil {
		return out
	}
	for i := range ts {
		if a, n, how := x.guess(ts, i); a != nil {
			out = append(out, met{a.owners, span{ts[i].from, ts[i+n-1].to}, how})
		}
	}
	return out
}

// longest is the longest name at the beginning of ts, and its number of words.
func (x *index) longest(ts []token) (n int, found *alias) {
	key := ""
	for i := 0; i < min(len(ts), maxRun); i++ {
		switch w := ts[i].lower; {
		case i == 0 || w != "and" && w != "n" && w != "und" && w != "y":
			key += w
		case i+1 == len(ts):
			return n, found
		default:
			continue // "&" between the parts of a name
		}
		for _, a := range x.names[key] {
			if a.fits(ts[:i+1]) {
				n, found = i+1, a
			}
		}
	}
	return n, found
}

// fits reports whether the words are written as the name wants it.
func (a *alias) fits(ts []token) bool {
	if len(a.owners) > 1 && !a.whole {
		return false
	}
	for _, t := range ts {
		if a.capitals && !t.caps || a.capital && !t.capital {
			return false
		}
	}
	return true
}

// guess is the one owner whose name the words at i nearly are.
func (x *index) guess(ts []token, i int) (found *alias, n int, how string) {
	key := ""
	for k := i; k < min(len(ts), i+4); k++ {
		key += ts[k].lower
		if ts[k].lower == "and" || utf8.RuneCountInString(key) < minBlend || x.near[key] || ordinary[key] {
			continue
		}
		r, _ := utf8.DecodeRuneInString(key)
		for _, as := range [2][]*alias{x.first[r], x.second[r]} {
			for _, a := range as {
				if d := len(a.key) - len(key); d > 4 || d < -4 || k-i+1 != a.words && k > i || !likely(key, a.key) {
					continue
				}
				if found != nil && found.owners[0] != a.owners[0] {
					return nil, 0, ""
				}
				found, n, how = a, k-i+1, byTypo
			}
		}
	}
	if found != nil || x.near[ts[i].lower] {
		return found, n, how
	}
	for _, o := range x.blends[ts[i].lower[:min(2, len(ts[i].lower))]] {
		if blended(ts[i].lower, o) {
			if found != nil {
				return nil, 0, ""
			}
			found, n, how = &alias{owners: []*owner{o}}, 1, byBlend
		}
	}
	return found, n, how
}

// likely reports whether word is name with one slip in it. A first letter is left out or exchanged with the second,
// hardly ever another one: "morning" is no "Corning".
func likely(word, name string) bool {
	if utf8.RuneCountInString(word) < minFuzzy-1 || !facts.OneEdit(word, name) {
		return false
	}
	if utf8.RuneCountInString(name) < minFuzzy {
		return false
	}
	return word[0] == name[0] || name[1:] == word || len(word) > 1 && word[0] == name[1] && word[1] == name[0]
}

// blended reports whether word is the beginnings of an owner's first two words: "amex".
func blended(word string, o *owner) bool {
	if len(word) < minBlend || ordinary[word] {
		return false
	}
	for _, id := range o.idents {
		w := facts.Words(facts.Core(id.facts.Owner))
		if len(w) < 2 || o.common[word] {
			continue
		}
		for cut := 2; cut <= len(word)-2; cut++ {
			if strings.HasPrefix(w[0], word[:cut]) && strings.HasPrefix(w[1], word[cut:]) {
				return true
			}
		}
	}
	return false
}

// prefixes are the documents of owners.
func prefixes(owners []*owner) (ds []*filed) {
	seen := map[doc.Prefix]bool{}
	for _, o := range owners {
		for _, id := range o.idents {
			for _, d := range id.docs {
				if !seen[d.prefix] {
					seen[d.prefix] = true
					ds = append(ds, d)
				}
			}
		}
	}
	return ds
}
