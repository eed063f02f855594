package query

import (
	"context"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/cell"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/value"
)

// Cell follows a pointer to the cell of a table.
func (w *Worker) Cell(ctx context.Context, t doc.Tenant, req api.CellRequest) (api.CellReply, error) {
	p, x, err := w.follow(ctx, t, req.Pointer)
	if err != nil {
		return api.CellReply{}, err
	}
	if p.Spot == (doc.Spot{}) {
		return api.CellReply{}, refuse(400, "the pointer names lines, not a cell; a cell's ends in ;t<table>r<row>c<column>")
	}
	c, ok := cell.Pick(x.text, x.node.Lines.Start, p.Spot, convention(x.record))
	if !ok {
		return api.CellReply{}, refuse(404, "the section has no cell in table %d, row %d, column %d", p.Spot.Table, p.Spot.Row, p.Spot.Column)
	}
	cite := x.citeCell(c)
	return api.CellReply{Cell: *cite.Cell, Title: x.node.Title, Breadcrumb: cite.Breadcrumb, Lines: linesOf(cite.Pointer), Quote: cite.Quote,
		Shown: cite.Shown, Verified: cite.Verified}, nil
}

// follow reads the section of a pointer, refusing what is not there, or not any more: then the present pointer is told.
func (w *Worker) follow(ctx context.Context, t doc.Tenant, pointer string) (doc.Pointer, *readNode, error) {
	p, err := doc.ParsePointer(pointer)
	if err != nil {
		return p, nil, refuse(400, "%v", err)
	}
	r, err := w.visible(ctx, t, p.Doc)
	if err != nil {
		return p, nil, err
	}
	if r.CurrentVersion != p.Version {
		return p, nil, w.superseded(ctx, r, p)
	}
	x, err := w.byAnchor(ctx, r, p.Anchor, p.Lines)
	if err != nil {
		return p, nil, w.unshown(r, err)
	}
	return p, x, nil
}

// superseded says that a pointer names a version that was replaced, and where its section stands now.
func (w *Worker) superseded(ctx context.Context, r ledger.Record, p doc.Pointer) error {
	if r.Generation == 1 { // there was no other
		return refuse(404, "the document never had the version %.12s; it has had one only, %.12s", p.Version, r.CurrentVersion)
	}
	tree, err := w.tree(ctx, refOf(r))
	if err != nil {
		return w.unshown(r, err)
	}
	n := tree.ByAnchor(p.Anchor)
	if n < 0 {
		return refuse(410, "superseded: the document has another version now (%s), without that section; find the place again", r.CurrentVersion)
	}
	now := doc.Pointer{Doc: r.DocID, Version: r.CurrentVersion, Anchor: p.Anchor, Lines: tree.Nodes[n].Lines}
	return refuse(410, "superseded: the document has another version now; the section stands at %s", now)
}

// linesOf is the lines of a pointer that we wrote.
func linesOf(pointer string) doc.Lines {
	p, _ := doc.ParsePointer(pointer)
	return p.Lines
}

// convention is how a document writes numbers.
func convention(r ledger.Record) value.Convention { return value.In(r.Facts["language"]) }

// citeCell cites one value of a table: its row is quoted, and must say both the label and the value.
func (x *readNode) citeCell(c cell.Cell) api.Citation {
	row := candidate{node: x, lines: c.Lines, shown: c.Shown(), top: c.Top()}
	cite := row.cite()
	p, _ := doc.ParsePointer(cite.Pointer)
	p.Spot = c.Spot
	cite.Pointer = p.String()
	cite.Cell = x.cell(c, cite.Pointer)
	return cite
}

// cell is a value as a reply names it.
func (x *readNode) cell(c cell.Cell, pointer string) *api.Cell {
	out := &api.Cell{Pointer: pointer, Key: x.record.Key, Text: c.Value.Text, Line: c.Line, Row: c.Label, Parents: c.Parents, Columns: c.Columns,
		Caption: c.Caption, Period: c.Period, Unit: c.Unit, Currency: c.Currency, Percent: c.Percent()}
	if f := c.Factor(); f > 1 {
		out.Scale = f
	}
	if n := c.Amount(); n != nil {
		out.Number = value.Exact(n)
	}
	for _, n := range c.Notes {
		out.Notes = append(out.Notes, api.Note{Mark: n.Mark, Text: n.Text, Line: n.Line})
	}
	return out
}
