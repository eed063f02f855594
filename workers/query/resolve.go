package query

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/rank"
	"github.com/fingerpost/fingerpost/pkg/section"
)

// readNode is a node read back from the Source.
type readNode struct {
	record ledger.Record
	tree   *doc.Tree
	node   doc.Node
	text   []byte
}

// errMoved says that the version ranked was purged before it could be read: a newer one is on its way.
var errMoved = errors.New("the version was replaced while it was read")

// errDamaged says that what is stored is not what was stored: it is never shown.
var errDamaged = errors.New("stored text is damaged")

// readNode fetches exactly the node's bytes and verifies their hash. It fails with errMoved or errDamaged, or
// because a server is away.
func (w *Worker) readNode(ctx context.Context, r ledger.Record, g doc.Generation, n int) (*readNode, error) {
	ref := artefact.Ref{Tenant: r.Tenant, Doc: r.DocID, Generation: g}
	tree, err := w.tree(ctx, ref)
	if err != nil {
		return nil, err
	}
	if n < 0 || n >= len(tree.Nodes) {
		return nil, fmt.Errorf("%w: the tree of %s has no node %d", errDamaged, r.Key, n)
	}
	x := &readNode{record: r, tree: tree, node: tree.Nodes[n]}
	if x.text, err = w.Artefacts.Range(ctx, ref, x.node.Bytes); err != nil {
		return nil, unreadable(err)
	}
	if doc.SHA256(x.text) != x.node.SHA256 {
		return nil, fmt.Errorf("%w: the bytes of node %s of %s do not have the hash that the tree names", errDamaged, x.node.ID, r.Key)
	}
	return x, nil
}

// tree is a generation's, of a shape that may be worked with.
func (w *Worker) tree(ctx context.Context, ref artefact.Ref) (*doc.Tree, error) {
	t, err := w.trees.get(ctx, ref)
	if err != nil {
		return nil, unreadable(err)
	}
	return t, nil
}

// unreadable tells what went wrong with an artefact.
func unreadable(err error) error {
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return errMoved
	case errors.Is(err, blob.ErrRange), errors.Is(err, artefact.ErrDamaged):
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	return err
}

// pointer names lines of the node.
func (x *readNode) pointer(l doc.Lines) string {
	return doc.Pointer{Doc: x.record.DocID, Version: x.record.CurrentVersion, Anchor: x.node.Anchor, Lines: l}.String()
}

// read reads the places in parallel. One that was replaced meanwhile, or that is damaged, is nil; damaged ones
// are told in the log and left out of the next search by bad.
func (w *Worker) read(ctx context.Context, places []found, bad skips) ([]*readNode, error) {
	out, errs := make([]*readNode, len(places)), make([]error, len(places))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(8)
	for i, p := range places {
		g.Go(func() error {
			out[i], errs[i] = w.readNode(gctx, p.record, p.Place.Generation, p.Place.Node)
			if errors.Is(errs[i], errMoved) || errors.Is(errs[i], errDamaged) {
				return nil
			}
			return errs[i]
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for i, p := range places {
		if errors.Is(errs[i], errDamaged) {
			w.Log.Error("place left out", "tenant", p.record.Tenant, "key", p.record.Key, "err", errs[i])
			bad[nodeOf(p.Node)] = true
		}
	}
	return out, nil
}

// skips are nodes of versions that cannot be shown.
type skips map[nodeAt]bool

type nodeAt struct {
	prefix     doc.Prefix
	generation doc.Generation
	node       int
}

func nodeOf(n rank.Node) nodeAt { return nodeAt{n.Place.Prefix, n.Place.Generation, n.Place.Node} }

// cut cuts what was read to the budget, in rank order.
func cut(places []found, read []*readNode, q plan, explain bool) []api.Section {
	out := []api.Section{}
	left := section.Standard.Total
	for i, x := range read {
		if x == nil {
			continue
		}
		s, used := x.show(q, left)
		left -= used
		s.Rank, s.Score = len(out)+1, places[i].Score
		if explain {
			s.Why = places[i].Why
		}
		out = append(out, s)
	}
	return out
}

// show renders the node within what is left of the budget and says how much it took.
func (x *readNode) show(q plan, left int) (api.Section, int) {
	n := x.node
	src := section.Source{Text: x.text, Lines: n.Lines, Pointer: x.pointer}
	cut := section.Cut(src, scorer(q, x.record), min(section.Standard.Section, max(left, 0)))
	return api.Section{
		Bucket: x.record.Bucket, Key: x.record.Key, DocID: x.record.DocID, Version: x.record.CurrentVersion,
		NodeID: n.ID, Anchor: n.Anchor, Title: n.Title, Breadcrumb: x.breadcrumb(), Lines: n.Lines, Span: n.Span,
		Bytes: n.Bytes, Pages: n.Pages, Pointer: x.pointer(n.Lines), Text: cut.Text, Shown: cut.Shown, Cut: cut.Cut,
		Spots: []api.Spot{},
	}, len([]rune(cut.Shown))
}

func (x *readNode) breadcrumb() []string {
	if p := x.tree.Path(x.node.ID.Number()); p != nil {
		return p
	}
	return []string{}
}

// refOf names the artefacts of what is shown of a document.
func refOf(r ledger.Record) artefact.Ref {
	return artefact.Ref{Tenant: r.Tenant, Doc: r.DocID, Generation: r.Current}
}
