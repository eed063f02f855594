// Package parse is the worker that turns an object into Source Markdown and its tree.
package parse

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/facts"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/outline"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/route"
	"github.com/fingerpost/fingerpost/pkg/source"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

// Worker parses.
type Worker struct {
	Blobs     blob.Store
	Artefacts artefact.Store
	Ledger    *ledger.Ledger
	MaxSize   int64 // bytes of one object
	// Look asks intake to look at an object again: what the job speaks of is no longer there.
	Look func(ctx context.Context, bucket, key string) error
	// Read turns the bytes of an object into its Source; nil is source.Parse with its limits.
	Read func(ctx context.Context, key string, raw []byte) (source.Source, error)
}

// Do parses the job's version and leaves source.md and tree.json.
func (w *Worker) Do(ctx context.Context, j wire.Job) ([]pipeline.Next, error) {
	r, err := pipeline.Fence(ctx, w.Ledger, w.Artefacts, j)
	if err != nil {
		return nil, err
	}
	raw, err := w.read(ctx, j)
	if err != nil {
		return nil, err
	}
	src, tree, err := w.understand(ctx, j, raw)
	if err != nil {
		return nil, err
	}
	known, refused := facts.Of(src.Markdown, tree).With(r.Meta)
	if err := w.Ledger.Note(ctx, j.Tenant, j.DocID, j.Generation, notes(src, tree, refused)); err != nil {
		return nil, err
	}
	ref := artefact.Ref{Tenant: j.Tenant, Doc: j.DocID, Generation: j.Generation}
	if err := w.store(ctx, ref, j, src, tree, known); err != nil {
		return nil, err
	}
	if _, err := pipeline.Fence(ctx, w.Ledger, w.Artefacts, j); err != nil {
		return nil, err
	}
	j.Kind = wire.Parsed
	return []pipeline.Next{{Stage: wire.Chunk, Job: j}}, nil
}

// understand turns the bytes into a Source and its tree, or takes what another site has made of these very bytes.
func (w *Worker) understand(ctx context.Context, j wire.Job, raw []byte) (src source.Source, tree *doc.Tree, err error) {
	known, err := w.Artefacts.ShelvedText(ctx, j.Tenant, j.DocID, j.Version)
	if err != nil {
		return src, nil, err
	}
	if known != nil {
		src = source.Source{Markdown: known.Source, Layout: known.Layout, Warnings: known.Notes}
		for _, f := range known.Figures {
			src.Figures = append(src.Figures, source.Figure(f))
		}
		return src, known.Tree, nil
	}
	read := w.Read
	if read == nil {
		read = source.Parse
	}
	if src, err = read(ctx, j.Key, raw); err != nil {
		return src, nil, err
	}
	tree, err = outline.Build(j.DocID, j.Version, src.Markdown, outline.Options{Plain: src.Kind == source.Text, KeepLevels: src.KnownLevels, Levels: src.Levels, Windows: src.Windows})
	return src, tree, err
}

// store leaves the artefacts, side by side: each is a request to the object store.
func (w *Worker) store(ctx context.Context, ref artefact.Ref, j wire.Job, src source.Source, tree *doc.Tree, known facts.Facts) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return w.Artefacts.PutSource(ctx, ref, src.Markdown) })
	g.Go(func() error { return w.Artefacts.PutTree(ctx, ref, tree) })
	if src.Layout != nil {
		g.Go(func() error { return w.Artefacts.PutLayout(ctx, ref, src.Layout) })
	}
	g.Go(func() error {
		for _, f := range src.Figures {
			if err := w.Artefacts.PutFigure(ctx, ref, f.Name, f.PNG); err != nil {
				return err
			}
		}
		return nil
	})
	g.Go(func() error {
		c := route.CardOf(doc.PrefixOf(j.DocID), j.Key, src.Markdown)
		c.Facts = known
		card, err := json.Marshal(c)
		if err != nil {
			return err
		}
		return w.Artefacts.PutCard(ctx, ref, card)
	})
	return g.Wait()
}

// notes is what status says of a Source that is weaker than usual.
func notes(src source.Source, tree *doc.Tree, refused []string) []string {
	n := src.Warnings
	for _, name := range refused {
		n = append(n, "the metadata says of "+name+" what it cannot be; the text's own was kept")
	}
	if tree.Windows && tree.Why != "" {
		n = append(n, "sliding windows instead of a tree: "+tree.Why)
	}
	return pipeline.Cuts(n, notesMost)
}

// notesMost is how many notes of a Source are kept: their text may come from the file.
const notesMost = 20

// read fetches exactly the job's version. When the bucket holds another one meanwhile, intake is
// asked to look again and this work ends.
func (w *Worker) read(ctx context.Context, j wire.Job) ([]byte, error) {
	o := blob.GetOptions{IfMatch: j.ETag, VersionID: j.VersionID}
	raw, _, err := blob.ReadAll(ctx, w.Blobs, j.Bucket, j.Key, o, w.MaxSize)
	if err == nil && doc.VersionOf(raw) == j.Version {
		return raw, nil
	}
	if _, ok := errors.AsType[*blob.TooLargeError](err); ok {
		return nil, fault.Failf(doc.TooLarge, "%w of %d bytes", err, w.MaxSize)
	}
	if err != nil && !errors.Is(err, blob.ErrNotFound) && !errors.Is(err, blob.ErrPrecondition) && !errors.Is(err, blob.ErrNoBucket) {
		return nil, fmt.Errorf("read: %w", err)
	}
	// The version may be back by the time intake looks: then its next job must be no duplicate of this one.
	if _, err := w.Ledger.Again(ctx, j.Tenant, j.DocID, j.Generation); err != nil {
		return nil, err
	}
	if err := w.Look(ctx, j.Bucket, j.Key); err != nil {
		return nil, err
	}
	return nil, fault.Supersededf("the bucket holds another version of %s by now", j.Key)
}
