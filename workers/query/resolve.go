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

// readNode fetches exactly the node's bytes and verifies their hash.
func (w *Worker) readNode(ctx context.Context, r ledger.Record, g doc.Generation, n int) (*readNode, error) {
	ref := artefact.Ref{Tenant: r.Tenant, Doc: r.DocID, Generation: g}
	tree, err := w.trees.get(ctx, ref)
	if err != nil {
		return nil, moved(err)
	}
	if n < 0 || n >= len(tree.Nodes) {
		return nil, fmt.Errorf("document %s has no node %d", r.DocID, n)
	}
	x := &readNode{record: r, tree: tree, node: tree.Nodes[n]}
	if x.text, err = w.Artefacts.Range(ctx, ref, x.node.Bytes); err != nil {
		return nil, moved(err)
	}
	if doc.SHA256(x.text) != x.node.SHA256 {
		return nil, fmt.Errorf("source of %s: the bytes of node %s do not have the hash that the tree names", r.Key, x.node.ID)
	}
	return x, nil
}

func moved(err error) error {
	if errors.Is(err, blob.ErrNotFound) {
		return errMoved
	}
	return err
}

// pointer names lines of the node.
func (x *readNode) pointer(l doc.Lines) string {
	return doc.Pointer{Doc: x.record.DocID, Version: x.record.CurrentVersion, Anchor: x.node.Anchor, Lines: l}.String()
}

// resolve reads the places in parallel and cuts them to the budget, in rank order.
func (w *Worker) resolve(ctx context.Context, places []found, q rank.Query, explain bool) ([]api.Section, error) {
	read := make([]*readNode, len(places))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(8)
	for i, p := range places {
		g.Go(func() (err error) {
			read[i], err = w.readNode(gctx, p.record, p.Place.Generation, p.Place.Node)
			if errors.Is(err, errMoved) {
				return nil // left out: Find searches again and meets the newer version; never a mix
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
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
	return out, nil
}

// show renders the node within what is left of the budget and says how much it took.
func (x *readNode) show(q rank.Query, left int) (api.Section, int) {
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
