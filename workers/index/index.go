// Package index is the worker that writes a version's entries, verifies them by count, makes the
// version current, and purges what came before.
package index

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/route"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

// Worker indexes.
type Worker struct {
	Artefacts artefact.Store
	Ledger    *ledger.Ledger
	Index     vector.Index
	Digest    string // of the build's embedder; "" with none
	// Well is told of each document that is found or gone: its dead letters are of the past. Nil: nobody cares.
	Well func(ctx context.Context, t doc.Tenant, id doc.ID, g doc.Generation) error
	Log  *slog.Logger
	// Kin are the builds that share a build's artefacts, itself included: they end together. Nil: the build alone.
	Kin func(build uint32) []uint32
}

// Do handles Chunked (words), Sectioned and Embedded (vectors), and Removed (purge).
func (w *Worker) Do(ctx context.Context, j wire.Job) ([]pipeline.Next, error) {
	r, err := w.Ledger.Get(ctx, j.Tenant, j.DocID)
	if err != nil && !errors.Is(err, bus.ErrNoKey) {
		return nil, err
	}
	if r.Generation != j.Generation {
		if err := w.takeBack(ctx, j); err != nil { // an earlier try may have been killed after it had written
			return nil, err
		}
		return nil, fault.Supersededf("generation %d is no longer the accepted one (%d)", j.Generation, r.Generation)
	}
	if j.Kind == wire.Removed {
		return nil, w.remove(ctx, j, r)
	}
	return nil, w.write(ctx, j, r)
}

// write brings the version to the level of the job. Each level contains those below it, so messages
// that overtake one another do no harm. What a version that has ended meanwhile left behind is purged instead.
func (w *Worker) write(ctx context.Context, j wire.Job, r ledger.Record) error {
	if r.Ended() {
		return w.remove(ctx, j, r)
	}
	err := w.raise(ctx, j, r)
	if v, _ := fault.Of(err); v == fault.Superseded {
		if late := w.takeBack(ctx, j); late != nil {
			return late // it is tried again, and only then superseded
		}
	}
	return err
}

// takeBack removes what was written while the document was deleted or replaced, and purged: it came too late for that
// purge. A version that is still shown is left to its successor.
func (w *Worker) takeBack(ctx context.Context, j wire.Job) error {
	r, err := w.Ledger.Get(ctx, j.Tenant, j.DocID)
	if err != nil && !errors.Is(err, bus.ErrNoKey) {
		return err
	}
	if r.Generation == j.Generation || r.Current == j.Generation {
		return nil
	}
	if _, err := w.Index.Purge(ctx, vector.Build(j.Build), j.Tenant, doc.PrefixOf(j.DocID), j.Generation, j.Generation); err != nil {
		return fmt.Errorf("take back: %w", err)
	}
	if r.Kept(j.Generation) {
		return nil // the successor's cache, or shown by another build
	}
	return w.Artefacts.Drop(ctx, j.Tenant, j.DocID, j.Generation)
}

// raise writes what the version lacks to be found at the level of the job.
func (w *Worker) raise(ctx context.Context, j wire.Job, r ledger.Record) error {
	ref := artefact.Ref{Tenant: j.Tenant, Doc: j.DocID, Generation: j.Generation}
	chunks, err := w.Artefacts.Chunks(ctx, ref)
	if err != nil {
		return err
	}
	vectors, err := w.vectors(ctx, j, r, ref)
	if err != nil {
		return err
	}
	lang := language(r, chunks)
	e, err := build(j, chunks, vectors, lang)
	if err != nil {
		return err
	}
	if r.Current != j.Generation || j.Kind == wire.Chunked {
		known, err := w.facts(ctx, ref)
		if err != nil {
			return err
		}
		known["language"] = string(lang)
		if known["title"] == "" {
			known["title"] = title(chunks)
		}
		if err := w.words(ctx, j, r, e, known); err != nil {
			return err
		}
	}
	if j.Kind == wire.Chunked {
		return nil
	}
	return w.dense(ctx, j, e)
}

