// Package chunk is the worker that cuts the Source along its tree into proxies.
package chunk

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/chunker"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/rank"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

// Worker chunks.
type Worker struct {
	Artefacts artefact.Store
	Ledger    *ledger.Ledger
	Options   chunker.Options
	// Embeds: the build has an embedder, so the chunks go there too.
	Embeds bool
	// From is the folder whose parsed text is taken when the build has none of its own; "" for none.
	From string
	// Peers are the builds that a job is done for; nil: its own.
	Peers pipeline.Peers
}

// Do reads source.md and tree.json, leaves chunks.jsonl and windows.json, and hands on to index (words first) and embed.
func (w *Worker) Do(ctx context.Context, j wire.Job) ([]pipeline.Next, error) {
	if _, err := pipeline.Fence(ctx, w.Ledger, w.Artefacts, j); err != nil {
		return nil, err
	}
	ref := artefact.Ref{Tenant: j.Tenant, Doc: j.DocID, Generation: j.Generation}
	if w.From != "" {
		err := w.Artefacts.Inherit(ctx, ref, w.From)
		if artefact.Missing(err) { // it was not parsed there, or is purged: here it is parsed anew
			j.Kind = wire.Dropped
			return []pipeline.Next{{Stage: wire.Parse, Job: j}}, nil
		}
		if err != nil {
			return nil, err
		}
	}
	var src []byte
	var tree *doc.Tree
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() (err error) { src, err = w.Artefacts.Source(gctx, ref); return err })
	g.Go(func() (err error) { tree, err = w.Artefacts.Tree(gctx, ref); return err })
	if err := g.Wait(); err != nil {
		return nil, err
	}
	chunks, err := chunker.Chunks(src, tree, w.Options)
	if err != nil {
		return nil, err
	}
	rank.MarkStatements(chunks)
	if err := w.Artefacts.PutChunks(ctx, ref, chunks); err != nil {
		return nil, err
	}
	if ws := chunker.Windows(src, tree, chunks); len(ws) > 0 {
		if err := w.Artefacts.PutWindows(ctx, ref, ws); err != nil {
			return nil, err
		}
	}
	if _, err := pipeline.Fence(ctx, w.Ledger, w.Artefacts, j); err != nil {
		return nil, err
	}
	j.Kind = wire.Chunked
	var next []pipeline.Next
	for _, p := range w.Peers.Of(j) {
		if !w.Embeds || !p.Whole {
			next = append(next, pipeline.Next{Stage: wire.Index, Job: p.Job(j)})
		}
	}
	if w.Embeds {
		next = append(next, pipeline.Next{Stage: wire.Embed, Job: j})
	}
	return next, nil
}
