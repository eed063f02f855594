package rank

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// Query is a question made ready for the index.
type Query struct {
	Terms  []string  // its analysed words; empty: no list by words
	Vector []float32 // of unit length; nil: words only
	Refs   []string  // structural references in canonical form: "note:15"; the first MaxRefs count
	Docs   vector.Filter
	Limit  int // candidates a list; below 1: Candidates
}

// Parts are the lists of one question, each best first.
type Parts struct {
	Windows []vector.Hit // KindWindow, Terms
	Rows    []vector.Hit // KindRow, Terms
	Crumbs  []vector.Hit // KindNode, Crumb
	Dense   []vector.Hit // KindChunk, by vector
	Refs    []RefHits    // KindNode, by structural reference
}

// RefHits are the nodes that one reference leads to in one way.
type RefHits struct {
	Ref  string // "note:15"
	Way  byte   // one of Ways
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
	var p Parts
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
	p.Refs = refLists(q.Refs)
	for i := range p.Refs {
		r := &p.Refs[i]
		words(&r.Hits, doc.KindNode, vector.Terms, []string{string(r.Way) + r.Ref})
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