// facts are what the card says of the document; a version without a card has none.
func (w *Worker) facts(ctx context.Context, ref artefact.Ref) (map[string]string, error) {
	b, err := w.Artefacts.Card(ctx, ref)
	if artefact.Missing(err) {
		return map[string]string{}, nil
	}
	if err != nil {
		return nil, err
	}
	var c route.Card
	if err := json.Unmarshal(b, &c); err != nil {
		return nil, fmt.Errorf("card of %s: %w", ref.Doc, err)
	}
	known := c.Facts.Flat()
	for _, inner := range []string{"common", "near", "content"} { // for routing only
		delete(known, inner)
	}
	return known, nil
}

// vectors is what is there to write beside the words: the version's own, else those of the last
// version that has them (they are matched by text hash); none is no error.
func (w *Worker) vectors(ctx context.Context, j wire.Job, r ledger.Record, ref artefact.Ref) (*artefact.Vectors, error) {
	none := artefact.NewVectors(w.Digest, 0)
	if w.Digest == "" {
		return none, nil
	}
	if j.Kind == wire.Chunked {
		if r.Vectors == 0 {
			return none, nil
		}
		ref.Generation = r.Vectors
	}
	v, err := w.Artefacts.Vectors(ctx, ref, w.Digest)
	if j.Kind == wire.Chunked && (artefact.Missing(err) || errors.Is(err, artefact.ErrDamaged)) {
		return none, nil // only a cache: embed makes what is missing
	}
	return v, err
}

// words writes nodes, windows, rows and the cached vectors, verifies, and makes the version current.
func (w *Worker) words(ctx context.Context, j wire.Job, r ledger.Record, e entries, facts map[string]string) error {
	for _, k := range doc.Kinds {
		if err := w.put(ctx, j, k, e[k]); err != nil {
			return err
		}
	}
	kinds := []doc.Kind{doc.KindNode, doc.KindWindow, doc.KindRow}
	if r.Vectors == j.Generation {
		kinds = doc.Kinds // it is full by now: a late message does not shorten its manifest
	}
	if err := w.verify(ctx, j, e, kinds...); err != nil {
		return err
	}
	level := doc.LevelWords
	if w.Digest == "" {
		level = doc.LevelFull // without an embedder words are all there is
	}
	before, err := w.Ledger.SetCurrent(ctx, j.Tenant, j.DocID, j.Generation, level, facts)
	if err != nil {
		return err
	}
	w.Log.Debug("current", "key", j.Key, "generation", j.Generation, "before", before.Current)
	if err := w.well(ctx, j); err != nil {
		return err
	}
	if err := w.purgeIndex(ctx, j, j.Generation-1); err != nil {
		return err
	}
	if w.Digest != "" {
		return nil // older artefacts hold the vector cache until this version has its own
	}
	return w.purgeArtefacts(ctx, j, j.Generation-1)
}

// purgeArtefacts removes those of the generations up to `to` that no build shows.
func (w *Worker) purgeArtefacts(ctx context.Context, j wire.Job, to doc.Generation) error {
	r, err := w.Ledger.Get(ctx, j.Tenant, j.DocID)
	if err != nil {
		return err
	}
	_, err = w.Artefacts.Purge(ctx, j.Tenant, j.DocID, to, r.Kept)
	return err
}

// dense writes the chunks that have vectors and raises the level.
func (w *Worker) dense(ctx context.Context, j wire.Job, e entries) error {
	if err := w.put(ctx, j, doc.KindChunk, e[doc.KindChunk]); err != nil {
		return err
	}
	if j.Kind == wire.Sectioned {
		return w.Ledger.SetLevel(ctx, j.Tenant, j.DocID, j.Generation, doc.LevelSections, false)
	}
	if err := w.verify(ctx, j, e, doc.Kinds...); err != nil {
		return err
	}
	if err := w.Ledger.SetLevel(ctx, j.Tenant, j.DocID, j.Generation, doc.LevelFull, true); err != nil {
		return err
	}
	return w.purgeArtefacts(ctx, j, j.Generation-1)
}

