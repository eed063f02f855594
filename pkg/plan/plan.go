// Package plan makes of a question that was read (route) what the index is asked for (rank): the terms in the
// documents' languages, the vocabulary's words, the statements wanted, the halves of a question in two parts, and which
// documents are ranked each by itself. The query service and the measurements plan by the same few lines.
package plan

import (
	"slices"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/rank"
	"github.com/fingerpost/fingerpost/pkg/route"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/words"
)

// Plan is a question as it is searched.
type Plan struct {
	rank.Query
	Text    string          // the question's own words, without instructions and names
	Routed  []vector.Filter // the documents it names: each group is ranked by itself
	Named   []string        // the words by which it names them
	Kind    route.Kind
	Chosen  route.Chosen // which documents their facts speak for
	Weights rank.Weights
}

// Of plans a question that was read, over documents in these languages; w are the weights where no document was
// chosen by its facts.
func Of(r route.Route, langs []words.Language, w rank.Weights) Plan {
	p := Plan{Text: r.Text, Kind: r.Kind, Chosen: r.Chosen, Weights: w}
	p.Refs, p.Prior, p.Aside = r.Refs, r.Chosen.Prior, rank.AsksAside(r.Text)
	p.Terms = words.Question(r.Text, langs)
	p.Extra = once(words.Question(strings.Join(r.Hint.Words, "\n"), langs))
	p.Same = once(words.Question(strings.Join(r.Hint.Same, "\n"), langs))
	for _, title := range r.Hint.Titles {
		p.Titles = append(p.Titles, words.Question(title, langs))
	}
	for _, half := range halves(r.Text) {
		p.Halves = append(p.Halves, words.Question(half, langs))
	}
	if len(r.Chosen.Choices) > 0 {
		p.Weights = w.Chosen()
	}
	for _, s := range r.Statements {
		p.Statements = append(p.Statements, p.Weights.Want(s.Kind, s.Named))
	}
	for _, n := range r.Named {
		p.Routed = append(p.Routed, n.Docs)
		p.Named = append(p.Named, n.Word)
	}
	return p
}

// once is the terms, each once.
func once(terms []string) (out []string) {
	for _, t := range terms {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}
