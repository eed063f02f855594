package rank

import (
	"cmp"
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// Located says where the entries of one node stand in its windows.
type Located struct {
	Of    func(doc.Kind, int) int // the window of an entry, by their ordinals
	Apart bool                    // a document without headings: each window is a place of its own
}

// Locate tells how a node is cut into windows; nil: it is read whole.
type Locate func(context.Context, doc.Place) (*Located, error)

// locating finds the windows of the first nodes of one ranking.
type locating struct {
	q     Query
	p     Parts
	w     Weights
	known map[doc.Place]*Located
}

// locate gives the first q.Places nodes of a ranking the window that the hits lead to, first in Node.Windows. The node
// of a document without headings becomes a node for each window that was hit: Place.Ordinal is the window's, and it
// is ranked by its own hits.
func locate(ctx context.Context, q Query, p Parts, w Weights, nodes []Node) ([]Node, error) {
	if q.Windows == nil {
		return nodes, nil
	}
	l := locating{q, p, w, map[doc.Place]*Located{}}
	if err := l.ask(ctx, nodes[:min(q.Places, len(nodes))]); err != nil {
		return nil, err
	}
	done := map[doc.Place]bool{}
	for i := 0; i < min(q.Places, len(nodes)); {
		k := bare(nodes[i].Place)
		if done[k] {
			i++
			continue
		}
		done[k] = true
		if err := l.ask(ctx, nodes[i:i+1]); err != nil {
			return nil, err
		}
		loc := l.known[k]
		if loc == nil {
			continue
		}
		parts := l.parts(nodes[i], loc)
		if !loc.Apart {
			nodes[i].Windows = parts[0].Windows
			continue
		}
		rest := append(parts, nodes[i+1:]...)
		slices.SortStableFunc(rest, before)
		nodes = append(nodes[:i:i], rest...)
	}
	return nodes, nil
}

// before is best first, then by place.
func before(a, b Node) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), Compare(a.Place, b.Place), cmp.Compare(a.Place.Ordinal, b.Place.Ordinal))
}

// bare is a place without ordinal and flags.
func bare(p doc.Place) doc.Place {
	p.Ordinal, p.Flags = 0, 0
	return p
}

// ask learns of the nodes that are not known yet and need it, side by side.
func (l *locating) ask(ctx context.Context, nodes []Node) error {
	var todo []doc.Place
	for _, n := range nodes {
		if n.Place.Node > 0 && len(n.Windows) > 0 {
			continue // it has headings, and its best window is known: no need to read how it is cut
		}
		if k := bare(n.Place); !has(l.known, k) {
			l.known[k] = nil
			todo = append(todo, k)
		}
	}
	found := make([]*Located, len(todo))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(8)
	for i, k := range todo {
		g.Go(func() (err error) { found[i], err = l.q.Windows(ctx, k); return err })
	}
	err := g.Wait()
	for i, k := range todo {
		l.known[k] = found[i]
	}
	return err
}

func has(m map[doc.Place]*Located, k doc.Place) bool { _, ok := m[k]; return ok }

// parts are the windows of a node that were hit, each as a node of its own, best first; the first window when none was.
func (l *locating) parts(n Node, loc *Located) []Node {
	at := map[int]*Node{}
	part := func(h vector.Hit, k doc.Kind) *Node {
		if bare(h.ID.Place()) != bare(n.Place) {
			return nil
		}
		o := loc.Of(k, h.ID.Place().Ordinal)
		if at[o] == nil {
			at[o] = n.part(o)
		}
		return at[o]
	}
	for _, h := range l.p.Windows {
		if x := part(h, doc.KindWindow); x != nil {
			x.Why.Window = max(x.Why.Window, float64(h.Score))
		}
	}
	rows := map[*Node]int{}
	for _, h := range l.p.Rows {
		if x := part(h, doc.KindRow); x != nil && rows[x] < len(l.w.RowFold) {
			x.Why.Rows += l.w.RowFold[rows[x]] * float64(h.Score)
			rows[x]++
		}
	}
	for _, h := range l.p.Dense {
		if x := part(h, doc.KindChunk); x != nil && (x.Why.Cosine == 0 || float64(h.Score) > x.Why.Cosine) {
			x.Why.Cosine = float64(h.Score)
			x.Why.Dense = scaled(l.p.Dense, x.Why.Cosine)
		}
	}
	if len(at) == 0 {
		at[0] = n.part(0)
	}
	out := make([]Node, 0, len(at))
	for _, x := range at {
		x.rate(n, l.w)
		out = append(out, *x)
	}
	slices.SortFunc(out, before)
	return out
}

// part is the node's window o before any hit is counted.
func (n *Node) part(o int) *Node {
	x := *n
	x.Place.Ordinal, x.Windows = o, []int{o}
	x.Why.Window, x.Why.Rows, x.Why.Dense, x.Why.Cosine = 0, 0, 0, 0
	return &x
}

// scaled is a cosine as it enters the score: 0 for the last of the list, 1 for the first.
func scaled(list []vector.Hit, cos float64) float64 {
	top, least := float64(list[0].Score), float64(list[len(list)-1].Score)
	if top <= least {
		least = top - 1
	}
	return (cos - least) / (top - least)
}

// rate scores a window as its node was scored.
func (n *Node) rate(whole Node, w Weights) {
	y := &n.Why
	y.Lex = y.Window + w.Row*y.Rows + w.Crumb*y.Crumb + y.Extra
	if whole.Why.Lex > 0 {
		y.Base = y.Lex*(whole.Why.Base-y.Titles)/whole.Why.Lex + y.Titles
	}
	n.Score = whole.Score + w.mix(*y) - w.mix(whole.Why)
}
