package query

import (
	"container/list"
	"context"
	"sync"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/doc"
)

// trees keeps the trees used last. A tree of a generation never changes, so there is nothing to invalidate.
type trees struct {
	mu    sync.Mutex
	limit int
	order *list.List // of *held, used last in front
	byRef map[artefact.Ref]*list.Element
	load  func(context.Context, artefact.Ref) (*doc.Tree, error)
}

type held struct {
	ref  artefact.Ref
	tree *doc.Tree
}

func newTrees(limit int, load func(context.Context, artefact.Ref) (*doc.Tree, error)) *trees {
	return &trees{limit: max(limit, 8), order: list.New(), byRef: map[artefact.Ref]*list.Element{}, load: load}
}

// get is the tree of a generation, from memory or the derived bucket.
func (c *trees) get(ctx context.Context, ref artefact.Ref) (*doc.Tree, error) {
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
	}
	for c.order.Len() > c.limit {
		e := c.order.Back()
		delete(c.byRef, c.order.Remove(e).(*held).ref)
	}
	return t, nil
}
