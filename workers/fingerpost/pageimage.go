package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/source/pdf"
)

// pageImage draws the page that a pointer's first line stands on, with the boxes of its lines marked.
func (c *client) pageImage(ctx context.Context, rep api.ReadReply, file string) error {
	store, err := c.store("")
	if err != nil {
		return err
	}
	layout, err := c.layout(ctx, store, rep)
	if err != nil {
		return err
	}
	page, boxes := marked(layout, rep.Lines)
	if page == 0 {
		return coded{fmt.Errorf("lines %d-%d stand on no page", rep.Lines.Start, rep.Lines.End), 3}
	}
	raw, _, err := blob.ReadAll(ctx, store, rep.Bucket, rep.Key, blob.GetOptions{}, artefact.MaxSize)
	if err != nil {
		return err
	}
	png, err := pdf.Image(ctx, rep.Key, raw, page, 110, boxes)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "page %d of %s is in %s\n", page, line(rep.Key), file)
	return os.WriteFile(file, png, 0o644)
}

// layout is the side-car of the version that the reply shows.
func (c *client) layout(ctx context.Context, store blob.Store, rep api.ReadReply) (*pdf.Layout, error) {
	p, err := doc.ParsePointer(rep.Pointer)
	if err != nil {
		return nil, err
	}
	var b []byte
	err = c.documents(ctx, api.DocumentsRequest{Prefix: rep.Key, Limit: api.MaxPage}, func(d api.Document) error {
		if d.DocID != p.Doc {
			return nil
		}
		b, err = artefact.Store{Blobs: store}.Layout(ctx, artefact.Ref{Tenant: doc.Tenant(c.tenant), Doc: d.DocID, Generation: d.Generation})
		return err
	})
	if artefact.Missing(err) || err == nil && b == nil {
		return nil, coded{errors.New("this document has no pages: --page-image is for PDF"), 3}
	}
	if err != nil {
		return nil, err
	}
	return pdf.ReadLayout(b)
}

// marked is the page of the first line that stands on one, and the boxes of the lines on it.
func marked(l *pdf.Layout, lines doc.Lines) (page int, boxes []pdf.Box) {
	for n := lines.Start; n <= lines.End; n++ {
		p, b, ok := l.At(n)
		if !ok || page != 0 && p != page {
			continue
		}
		page = p
		boxes = append(boxes, pdf.Box{float32(p), b[0], b[1], b[2], b[3]})
	}
	return page, boxes
}
