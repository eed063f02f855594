package query

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

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
	tree   *shape
	node   doc.Node // with the lines, bytes and hash of text, where a window is the place
	text   []byte
	part   bool // the lines are not whole
	around int  // byte of text near which the hit is
}

// errMoved says that the version ranked was purged before it could be read: a newer one is on its way.
var errMoved = errors.New("the version was replaced while it was read")

// errDamaged says that what is stored is not what was stored: it is never shown.
var errDamaged = errors.New("stored text is damaged")

// at is a place within one generation of a document: a node, of it a window.
type at struct {
	generation doc.Generation
	node       int
	// window and last are ordinals, both ends included: where the hit is. They count only for nodes whose windows are
	// listed; below 0 the node is meant.
	window, last int
}

// readNode fetches exactly the bytes of a node, or of its window where each window is a place, and verifies their hash.
// It fails with errMoved or errDamaged, or because a server is away.
func (w *Worker) readNode(ctx context.Context, r ledger.Record, p at) (*readNode, error) {
	ref := artefact.Ref{Tenant: r.Tenant, Doc: r.DocID, Generation: p.generation}
	tree, err := w.tree(ctx, ref)
	if err != nil {
		return nil, err
	}
	if p.node < 0 || p.node >= len(tree.Nodes) {
		return nil, fmt.Errorf("%w: the tree of %s has no node %d", errDamaged, r.Key, p.node)
	}
	x := &readNode{record: r, tree: tree, node: tree.Nodes[p.node]}
	ws := within(tree.windows[p.node], p)
	if len(ws) > 0 && !tree.apart(p.node) {
		x.around, ws = int(ws[0].Bytes.Start-x.node.Bytes.Start), nil
	}
	x.narrow(ws)
	if x.text, err = w.Artefacts.Range(ctx, ref, x.node.Bytes); err != nil {
		return nil, unreadable(err)
	}
	if err := x.verify(ws); err != nil {
		return nil, err
	}
	return x, nil
}

// within is the windows of p that are listed.
func within(ws []doc.Window, p at) []doc.Window {
	if p.window < 0 || p.last < p.window || p.last >= len(ws) {
		return nil
	}
	return ws[p.window : p.last+1]
}

// narrow makes the windows, which follow one another without gaps, the place; none: the node is.
func (x *readNode) narrow(ws []doc.Window) {
	if len(ws) == 0 {
		return
	}
	first, last := ws[0], ws[len(ws)-1]
	x.node.Lines = doc.Lines{Start: first.Lines.Start, End: last.Lines.End}
	x.node.Bytes = doc.Bytes{Start: first.Bytes.Start, End: last.Bytes.End}
	x.node.Pages, x.part = nil, first.Part || last.Part
}

// verify holds the text against the hash of the node, or of each window, and against the lines that it is said to have.
func (x *readNode) verify(ws []doc.Window) error {
	for _, win := range ws {
		from, to := win.Bytes.Start-x.node.Bytes.Start, win.Bytes.End-x.node.Bytes.Start
		if from < 0 || to < from || to > int64(len(x.text)) || doc.SHA256(x.text[from:to]) != win.SHA256 {
			return fmt.Errorf("%w: the window of lines %d-%d of %s does not have the hash that is listed", errDamaged, win.Lines.Start, win.Lines.End, x.record.Key)
		}
	}
	hash := doc.SHA256(x.text)
	if len(ws) > 0 {
		x.node.SHA256 = hash
	}
	if hash != x.node.SHA256 {
		return fmt.Errorf("%w: the bytes of node %s of %s do not have the hash that the tree names", errDamaged, x.node.ID, x.record.Key)
	}
	if n := countLines(x.text); n > 0 && n != x.node.Lines.End-x.node.Lines.Start+1 {
		return fmt.Errorf("%w: node %s of %s has %d lines, not %d-%d", errDamaged, x.node.ID, x.record.Key, n, x.node.Lines.Start, x.node.Lines.End)
	}
	return nil
}

// covering is the first and the last of the windows that hold the lines together; -1 when there are gaps or none.
func covering(ws []doc.Window, l doc.Lines) (first, last int) {
	for i, win := range ws {
		if !win.Part && win.Lines.Start <= l.Start && l.End <= win.Lines.End {
			return i, i
		}
	}
	first = slices.IndexFunc(ws, func(win doc.Window) bool { return win.Lines.End >= l.Start })
	for first > 0 && ws[first].Part && ws[first-1].Lines.End >= ws[first].Lines.Start {
		first--
	}
	if first < 0 || ws[first].Lines.Start > l.Start {
		return -1, -1
	}
	last = first
	for last+1 < len(ws) && (ws[last].Lines.End < l.End || ws[last+1].Part && ws[last+1].Lines.Start <= ws[last].Lines.End) {
		if last++; ws[last].Bytes.Start > ws[last-1].Bytes.End {
			return -1, -1
		}
	}
	return first, last
}

// countLines is the number of lines of a text.
func countLines(text []byte) int {
	n := bytes.Count(text, []byte{'\n'})
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// tree is a generation's, of a shape that may be worked with.
func (w *Worker) tree(ctx context.Context, ref artefact.Ref) (*shape, error) {
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
			out[i], errs[i] = w.readNode(gctx, p.record, p.at())
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
	window     int
}

func nodeOf(n rank.Node) nodeAt {
	return nodeAt{n.Place.Prefix, n.Place.Generation, n.Place.Node, n.Place.Ordinal}
}

// at is where the place is read: in the window that the best hit is in.
func (f found) at() at {
	p := at{generation: f.Place.Generation, node: f.Place.Node}
	if len(f.Windows) > 0 {
		p.window, p.last = f.Windows[0], f.Windows[0]
	}
	return p
}

// cut cuts what was read to the budget, in rank order.
func cut(places []found, read []*readNode, q planned, explain bool) []api.Section {
	out := []api.Section{}
	var sources []section.Source
	for i, x := range read {
		if x == nil {
			continue
		}
		s := x.section()
		s.Rank, s.Score, s.Also = len(out)+1, places[i].Score, places[i].also
		if explain {
			s.Why = places[i].Why
		}
		out = append(out, s)
		sources = append(sources, section.Source{Text: x.text, Lines: x.node.Lines, Around: x.around, Pointer: x.pointer, Score: scorer(q, x.record)})
	}
	for i, c := range section.Resolve(sources, nil, section.Standard) {
		out[i].Text, out[i].Shown, out[i].Cut = c.Text, c.Shown, c.Cut || out[i].Cut
	}
	return out
}

// section is the node as a reply names it, without its text.
func (x *readNode) section() api.Section {
	n := x.node
	return api.Section{
		Bucket: x.record.Bucket, Key: x.record.Key, DocID: x.record.DocID, Version: x.record.CurrentVersion,
		NodeID: n.ID, Anchor: n.Anchor, Title: n.Title, Breadcrumb: x.breadcrumb(), Lines: n.Lines, Span: n.Span,
		Bytes: n.Bytes, Pages: n.Pages, Pointer: x.pointer(n.Lines), Cut: x.part, Spots: []api.Spot{},
	}
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
