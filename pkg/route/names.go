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

// Named is a document that a question names, with the word that says so.
type Named struct {
	Prefix doc.Prefix
	Word   string
}

// Documents are the documents that the question's capitalised words name, in the order of the question, each once.
func (t *Table) Documents(question string) []Named {
	t.mu.RLock()
	defer t.mu.RUnlock()
	var out []Named
	eachWord(cut(question, MaxQuestion), func(w string, _ span, upper bool) {
		if !upper || ordinary[w] {
			return
		}
		for _, c := range t.names[w] {
			known := slices.ContainsFunc(out, func(n Named) bool { return n.Prefix == c.prefix })
			if !known && (c.stem || float64(c.uses) >= minShare*float64(t.uses[w])) {
				out = append(out, Named{c.prefix, w})
			}
		}
	})
	return out
}

// Without is the question without the names of the documents it was routed to, and the capitalised words in
// front of them ("American Express"): inside its own document a name says nothing, and it draws in lists of
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
		if slices.ContainsFunc(named, func(n Named) bool { return n.Word == w }) {
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
		"readme", "index", "document", "file", "final", "draft", "page", "summary", "data", "test", "copy", "new", "main",
	} {
		m[w] = true
	}
	return m
}()
