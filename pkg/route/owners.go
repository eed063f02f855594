package route

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/pkg/facts"
)

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
		if b := x.around(ts, i, n); b != nil {
			if len(b.owners) > 0 {
				out = append(out, *b)
			}
			i += n
			continue
		}
		out = append(out, met{a.owners, span{ts[i].from, ts[i+n-1].to}, byName})
		i += n
	}
	if out != nil {
		return out
	}
	for i := 0; i < len(ts); i++ {
		if a, n, how := x.guess(ts, i); a != nil {
			out = append(out, met{a.owners, span{ts[i].from, ts[i+n-1].to}, how})
			i += n - 1
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

// around is a longer name with one slip in it that the n words at i are a part of: "Acme Energy Partnes" is no slip of Acme
// Energy's. nil: there is none; without owners: it may be several.
func (x *index) around(ts []token, i, n int) *met {
	for j := max(0, i-2); j <= i; j++ {
		a, m := x.slip(ts, j)
		if m == 0 || j+m < i+n || m <= n {
			continue
		}
		b := &met{span: span{ts[j].from, ts[j+m-1].to}, how: byTypo}
		if a != nil {
			b.owners = a.owners
		}
		return b
	}
	return nil
}

// slip is the one owner's name that the words at i are with one slip, the longest, and its number of words; nil with a number
// where names of several owners are equally near.
func (x *index) slip(ts []token, i int) (found *alias, n int) {
	key := ""
	for k := i; k < min(len(ts), i+maxRun); k++ {
		key += ts[k].lower
		if ts[k].lower == "and" || utf8.RuneCountInString(key) < minBlend || x.near[key] || ordinary[key] || x.inside[key] != nil {
			continue // a word of some name is no slip of another name
		}
		if a, ok := x.nearest(key, k-i+1); ok {
			found, n = a, k-i+1
		}
	}
	if found != nil && i+n < len(ts) { // the next word may say that it is another's, whose name goes on
		switch on := x.starts[found.key+ts[i+n].lower]; {
		case len(on) == 0 || slices.Contains(on, found.owners[0]):
		case len(on) == 1:
			return &alias{owners: on}, n + 1
		default:
			return nil, n + 1
		}
	}
	return found, n
}

// nearest is the owner's name that key, of so many words, is with one slip; nil and true where several are.
func (x *index) nearest(key string, words int) (found *alias, ok bool) {
	r, _ := utf8.DecodeRuneInString(key)
	for _, as := range [2][]*alias{x.first[r], x.second[r]} {
		for _, a := range as {
			if d := len(a.key) - len(key); d > 4 || d < -4 || words != a.words && words > 1 || !likely(key, a.key) {
				continue
			}
			if ok && (found == nil || found.owners[0] != a.owners[0]) {
				return nil, true
			}
			found, ok = a, true
		}
	}
	return found, ok
}

// guess is the one owner whose name the words at i nearly are.
func (x *index) guess(ts []token, i int) (found *alias, n int, how string) {
	if found, n = x.slip(ts, i); n > 0 && found == nil {
		return nil, 0, ""
	}
	how = byTypo
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

// doubt says which owners the words may mean that begin the names of several; "" when there is none.
func (x *index) doubt(ts []token) string {
	for i, t := range ts {
		if !t.capital {
			continue
		}
		n, key := 0, ""
		for k := i; k < min(len(ts), i+maxRun) && ts[k].capital; k++ {
			key += ts[k].lower
			if len(x.starts[key]) > 1 {
				n = k - i + 1
			}
		}
		if n == 0 || n == 1 && (len(t.lower) < minFirst || ordinary[t.lower]) {
			continue
		}
		key, said := "", ""
		for _, t := range ts[i : i+n] {
			key, said = key+t.lower, said+" "+t.lower
		}
		var names []string
		for _, o := range x.starts[key][:min(len(x.starts[key]), maxDoubt)] {
			names = append(names, o.name)
		}
		return fmt.Sprintf("%q may be %s; ", said[1:], strings.Join(names, " or "))
	}
	return ""
}

// maxDoubt is how many owners are named where a word may mean several.
const maxDoubt = 5
