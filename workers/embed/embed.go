// Package embed is the worker that gives chunks their vectors, in two steps: the first chunk of
// every section, then the rest. Unchanged text is never embedded twice: vectors are taken from the
// last version of the same document by (model digest, text hash).
package embed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/cost"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

// Worker embeds.
type Worker struct {
	Artefacts   artefact.Store
	Ledger      *ledger.Ledger
	Embedder    embedding.Embedder
	BatchTokens int // tokens of one call; 0 is 1,024
	// GiveWay, if set, is waited for before each batch: what people wait for goes first.
	GiveWay func(ctx context.Context)
	Log     *slog.Logger
	// Told, if set, is told how many embeddings were made, and how many were there already.
	Told func(made, saved int)
	// Peers are the builds that a job is done for; nil: its own.
	Peers pipeline.Peers
	// Parent is where vectors of the same model may lie that an earlier build made; nil: nowhere.
	Parent *Parent
}

// Parent is an earlier build's artefacts, and the ledger as it sees it.
type Parent struct {
	Artefacts artefact.Store
	Ledger    *ledger.Ledger
}

// Do embeds the first chunks of a Chunked job, or the rest of a Sectioned one.
func (w *Worker) Do(ctx context.Context, j wire.Job) ([]pipeline.Next, error) {
	r, err := pipeline.Fence(ctx, w.Ledger, w.Artefacts, j)
	if err != nil {
		return nil, err
	}
	spent := new(cost.Tally)
	ctx = spent.With(ctx)
	run, err := w.open(ctx, j, r, spent)
	if err != nil {
		return nil, err
	}
	peers := w.Peers.Of(j)
	whole := j.Kind == wire.Sectioned || !slices.ContainsFunc(peers, func(p pipeline.Peer) bool { return !p.Whole })
	if err := run.embed(ctx, func(c doc.Chunk) bool { return whole || c.Ordinal == 0 }); err != nil {
		return nil, err
	}
	if err := run.close(ctx, whole); err != nil {
		return nil, err
	}
	if whole {
		j.Kind = wire.Embedded
		return toIndex(j, peers), nil
	}
	j.Kind = wire.Sectioned
	peers = slices.DeleteFunc(peers, func(p pipeline.Peer) bool { return p.Whole })
	return append(toIndex(j, peers), pipeline.Next{Stage: wire.Embed, Job: j}), nil
}

func toIndex(j wire.Job, peers []pipeline.Peer) (next []pipeline.Next) {
	for _, p := range peers {
		next = append(next, pipeline.Next{Stage: wire.Index, Job: p.Job(j)})
	}
	return next
}

// run is one job in hand.
type run struct {
	*Worker
	job     wire.Job
	ref     artefact.Ref
	chunks  []doc.Chunk // of KindChunk
	hashes  [][32]byte
	vectors *artefact.Vectors
	made    int
	saved   int
	spent   *cost.Tally
	unknown int      // chunks of a language the model does not know
	bad     []string // chunks whose vector was refused
}

// open reads the chunks and whatever vectors are there: of this generation (an earlier try), else of
// the last version that has them.
func (w *Worker) open(ctx context.Context, j wire.Job, r ledger.Record, spent *cost.Tally) (*run, error) {
	x := &run{Worker: w, job: j, spent: spent, ref: artefact.Ref{Tenant: j.Tenant, Doc: j.DocID, Generation: j.Generation}}
	all, err := w.Artefacts.Chunks(ctx, x.ref)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		if c.Kind == doc.KindChunk {
			x.chunks = append(x.chunks, c)
			x.hashes = append(x.hashes, embedding.TextHash(c.EmbedText()))
		}
	}
	x.vectors, err = w.cached(ctx, w.Artefacts, x.ref)
	if err == nil && x.vectors == nil {
		err = x.prior(ctx, r)
	}
	if x.vectors == nil {
		f := w.Embedder.Fingerprint()
		x.vectors = artefact.NewVectors(f.Digest, f.Dimensions)
	}
	return x, err
}

