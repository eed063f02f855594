package query

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
)

// pageBytes is the size of one reply's text or list, as JSON; replies stay far under the server's payload limit.
const pageBytes = 256 << 10

// errForeign answers for a document that is not there and for one of another tenant alike.
func errForeign() error { return refuse(404, "no such document") }

// Read follows a pointer to its lines.
func (w *Worker) Read(ctx context.Context, t doc.Tenant, req api.ReadRequest) (api.ReadReply, error) {
	p, x, err := w.follow(ctx, t, req.Pointer)
	if err != nil {
		return api.ReadReply{}, err
	}
	text, err := lines(x, p.Lines)
	if err != nil {
		return api.ReadReply{}, err
	}
	return w.readPage(x, p, text, req)
}

// unshown words why a stored text is not shown; other errors pass.
func (w *Worker) unshown(r ledger.Record, err error) error {
	switch {
	case errors.Is(err, errMoved):
		return refuse(410, "superseded: the document changed while it was read; find the place again")
	case errors.Is(err, errDamaged):
		w.Log.Error("text not shown", "tenant", r.Tenant, "key", r.Key, "err", err)
		return refuse(500, "the stored text of %s is not what was stored, so it is not shown; put the document again with a change, or have it repaired", r.Key)
	}
	return err
}

// visible is the record of a document of the tenant that has a current version.
func (w *Worker) visible(ctx context.Context, t doc.Tenant, id doc.ID) (ledger.Record, error) {
	r, err := w.Ledger.Get(ctx, t, id)
	if errors.Is(err, bus.ErrNoKey) || err == nil && (r.Tenant != t || r.Current == 0) {
		return r, errForeign()
	}
	return r, err
}

// byAnchor reads the node, of which the pointer names lines; where windows are places, those that hold the lines.
func (w *Worker) byAnchor(ctx context.Context, r ledger.Record, anchor string, l doc.Lines) (*readNode, error) {
	tree, err := w.tree(ctx, refOf(r))
	if err != nil {
		return nil, err
	}
	n := tree.ByAnchor(anchor)
	if n < 0 {
		return nil, refuse(404, "document %s has no section %q", r.Key, anchor)
	}
	p := at{generation: r.Current, node: n, window: -1}
	if tree.apart(n) {
		p.window, p.last = covering(tree.windows[n], l)
	}
	return w.readNode(ctx, r, p)
}

// lines cuts the asked lines out of the node's text.
func lines(x *readNode, l doc.Lines) ([]byte, error) {
	if l.Start < x.node.Lines.Start || l.End > x.node.Lines.End {
		return nil, refuse(404, "the section has lines %d-%d, not %d-%d", x.node.Lines.Start, x.node.Lines.End, l.Start, l.End)
	}
	from, n := 0, x.node.Lines.Start
	for ; n < l.Start; n++ {
		from += bytes.IndexByte(x.text[from:], '\n') + 1
	}
	to := from
	for ; n <= l.End; n++ {
		i := bytes.IndexByte(x.text[to:], '\n')
		if i < 0 {
			return x.text[from:], nil
		}
		to += i + 1
	}
	return x.text[from:to], nil
}

// readPage is the page of the text that the request asks for.
func (w *Worker) readPage(x *readNode, p doc.Pointer, text []byte, req api.ReadRequest) (api.ReadReply, error) {
	if req.Offset < 0 || req.Offset > len(text) || req.Offset == len(text) && req.Offset > 0 {
		return api.ReadReply{}, refuse(400, "offset %d is outside the text of %d bytes", req.Offset, len(text))
	}
	if req.Offset > 0 && !utf8.RuneStart(text[req.Offset]) {
		return api.ReadReply{}, refuse(400, "offset %d is within a character; use the one that the last page gave", req.Offset)
	}
	rep := api.ReadReply{Pointer: p.String(), Bucket: x.record.Bucket, Key: x.record.Key, Title: x.node.Title, Breadcrumb: x.breadcrumb(),
		Lines: p.Lines, Pages: x.node.Pages, SHA256: x.node.SHA256}
	page := text[req.Offset:]
	if end := fill(page); end < len(page) {
		page, rep.Next = page[:end], req.Offset+end
	}
	rep.Text = string(page)
	return rep, nil
}

// fill is how many of the bytes, in whole characters, fill a page as JSON writes them.
func fill(text []byte) int {
	size := 0
	for i, r := range string(text) {
		switch n := utf8.RuneLen(r); {
		case r < ' ' && r != '\n' && r != '\t' && r != '\r', r == '<', r == '>', r == '&', r == '\u2028', r == '\u2029', r == utf8.RuneError, r == 0x7f:
			size += 6
		case r < ' ', r == '"', r == '\\':
			size += 2
		default:
			size += n
		}
		if size > pageBytes {
			return i
		}
	}
	return len(text)
}

