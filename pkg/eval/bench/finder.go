package bench

import (
	"context"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/eval"
	"github.com/fingerpost/fingerpost/pkg/plan"
	"github.com/fingerpost/fingerpost/pkg/rank"
	"github.com/fingerpost/fingerpost/pkg/reference"
	"github.com/fingerpost/fingerpost/pkg/route"
	"github.com/fingerpost/fingerpost/pkg/section"
	"github.com/fingerpost/fingerpost/pkg/words"
)

// Mode says what a finder makes use of; windows with their breadcrumb always.
type Mode struct {
	Rows  bool // table rows
	Crumb bool // the breadcrumb as a field of its own
	Refs  bool // structural references
	Clean bool // the question without instructions
	Route bool // only the documents that the question names, by its other words, one ranking each
	// Facts limits to the documents of the owners that the question names, and prefers those of the period and form
	// it asks for.
	Facts bool
	// Vocabulary adds where things live; nil: none.
	Vocabulary *route.Vocabulary
	// Vector gives the vector of a question; nil: words only.
	Vector  func(ctx context.Context, text string) ([]float32, error)
	Weights rank.Weights // the zero Weights: rank.Standard
	Budget  section.Budget
	Limit   int // candidates a list; 0: rank.Candidates
	// Whole gives sections uncut, with their whole text as context.
	Whole bool
}

// Finder finds sections of the corpus.
func (c *Corpus) Finder(m Mode) eval.Finder {
	if m.Weights == (rank.Weights{}) {
		m.Weights = rank.Standard()
	}
	return func(ctx context.Context, question string, k int) ([]eval.Place, error) {
		nodes, terms, err := c.rank(ctx, m, question)
		if err != nil {
			return nil, err
		}
		return c.places(m, c.distinct(nodes, k), terms), nil
	}
}

// rank is the ranked nodes for a question and the terms that were searched.
func (c *Corpus) rank(ctx context.Context, m Mode, question string) ([]rank.Node, []string, error) {
	rules := route.Rules{Vocabulary: m.Vocabulary}
	if m.Refs {
		rules.References = reference.OfQuestion
	}
	if m.Route {
		rules.Names = c.table
	}
	if m.Facts {
		rules.Library = c.library
	}
	r := rules.Read(question)
	if !m.Clean {
		r.Text = question
	}
	q := plan.Of(r, c.langs, m.Weights)
	q.Limit = m.Limit
	if m.Vector != nil {
		var err error
		if q.Vector, err = m.Vector(ctx, q.Text); err != nil {
			return nil, nil, err
		}
	}
	if !m.Rows {
		q.Weights.Row = 0
	}
	if !m.Crumb {
		q.Weights.Crumb = 0
	}
	nodes, err := rank.Find(ctx, c.ix, build, tenant, q.Query, q.Routed, q.Weights)
	return nodes, q.Terms, err
}

// distinct is the first k nodes without those that say nearly the same as an earlier one of their document.
func (c *Corpus) distinct(nodes []rank.Node, k int) []rank.Node {
	var kept []rank.Node
	texts := map[doc.Prefix][][]byte{}
	for _, n := range nodes {
		if len(kept) == k {
			break
		}
		e := c.by[n.Place.Prefix]
		b := e.tree.Nodes[n.Place.Node].Bytes
		all := append(texts[n.Place.Prefix], e.src[b.Start:b.End])
		if len(section.Distinct(all)) == len(all) {
			kept, texts[n.Place.Prefix] = append(kept, n), all
		}
	}
	return kept
}

// places resolves nodes under the budget.
func (c *Corpus) places(m Mode, nodes []rank.Node, terms []string) []eval.Place {
	var sources []section.Source
	var places []eval.Place
	for _, n := range nodes {
		e := c.by[n.Place.Prefix]
		node := e.tree.Nodes[n.Place.Node]
		text := e.src[node.Bytes.Start:node.Bytes.End]
		analyse := func(s string) []string { return words.Analyze(s, e.lang) }
		sources = append(sources, section.Source{Text: text, Lines: node.Lines, Score: section.Words(terms, analyse)})
		places = append(places, eval.Place{Doc: e.name, Lines: node.Lines, Text: string(text)})
	}
	if m.Whole {
		return places
	}
	for i, s := range section.Resolve(sources, nil, m.Budget) {
		places[i].Text, places[i].Shown = s.Text, s.Shown
	}
	return places
}
