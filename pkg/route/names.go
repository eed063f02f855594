package route

import (
	"slices"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// Table routes by name: which documents a question names. It is built from the cards of all documents of a tenant
// and safe for concurrent reading.
type Table struct {
	names map[string][]doc.Prefix
}

// minShare is the share of a word's uses that must lie in one document for the word to name it.
// Source: the project's retrieval notes, "Routing": with it 162 of 171 questions reached the right documents, one
// too many in 3, none in 6, a wrong one never.
const minShare = .85

// NewTable builds the table. A word names a document when it is all of its key's stem, or when it stands
// capitalised in its head and at least minShare of its uses in all documents lie in it.
func NewTable(cards []Card) *Table {
	uses := map[string]int{}
	for _, c := range cards {
		for w, n := range c.Uses {
			uses[w] += n
		}
	}
	t := &Table{names: map[string][]doc.Prefix{}}
	for _, c := range cards {
		if len(c.Stems) == 1 && !ordinary[c.Stems[0]] {
			t.add(c.Stems[0], c.Prefix)
		}
		for _, w := range c.Names {
			if float64(c.Uses[w]) >= minShare*float64(uses[w]) && !ordinary[w] {
				t.add(w, c.Prefix)
			}
		}
	}
	return t
}

func (t *Table) add(w string, p doc.Prefix) {
	if !slices.Contains(t.names[w], p) {
		t.names[w] = append(t.names[w], p)
	}
}

// Named is a document that a question names, with the word that says so.
type Named struct {
	Prefix doc.Prefix
	Word   string
}

// Documents are the documents that the question's capitalised words name, in the order of the question, each once.
func (t *Table) Documents(question string) []Named {
	var out []Named
	eachWord(cut(question, MaxQuestion), func(w string, _ span, upper bool) {
		if !upper {
			return
		}
		for _, p := range t.names[w] {
			if !slices.ContainsFunc(out, func(n Named) bool { return n.Prefix == p }) {
				out = append(out, Named{p, w})
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