// prior takes what an older version has, what the build before this one has, and what another site has made.
func (x *run) prior(ctx context.Context, r ledger.Record) error {
	add := func(v *artefact.Vectors) {
		if v == nil || v.Dimensions != x.Embedder.Fingerprint().Dimensions {
			return
		}
		if x.vectors == nil {
			x.vectors = v
		}
		maps.Copy(x.vectors.ByHash, v.ByHash)
	}
	take := func(s artefact.Store, g doc.Generation) error {
		ref := x.ref
		ref.Generation = g
		v, err := x.cached(ctx, s, ref)
		add(v)
		return err
	}
	if r.Vectors != 0 && r.Vectors != x.job.Generation {
		if err := take(x.Artefacts, r.Vectors); err != nil {
			return err
		}
	}
	if x.Parent != nil {
		p, err := x.Parent.Ledger.Get(ctx, x.job.Tenant, x.job.DocID)
		if err != nil && !errors.Is(err, bus.ErrNoKey) {
			return err
		}
		if p.Vectors != 0 {
			if err := take(x.Parent.Artefacts, p.Vectors); err != nil {
				return err
			}
		}
	}
	v, err := x.Artefacts.ShelvedVectors(ctx, x.job.Tenant, x.job.DocID, x.Embedder.Fingerprint().Digest)
	add(v)
	if x.vectors != nil {
		x.count()
	}
	return err
}

// cached is the vectors of a generation; nil when there are none, of another size, or damaged: they are made again.
func (w *Worker) cached(ctx context.Context, s artefact.Store, ref artefact.Ref) (*artefact.Vectors, error) {
	f := w.Embedder.Fingerprint()
	v, err := s.Vectors(ctx, ref, f.Digest)
	switch {
	case artefact.Missing(err):
		return nil, nil
	case errors.Is(err, artefact.ErrDamaged):
		w.Log.Warn("vectors are made again", "doc", ref.Doc, "generation", ref.Generation, "err", err)
		return nil, nil
	case err != nil:
		return nil, err
	case v.Dimensions != f.Dimensions:
		return nil, nil
	}
	return v, nil
}

// count says what the vectors of the older version save: once a version, at its first step.
func (x *run) count() {
	seen := map[[32]byte]bool{}
	for _, h := range x.hashes {
		if _, ok := x.vectors.ByHash[h]; ok && !seen[h] {
			seen[h] = true
			x.saved++
		}
	}
}

// embed makes the missing vectors of the chunks that `want` names.
func (x *run) embed(ctx context.Context, want func(doc.Chunk) bool) error {
	var todo []int
	queued := map[[32]byte]bool{}
	for i, c := range x.chunks {
		if !want(c) || queued[x.hashes[i]] {
			continue
		}
		if _, ok := x.vectors.ByHash[x.hashes[i]]; ok {
			continue
		}
		if !x.Embedder.Knows(c.Text) {
			x.unknown++
			continue
		}
		queued[x.hashes[i]] = true
		todo = append(todo, i)
	}
	for stored := time.Now(); len(todo) > 0; {
		if x.GiveWay != nil {
			x.GiveWay(ctx)
		}
		n := x.batch(todo)
		if err := x.some(ctx, todo[:n]); err != nil {
			return err
		}
		todo = todo[n:]
		if time.Since(stored) > storeEvery {
			if err := x.store(ctx); err != nil {
				return err
			}
			stored = time.Now()
		}
	}
	return nil
}

// storeEvery is how much work a kill may cost: a long document stores its vectors as it goes, and the next try
// finds them.
const storeEvery = 10 * time.Second

