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
	Extra  []string
	Titles [][]string
	Refs   []string // structural references in canonical form: "note:15"; the first MaxRefs count
	Docs   vector.Filter
	// Statements are the kinds of statement that are asked for: the best place of each kind gets its weight, every
	// breakdown does.
	Statements []Wanted
	// Prior is added to the score of every node of a document: how well it fits the period and form asked for. nil: none.
	Prior map[doc.Prefix]float64
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
	Titles       [][]vector.Hit // KindNode, a list for each of Titles
	// Idf is the sum of the Terms' idf among rows: what a row that holds every word would score at most.
	Idf        float64
	Statements []WantedHits
	// Prior is Query.Prior.
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
	limit := q.Limit
	if limit < 1 {
		limit = Candidates
	}
	p := Parts{Prior: q.Prior}
	g, ctx := errgroup.WithContext(ctx)
	words := func(into *[]vector.Hit, k doc.Kind, f vector.Field, terms []string) {
		if len(terms) == 0 {
			return
		}
		g.Go(func() (err error) {
			*into, err = ix.Words(ctx, b, t, k, f, terms, q.Docs, limit)
			return wrap(err, string(k))
		})
	}
	words(&p.Windows, doc.KindWindow, vector.Terms, q.Terms)
	words(&p.Rows, doc.KindRow, vector.Terms, q.Terms)
	words(&p.Crumbs, doc.KindNode, vector.Crumb, q.Terms)
	words(&p.ExtraWindows, doc.KindWindow, vector.Terms, q.Extra)
	words(&p.ExtraRows, doc.KindRow, vector.Terms, q.Extra)
	p.Titles = make([][]vector.Hit, min(len(q.Titles), MaxTitles))
	for i := range p.Titles {
		words(&p.Titles[i], doc.KindNode, vector.Terms, q.Titles[i])
	}
	if len(q.Extra) > 0 || len(q.Titles) > 0 {
		g.Go(func() (err error) {
			p.Idf, err = idf(ctx, ix, b, t, q.Terms)
			return wrap(err, "row")
		})
	}
	p.Refs = refLists(q.Refs)
	for i := range p.Refs {
		r := &p.Refs[i]
		words(&r.Hits, doc.KindNode, vector.Terms, []string{string(r.Way) + r.Ref})
	}
	p.Statements = wantedLists(q.Statements)
	for i := range p.Statements {
		s := &p.Statements[i]
		words(&s.Hits, doc.KindNode, vector.Terms, []string{"=" + StatementRef(s.Kind)})
	}
	if len(q.Vector) > 0 {
		g.Go(func() (err error) {
			p.Dense, err = ix.Near(ctx, b, t, q.Vector, q.Docs, limit)
			return wrap(err, "chunk")
		})
	}
	return p, g.Wait()
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

// idf is the sum of the terms' idf among the rows, as the port's contract defines it.
func idf(ctx context.Context, ix vector.Index, b vector.Build, t doc.Tenant, terms []string) (float64, error) {
	n, total, err := ix.Frequencies(ctx, b, t, doc.KindRow, vector.Terms, terms)
	if err != nil {
		return 0, err
	}
	var sum float64
	for _, x := range n {
		sum += math.Log(1 + (float64(total)-float64(x)+.5)/(float64(x)+.5))
	}
	return sum, nil
}
