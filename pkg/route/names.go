package route

import (
	"slices"
	"strings"
	"sync"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// minShare is the share of a word's uses that must lie in one document for the word to name it.
// Source: the project's retrieval notes, "Routing": with it 162 of 171 questions reached the right documents, one
// too many in 3, none in 6, a wrong one never.
const minShare = .85

// Table routes by name: which documents a question names. A word names a document when it is all of its key's
// stem, or when it stands capitalised in its head and at least minShare of its uses in all documents lie in it.
//
// It holds the words of all documents of a tenant, counted, and about thirty words a document. Safe for concurrent
// use.
type Table struct {
	mu    sync.RWMutex
	docs  int
	uses  map[string]int
	names map[string][]claim
}

// claim is a document that a word may name.
type claim struct {
	prefix doc.Prefix
	uses   int
	stem   bool
}

// NewTable is a table of the documents.
func NewTable(cards ...Card) *Table {
	t := &Table{uses: map[string]int{}, names: map[string][]claim{}}
	for _, c := range cards {
		t.Add(c)
	}
	return t
}

// Add takes a document in. One that is there already must be removed first, by the card it was added with.
func (t *Table) Add(c Card) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.docs++
	for w, n := range c.Uses {
		t.uses[w] += n
	}
	for _, w := range c.Names {
		t.names[w] = append(t.names[w], claim{c.Prefix, c.Uses[w], false})
	}
	if len(c.Stems) == 1 {
		t.names[c.Stems[0]] = append(t.names[c.Stems[0]], claim{c.Prefix, 0, true})
	}
}

// Remove takes a document out again.
func (t *Table) Remove(c Card) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.docs--
	for w, n := range c.Uses {
		if t.uses[w] -= n; t.uses[w] <= 0 {
			delete(t.uses, w)
		}
	}
	for _, w := range slices.Concat(c.Names, c.Stems) {
		t.names[w] = slices.DeleteFunc(t.names[w], func(x claim) bool { return x.prefix == c.Prefix })
		if len(t.names[w]) == 0 {
			delete(t.names, w)
		}
	}
}

// Named is what one name of a question leads to: one document, or the documents that share the name, such as the
// editions of one report.
type Named struct {
	Word string
	Docs []doc.Prefix
}

// Documents are the documents that the question's capitalised words name, in the order of the question, each once.
// Shared names count as one group, the documents that all of them lead to, unless one of these is named by itself.
func (t *Table) Documents(question string) []Named {
	t.mu.RLock()
	defer t.mu.RUnlock()
	var single []Named
	var shared Named
	seen := map[doc.Prefix]bool{}
	eachWord(cut(question, MaxQuestion), func(w string, _ span, upper bool) {
		if !upper || ordinary[w] {
			return
		}
		for _, c := range t.names[w] {
			if !seen[c.prefix] && (c.stem || t.owns(w, c.uses)) {
				seen[c.prefix] = true
				single = append(single, Named{w, []doc.Prefix{c.prefix}})
			}
		}
		if g := t.group(w); g != nil {
			shared = shared.and(Named{w, g})
		}
	})
	if len(shared.Docs) == 0 || slices.ContainsFunc(shared.Docs, func(p doc.Prefix) bool { return seen[p] }) {
		return single
	}
	return append(single, shared)
}

// owns reports whether n uses of w are enough of all its uses.
func (t *Table) owns(w string, n int) bool { return float64(n) >= minShare*float64(t.uses[w]) }

// MaxGroup is the largest number of documents that one name may stand for.
const MaxGroup = 64

// group is the documents that share w as a name and have enough of its uses together; nil when there is no such
// group, or when every document is in it.
func (t *Table) group(w string) []doc.Prefix {
	claims := t.names[w]
	if len(claims) < 2 || len(claims) > MaxGroup || len(claims) == t.docs {
		return nil
	}
	n := 0
	var g []doc.Prefix
	for _, c := range claims {
		n += c.uses
		if !slices.Contains(g, c.prefix) {
			g = append(g, c.prefix)
		}
	}
	if len(g) < 2 || !t.owns(w, n) {
		return nil
	}
	return g
}

// and is the documents of both, or those of n when the two have none in common or n is empty.
func (n Named) and(m Named) Named {
	if n.Docs == nil {
		return m
	}
	var both []doc.Prefix
	for _, p := range n.Docs {
		if slices.Contains(m.Docs, p) {
			both = append(both, p)
		}
	}
	if both != nil {
		n.Docs = both
	}
	return n
}

// Without is the question without the names of the documents it was routed to, and the capitalised words in
// front of them ("American Express"); the names of groups stay. Inside its own document a name says nothing, and it draws in lists of
// subsidiaries and signatures. Nothing is taken out when only that were left.
func Without(question string, named []Named) string {
	var out strings.Builder
	var run []span // capitalised words, one after the other
	at := 0
	eachWord(question, func(w string, here span, upper bool) {
		if n := len(run); n > 0 && strings.TrimSpace(question[run[n-1].to:here.from]) != "" {
			run = nil
		}
		if !upper || ordinary[w] {
			run = nil
			return
		}
		run = append(run, here)
		if slices.ContainsFunc(named, func(n Named) bool { return n.Word == w && len(n.Docs) == 1 }) {
			out.WriteString(question[at:run[0].from])
			at, run = here.to, nil
		}
	})
	out.WriteString(question[at:])
	if strings.Trim(out.String(), " .,?!") == "" {
		return question
	}
	return out.String()
}

// ordinary are words that begin questions and sentences, or stand on covers of all kinds: never names.
var ordinary = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range []string{
		"what", "which", "who", "how", "when", "where", "why", "does", "did", "the", "for", "and", "table", "figure",
		"note", "item", "part", "chapter", "section", "appendix", "compare", "describe", "explain", "give", "list",
		"company", "report", "annual", "form", "abstract", "introduction", "version", "manual", "guide", "contract",
		"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
		"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "united", "states", "consolidated", "financial",
		"readme", "index", "document", "file", "final", "draft", "page", "summary", "data", "test", "copy", "new", "main",
	} {
		m[w] = true
	}
	return m
}()