// Tree pages the tree of a document.
func (w *Worker) Tree(ctx context.Context, t doc.Tenant, req api.TreeRequest) (api.TreeReply, error) {
	r, err := w.named(ctx, t, req.Bucket, req.Key, req.DocID)
	if err != nil {
		return api.TreeReply{}, err
	}
	tree, err := w.tree(ctx, refOf(r))
	if err != nil {
		return api.TreeReply{}, w.unshown(r, err)
	}
	rep := api.TreeReply{Tree: *tree.Tree, Key: r.Key}
	from, to, err := page(len(tree.Nodes), req.Cursor, req.Limit)
	if err != nil {
		return rep, err
	}
	rep.Nodes = fit(tree.Nodes[from:to])
	if to = from + len(rep.Nodes); to < len(tree.Nodes) {
		rep.Next = to
	}
	return rep, nil
}

// named is the visible document that a request names by doc_id, or by key and bucket.
func (w *Worker) named(ctx context.Context, t doc.Tenant, bucket, key string, id doc.ID) (ledger.Record, error) {
	if id != "" {
		return w.visible(ctx, t, id)
	}
	switch found := w.table.byKey(t, bucket, key); len(found) {
	case 0:
		return ledger.Record{}, errForeign()
	case 1:
		return w.visible(ctx, t, found[0].DocID)
	default:
		return ledger.Record{}, refuse(400, "%d buckets hold the key %q; name the bucket", len(found), key)
	}
}

// page is the half-open range of a page.
func page(n, cursor, limit int) (from, to int, err error) {
	switch {
	case cursor < 0 || limit < 0:
		return 0, 0, refuse(400, "cursor %d and limit %d must not be negative", cursor, limit)
	case cursor > 0 && cursor >= n:
		return 0, 0, refuse(400, "cursor %d is beyond the end: there are %d, counted from 0", cursor, n)
	case limit == 0:
		limit = api.DefaultPage
	}
	return cursor, cursor + min(limit, api.MaxPage, n-cursor), nil
}

// fit is as many of the first elements as a reply may carry, at least one.
func fit[T any](all []T) []T {
	size := 0
	for i := range all {
		b, _ := json.Marshal(all[i])
		if size += len(b) + 1; size > pageBytes && i > 0 {
			return all[:i]
		}
	}
	return all
}

// Documents lists.
func (w *Worker) Documents(_ context.Context, t doc.Tenant, req api.DocumentsRequest) (api.DocumentsReply, error) {
	all := w.table.list(t, func(r *ledger.Record) bool {
		return strings.HasPrefix(r.Key, req.Prefix) && (req.State == "" || r.State == req.State) && (req.Cursor == "" || place(*r) > req.Cursor)
	})
	_, to, err := page(len(all), 0, req.Limit)
	if err != nil {
		return api.DocumentsReply{}, err
	}
	rep := api.DocumentsReply{Documents: make([]api.Document, to)}
	for i, r := range all[:to] {
		rep.Documents[i] = api.Document{Bucket: r.Bucket, Key: r.Key, DocID: r.DocID, Version: r.Version, Generation: r.Generation,
			State: r.State, Level: r.Level, Class: r.Class, Reason: r.Reason, Notes: r.Notes, Facts: facts(r), Meta: r.Meta}
	}
	rep.Documents = fit(rep.Documents)
	if to = len(rep.Documents); to > 0 && to < len(all) {
		rep.Next = place(all[to-1])
	}
	return rep, nil
}

// facts are what is known of a document; the object's own metadata of the same name has the last word, but for the
// language, of which intake has taken what it knows.
func facts(r ledger.Record) map[string]string {
	out := maps.Clone(r.Facts)
	for k := range out {
		if v, ok := r.Meta[k]; ok && k != "language" {
			out[k] = v
		}
	}
	return out
}

// Status counts.
func (w *Worker) Status(_ context.Context, t doc.Tenant, _ struct{}) (api.StatusReply, error) {
	s := w.table.status(t)
	s.Embedder, s.Sources, s.Questions = "none", w.Sources[t], w.bills.of(t)
	if w.Embedder != nil && w.Embedder.Fingerprint().Dimensions > 0 {
		s.Embedder = w.Embedder.Fingerprint().Model
	}
	if w.Stats != nil {
		s.Index = w.Stats(t)
	}
	return s, nil
}
