package query

import (
	"container/list"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/chunker"
	"github.com/fingerpost/fingerpost/pkg/doc"
)

// shape is what is read of a generation to find its places: the tree, and the windows of its long nodes.
type shape struct {
	*doc.Tree
	windows doc.Windows
}

// load reads both; a version without long nodes has no windows, nor has one of an older program.
func (w *Worker) load(ctx context.Context, ref artefact.Ref) (*shape, error) {
	t, err := w.Artefacts.Tree(ctx, ref)
	if err != nil {
		return nil, err
	}
	if err := sound(t); err != nil {
		return nil, fmt.Errorf("tree of %s: %w: %w", ref.Doc, artefact.ErrDamaged, err)
	}
	o := &shape{Tree: t}
	if t.Windows || slices.ContainsFunc(t.Nodes, func(n doc.Node) bool { return n.Bytes.Len() > chunker.LongNode }) {
		o.windows, err = w.Artefacts.Windows(ctx, ref)
	}
	return o, err
}

// apart reports whether each window of the node is a place of its own.
func (o *shape) apart(node int) bool { return o.Windows && node == 0 }

// sound reports what cannot be so in a tree: nodes follow one another without gaps, in lines as in bytes.
func sound(t *doc.Tree) error {
	line, at := 0, int64(0)
	for i, n := range t.Nodes {
		if n.ID.Number() != i || n.Bytes.Start != at || n.Bytes.End < at {
			return fmt.Errorf("node %d is named %q and has the bytes %d-%d, after %d", i, n.ID, n.Bytes.Start, n.Bytes.End, at)
		}
		if n.Bytes.Len() > 0 && (n.Lines.Start != line+1 || n.Lines.End < n.Lines.Start) {
			return fmt.Errorf("node %s has the lines %d-%d, after %d", n.ID, n.Lines.Start, n.Lines.End, line)
		}
		at, line = n.Bytes.End, max(line, n.Lines.End)
	}
	return nil
}

// nodes is how much memory the shape takes, in nodes of about 500 bytes.
func (o *shape) nodes() int {
	n := 1 + len(o.Nodes)
	for _, ws := range o.windows {
		n += len(ws)
	}
	return n
}

// trees keeps the shapes used last, by their number and by their nodes: trees of a million headings do not fill the
// memory. A shape of a generation never changes, so there is nothing to invalidate.
type trees struct {
	mu    sync.Mutex
	limit int // shapes
	most  int // nodes of all of them, but one is always kept
	nodes int
	order *list.List // of *held, used last in front
	byRef map[artefact.Ref]*list.Element
	load  func(context.Context, artefact.Ref) (*shape, error)
}

type held struct {
	ref  artefact.Ref
	tree *shape
}

func newTrees(limit, nodes int, load func(context.Context, artefact.Ref) (*shape, error)) *trees {
	if nodes <= 0 {
		nodes = 200_000
	}
	return &trees{limit: max(limit, 8), most: nodes, order: list.New(), byRef: map[artefact.Ref]*list.Element{}, load: load}
}

// get is the shape of a generation, from memory or the derived bucket.
func (c *trees) get(ctx context.Context, ref artefact.Ref) (*shape, error) {
	c.mu.Lock()
	if e := c.byRef[ref]; e != nil {
		c.order.MoveToFront(e)
		c.mu.Unlock()
		return e.Value.(*held).tree, nil
	}
	c.mu.Unlock()
	t, err := c.load(ctx, ref)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byRef[ref] == nil {
		c.byRef[ref] = c.order.PushFront(&held{ref, t})
		c.nodes += t.nodes()
	}
	for c.order.Len() > 1 && (c.order.Len() > c.limit || c.nodes > c.most) {
		h := c.order.Remove(c.order.Back()).(*held)
		delete(c.byRef, h.ref)
		c.nodes -= h.tree.nodes()
	}
	return t, nil
}