// batch is how many of the chunks fit one call, counted in tokens; at least one.
func (x *run) batch(todo []int) int {
	limit := x.BatchTokens
	if limit == 0 {
		limit = 1024
	}
	sum := 0
	for n, i := range todo {
		if sum += x.Embedder.Count(x.chunks[i].EmbedText()); sum > limit && n > 0 {
			return n
		}
	}
	return len(todo)
}

// some embeds the chunks in one call. A call that fails for more than one chunk, or a bad vector,
// is bisected to the chunk: it stays without a vector, is named, and is found by words.
func (x *run) some(ctx context.Context, todo []int) error {
	texts := make([]string, len(todo))
	for n, i := range todo {
		texts[n] = x.chunks[i].EmbedText()
	}
	vecs, err := x.Embedder.Embed(ctx, texts)
	if err == nil && len(vecs) != len(texts) {
		err = fmt.Errorf("embedder gave %d vectors for %d texts", len(vecs), len(texts))
	}
	if err != nil {
		return x.failed(ctx, todo, err)
	}
	x.made += len(texts)
	for n, i := range todo {
		if err := embedding.Check(vecs[n], x.vectors.Dimensions); err != nil {
			x.refuse(i, err)
			continue
		}
		x.vectors.ByHash[x.hashes[i]] = vecs[n]
	}
	return nil
}

// failed decides on an error of a whole call: what only one text causes is found by halving; a server that is away
// (the embedder says so, as fault.Outage) is nobody's fault; anything else is a failed try.
func (x *run) failed(ctx context.Context, todo []int, err error) error {
	if ctx.Err() != nil {
		return err
	}
	if !embedding.Poison(err) {
		return fmt.Errorf("embedder: %w", err)
	}
	if len(todo) == 1 {
		x.refuse(todo[0], err)
		return nil
	}
	half := len(todo) / 2
	if err := x.some(ctx, todo[:half]); err != nil {
		return err
	}
	return x.some(ctx, todo[half:])
}

func (x *run) refuse(i int, err error) {
	c := x.chunks[i]
	x.bad = append(x.bad, fmt.Sprintf("lines %d-%d have no vector (%v); found by words", c.Lines.Start, c.Lines.End, err))
	x.Log.Warn("chunk without vector", "key", x.job.Key, "node", c.Node, "ordinal", c.Ordinal, "err", err)
}

// close stores the vectors and, with the whole, notes what has none.
func (x *run) close(ctx context.Context, whole bool) error {
	j := x.job
	if err := x.Ledger.Note(ctx, j.Tenant, j.DocID, j.Generation, x.notes(whole)); err != nil {
		return err
	}
	return x.store(ctx)
}

// store stores the vectors that this version uses, and counts what they cost since the last store.
func (x *run) store(ctx context.Context) error {
	used := artefact.NewVectors(x.vectors.Digest, x.vectors.Dimensions)
	for _, h := range x.hashes {
		if v, ok := x.vectors.ByHash[h]; ok {
			used.ByHash[h] = v
		}
	}
	if err := x.Artefacts.PutVectors(ctx, x.ref, used, x.hashes); err != nil {
		return err
	}
	j := x.job
	if _, err := pipeline.Fence(ctx, x.Ledger, x.Artefacts, j); err != nil {
		return err
	}
	err := x.Ledger.Embedded(ctx, j.Tenant, j.DocID, j.Generation, x.made, x.saved, x.spent.Take())
	if err == nil && x.Told != nil {
		x.Told(x.made, x.saved)
	}
	x.made, x.saved = 0, 0
	return err
}

// notes is what status shows of chunks without vectors; told once, with the whole.
func (x *run) notes(whole bool) []string {
	if !whole {
		return nil
	}
	notes := x.bad
	if len(notes) > 5 {
		notes = append(notes[:5:5], fmt.Sprintf("and %d more chunks without vectors", len(x.bad)-5))
	}
	if x.unknown > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d chunks are in a language the model does not know; found by words", x.unknown, len(x.chunks)))
	}
	return pipeline.Cuts(notes, len(notes))
}