// batch is the entries of one Put.
const batch = 2000

func (w *Worker) put(ctx context.Context, j wire.Job, k doc.Kind, all []vector.Entry) error {
	for len(all) > 0 {
		n := min(batch, len(all))
		err := w.Index.Put(ctx, vector.Build(j.Build), j.Tenant, k, all[:n])
		if errors.Is(err, vector.ErrFull) {
			return fault.Failf(doc.ResourceLimit, "write %s entries: %w", k, err) // no later try finds more room
		}
		if err != nil {
			return fmt.Errorf("write %s entries: %w", k, err)
		}
		all = all[n:]
	}
	return nil
}

// verify counts what the index durably holds and leaves the manifest.
func (w *Worker) verify(ctx context.Context, j wire.Job, e entries, kinds ...doc.Kind) error {
	have, err := w.Index.Count(ctx, vector.Build(j.Build), j.Tenant, doc.PrefixOf(j.DocID), j.Generation)
	if err != nil {
		return fmt.Errorf("count: %w", err)
	}
	for _, k := range kinds {
		if have[k] != len(e[k]) {
			return fmt.Errorf("index holds %d %s entries of generation %d, not %d", have[k], k, j.Generation, len(e[k]))
		}
	}
	ref := artefact.Ref{Tenant: j.Tenant, Doc: j.DocID, Generation: j.Generation}
	return w.Artefacts.PutManifest(ctx, ref, e.manifest(j.Build, kinds))
}

// remove purges every generation up to the job's and reads back that nothing is left.
func (w *Worker) remove(ctx context.Context, j wire.Job, r ledger.Record) error {
	if r.State != doc.Deleted && r.State != doc.Skipped && r.State != doc.Failed {
		return fault.Supersededf("document %s is %s again", j.DocID, r.State)
	}
	for _, b := range w.kin(j.Build) {
		of := j
		of.Build = b
		if err := w.purgeIndex(ctx, of, j.Generation); err != nil {
			return err
		}
	}
	if err := w.purgeArtefacts(ctx, j, j.Generation); err != nil {
		return err
	}
	err := w.Artefacts.Generations(ctx, j.Tenant, j.DocID, func(_ string, g doc.Generation) error {
		if g <= j.Generation && !r.Kept(g) {
			return fmt.Errorf("artefacts of generation %d are still there after the purge", g)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if r.State != doc.Deleted {
		return nil
	}
	if err := w.well(ctx, j); err != nil {
		return err
	}
	return w.Ledger.Purged(ctx, j.Tenant, j.DocID, j.Generation)
}

// purgeIndex removes generations 1 to `to` until nothing more is found, and reads back that the last ones are gone.
func (w *Worker) purgeIndex(ctx context.Context, j wire.Job, to doc.Generation) error {
	b, p := vector.Build(j.Build), doc.PrefixOf(j.DocID)
	for n := 1; to > 0 && n > 0; {
		var err error
		if n, err = w.Index.Purge(ctx, b, j.Tenant, p, 1, to); err != nil {
			return fmt.Errorf("purge: %w", err)
		}
	}
	for g := to; g > 0 && g+readBack > to; g-- {
		have, err := w.Index.Count(ctx, b, j.Tenant, p, g)
		if err != nil {
			return fmt.Errorf("count after the purge: %w", err)
		}
		for k, n := range have {
			if n > 0 {
				return fmt.Errorf("index still holds %d %s entries of generation %d after the purge", n, k, g)
			}
		}
	}
	return nil
}

func (w *Worker) kin(build uint32) []uint32 {
	if w.Kin == nil {
		return []uint32{build}
	}
	return w.Kin(build)
}

// readBack is how many generations are counted after a purge: the older ones were, when they were purged.
const readBack = 3

func (w *Worker) well(ctx context.Context, j wire.Job) error {
	if w.Well == nil {
		return nil
	}
	return w.Well(ctx, j.Tenant, j.DocID, j.Generation)
}
