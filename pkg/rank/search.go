package rank

import (
	"context"
	"fmt"
	"math"

	"golang.org/x/sync/errgroup"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// Query is a question made ready for the index.
type Query struct {
	Terms  []string  // its analysed words; empty: no list by words
	Vector []float32 // of unit length; nil: words only
	// Extra are words of the right place, and Titles what it is called, as a vocabulary tells them; analysed.
	Extra []string
	// Same are other words for what the question says, analysed.
	Same   []string
	Titles [][]string
	Refs   []string // structural references in canonical form: "note:15"; the first MaxRefs count
	Docs   vector.Filter
	// Halves are the analysed words of each part of a question that asks for several things: the best place of each is
	// kept among the first, by its own words. Empty: it asks for one.
	Halves [][]string
	// Statements are the kinds of statement that are asked for: the best place of each kind gets its weight, every
	// breakdown does.
	Statements []Wanted
	// Prior is added to the score of every node of a document: how well it fits the period and form asked for. nil: none.
	Prior map[doc.Prefix]float64
	// Aside: the question wants the figures of a part, of another one or on another basis (see AsksAside).
	Aside bool
	Limit int // candidates a list; below 1: Candidates
	// Windows locates the hits of the first Places nodes of a ranking in their windows; nil: nodes are places as they are.
	Windows Locate
	Places  int
}

// Wanted is a kind of statement (see MarkStatements) that a question wants.
type Wanted struct {
	Kind   string
	Weight float64 // added to the score
}

// Parts are the lists of one question, each best first.
type Parts struct {
	Windows []vector.Hit // KindWindow, Terms
	Rows    []vector.Hit // KindRow, Terms
	Crumbs  []vector.Hit // KindNode, Crumb
	Dense   []vector.Hit // KindChunk, by vector
	Refs    []RefHits    // KindNode, by structural reference

	// What the vocabulary adds, empty without one.
	ExtraWindows []vector.Hit   // KindWindow, by Extra
	ExtraRows    []vector.Hit   // KindRow, by Extra
	SameWindows  []vector.Hit   // KindWindow, by Same
	Titles       [][]vector.Hit // KindNode, a list for each of Titles
	// Idf is the sum of the Terms' idf among rows: what a row that holds every word would score at most.
	Idf        float64
	WindowIdf  float64 // the same among windows; with a vector only
	Statements []WantedHits
	// Prior is Query.Prior, Aside is Query.Aside.
	Aside bool
	Prior map[doc.Prefix]float64
}

// RefHits are the nodes that one reference leads to in one way.
type RefHits struct {
	Ref  string // "note:15"
	Way  byte   // one of Ways
	Hits []vector.Hit
}

// WantedHits are the nodes that are a kind of statement.
type WantedHits struct {
	Wanted
	Hits []vector.Hit
}

// Ways are the prefixes of doc.Chunk.Refs: how a reference leads to a node.
const Ways = "=+^~"

// Search asks the index for the lists of q, side by side.
func Search(ctx context.Context, ix vector.Index, b vector.Build, t doc.Tenant, q Query) (Parts, error) {
	if q.Limit < 1 {
		q.Limit = Candidates
	}
	g, ctx := errgroup.WithContext(ctx)
	s := searching{ctx: ctx, g: g, ix: ix, build: b, tenant: t, q: q}
	p := Parts{Prior: q.Prior, Aside: q.Aside, Refs: refLists(q.Refs), Statements: wantedLists(q.Statements), Titles: make([][]vector.Hit, min(len(q.Titles), MaxTitles))}
	s.words(&p.Windows, doc.KindWindow, vector.Terms, q.Terms)
	s.words(&p.Rows, doc.KindRow, vector.Terms, q.Terms)
	s.words(&p.Crumbs, doc.KindNode, vector.Crumb, q.Terms)
	s.vocabulary(&p)
	for i := range p.Refs {
		r := &p.Refs[i]
		s.words(&r.Hits, doc.KindNode, vector.Terms, []string{string(r.Way) + r.Ref})
	}
	for i := range p.Statements {
		w := &p.Statements[i]
		s.words(&w.Hits, doc.KindNode, vector.Terms, []string{"=" + StatementRef(w.Kind)})
	}
	s.words(&p.SameWindows, doc.KindWindow, vector.Terms, q.Same)

	s.near(&p)
	return p, g.Wait()
}

// searching is the lists of one question on their way.
type searching struct {
	ctx    context.Context
	g      *errgroup.Group
	ix     vector.Index
	build  vector.Build
	tenant doc.Tenant
	q      Query
}

// words asks for a list by words; none without terms.
func (s *searching) words(into *[]vector.Hit, k doc.Kind, f vector.Field, terms []string) {
	if len(terms) == 0 {
		return
	}
	s.g.Go(func() (err error) {
		*into, err = s.ix.Words(s.ctx, s.build, s.tenant, k, f, terms, s.q.Docs, s.q.Limit)
		return wrap(err, string(k))
	})
}

// vocabulary asks for what the vocabulary adds, and for how rare the question's own words are: its gate needs it.
func (s *searching) vocabulary(p *Parts) {
	if len(s.q.Extra) == 0 && len(s.q.Titles) == 0 {
		return
	}
	s.words(&p.ExtraWindows, doc.KindWindow, vector.Terms, s.q.Extra)
	s.words(&p.ExtraRows, doc.KindRow, vector.Terms, s.q.Extra)
	titles := *s
	titles.q.Limit = min(s.q.Limit, TitleCandidates)
	for i := range p.Titles {
		titles.words(&p.Titles[i], doc.KindNode, vector.Terms, s.q.Titles[i])
	}
	s.g.Go(func() (err error) {
		p.Idf, err = idf(s.ctx, s.ix, s.build, s.tenant, doc.KindRow, s.q.Terms)
		return wrap(err, "row")
	})
}

// near asks for the chunks next to the question's vector; none without one.
func (s *searching) near(p *Parts) {
	if len(s.q.Vector) == 0 {
		return
	}
	s.g.Go(func() (err error) {
		p.WindowIdf, err = idf(s.ctx, s.ix, s.build, s.tenant, doc.KindWindow, s.q.Terms)
		return wrap(err, "window")
	})
	s.g.Go(func() (err error) {
		p.Dense, err = s.ix.Near(s.ctx, s.build, s.tenant, s.q.Vector, s.q.Docs, s.q.Limit)
		return wrap(err, "chunk")
	})
}

func wrap(err error, list string) error {
	if err != nil {
		return fmt.Errorf("search %ss: %w", list, err)
	}
	return nil
}

// refLists is a list to fill for each reference and way.
func refLists(refs []string) []RefHits {
	var lists []RefHits
	for _, r := range refs[:min(len(refs), MaxRefs)] {
		for _, way := range []byte(Ways) {
			lists = append(lists, RefHits{Ref: r, Way: way})
		}
	}
	return lists
}

// wantedLists is a list to fill for each kind of statement.
func wantedLists(wanted []Wanted) []WantedHits {
	lists := make([]WantedHits, len(wanted))
	for i, w := range wanted {
		lists[i].Wanted = w
	}
	return lists
}

// idf is the sum of the terms' idf among the entries of a kind, as the port's contract defines it.
func idf(ctx context.Context, ix vector.Index, b vector.Build, t doc.Tenant, k doc.Kind, terms []string) (float64, error) {
	n, total, err := ix.Frequencies(ctx, b, t, k, vector.Terms, terms)
	if err != nil {
		return 0, err
	}
	var sum float64
	for _, x := range n {
		sum += math.Log(1 + (float64(total)-float64(x)+.5)/(float64(x)+.5))
	}
	return sum, nil
}
