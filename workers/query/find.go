package query

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/rank"
	"github.com/fingerpost/fingerpost/pkg/reference"
	"github.com/fingerpost/fingerpost/pkg/route"
	"github.com/fingerpost/fingerpost/pkg/section"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/words"
)

// Find is route -> search -> rank -> resolve.
func (w *Worker) Find(ctx context.Context, t doc.Tenant, req api.FindRequest) (api.FindReply, error) {
	rep := api.FindReply{Question: req.Question, Build: w.Build, Sections: []api.Section{}}
	q, err := w.route(ctx, t, &req, &rep)
	if err != nil {
		return rep, err
	}
	places, read, err := w.places(ctx, t, q, req.K, &rep.Took)
	if err != nil {
		return rep, err
	}
	start := time.Now()
	rep.Sections = cut(places, read, q, req.Explain)
	rep.Took.Resolve += ms(time.Since(start))
	return rep, nil
}

// moves is how often a question is searched again because a version was replaced between ranking and reading, or
// a place was found damaged.
const moves = 3

// places searches and reads: the best k places that may be shown and can be. The two lists are as long as each other;
// a place that could not be read is nil.
func (w *Worker) places(ctx context.Context, t doc.Tenant, q rank.Query, k int, took *api.Took) ([]found, []*readNode, error) {
	bad := skips{}
	for try := 0; ; try++ {
		start := time.Now()
		places, err := w.search(ctx, t, q, k, bad)
		if err != nil {
			return nil, nil, err
		}
		took.Search += ms(time.Since(start))
		start = time.Now()
		read, err := w.read(ctx, places, bad)
		took.Resolve += ms(time.Since(start))
		if err != nil || try == moves || !slices.Contains(read, nil) {
			return places, read, err
		}
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// route checks the request and reads the question.
func (w *Worker) route(ctx context.Context, t doc.Tenant, req *api.FindRequest, rep *api.FindReply) (rank.Query, error) {
	var q rank.Query
	switch {
	case req.Question == "":
		return q, refuse(400, "the question is empty")
	case len(req.Question) > api.MaxQuestion:
		return q, refuse(400, "the question has %d bytes; at most %d are read", len(req.Question), api.MaxQuestion)
	case req.K < 0 || req.K > api.MaxK:
		return q, refuse(400, "k is %d; it may be 1 to %d", req.K, api.MaxK)
	case req.Mode != "" && req.Mode != "words":
		return q, refuse(400, "mode %q is not known; leave it out, or say words", req.Mode)
	}
	if req.K == 0 {
		req.K = api.DefaultK
	}
	r := route.Of(req.Question, reference.OfQuestion)
	var err error
	if q.Docs, err = w.table.filter(t, req.Keys); err != nil {
		return q, err
	}
	q.Terms, q.Refs = words.Question(r.Text, w.table.languages(t)), r.Refs
	rep.Route = api.Route{Terms: q.Terms, Refs: q.Refs, Keys: req.Keys}
	if req.Mode == "words" {
		return q, nil
	}
	start := time.Now()
	q.Vector, err = w.vector(ctx, req.Question)
	rep.Took.Vector = ms(time.Since(start))
	return q, err
}

// vector is the question's; nil where there is no embedder, or it does not take the question.
func (w *Worker) vector(ctx context.Context, question string) ([]float32, error) {
	if w.Embedder == nil || w.Embedder.Fingerprint().Dimensions == 0 || !w.Embedder.Knows(question) {
		return nil, nil
	}
	v, err := w.Embedder.Embed(ctx, []string{question})
	if embedding.Poison(err) {
		return nil, nil // too long for the model: found by words
	}
	if err != nil {
		return nil, fmt.Errorf("question's vector: %w", err)
	}
	if embedding.Check(v[0], w.Embedder.Fingerprint().Dimensions) != nil {
		return nil, nil
	}
	return v[0], nil
}

// found is a ranked node with the record that says it may be shown.
type found struct {
	rank.Node
	record ledger.Record
}

// search ranks, drops what is not current, and asks for more while too few remain.
func (w *Worker) search(ctx context.Context, t doc.Tenant, q rank.Query, k int, bad skips) ([]found, error) {
	for q.Limit = rank.Candidates; ; q.Limit *= 4 {
		parts, err := rank.Search(ctx, w.Index, vector.Build(w.Build), t, q)
		if err != nil {
			return nil, err
		}
		nodes := rank.Rank(parts, rank.Standard())
		out, err := w.current(ctx, t, nodes, k, bad)
		if err != nil || len(out) >= k || len(nodes) == 0 || q.Limit > 64*rank.Candidates || !full(parts, q.Limit) {
			return out, err
		}
	}
}

// full reports whether any list was cut at its limit: only then is there more to ask for.
func full(p rank.Parts, limit int) bool {
	return len(p.Windows) >= limit || len(p.Rows) >= limit || len(p.Crumbs) >= limit || len(p.Dense) >= limit
}

// current keeps the first k nodes whose generation FP_DOCS itself calls current, read now from the
// leader: a deletion that was acknowledged before this read is never shown. Bad ones are passed over.
func (w *Worker) current(ctx context.Context, t doc.Tenant, nodes []rank.Node, k int, bad skips) ([]found, error) {
	asked := map[doc.Prefix]*ledger.Record{}
	var out []found
	for _, n := range nodes {
		p := n.Place.Prefix
		r, ok := asked[p]
		if !ok {
			var err error
			if r, err = w.lookup(ctx, t, p); err != nil {
				return nil, err
			}
			asked[p] = r
		}
		if r != nil && r.Shown(n.Place.Generation) && !bad[nodeOf(n)] {
			if out = append(out, found{n, *r}); len(out) == k {
				break
			}
		}
	}
	return out, nil
}

// lookup reads the record of a prefix from FP_DOCS; nil when no document has it.
func (w *Worker) lookup(ctx context.Context, t doc.Tenant, p doc.Prefix) (*ledger.Record, error) {
	known, ok := w.table.record(t, p)
	if !ok {
		return nil, nil
	}
	r, err := w.Ledger.Get(ctx, t, known.DocID)
	if errors.Is(err, bus.ErrNoKey) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &r, nil
}

// scorer rates parts of a section for the question, in the document's language.
func scorer(q rank.Query, r ledger.Record) section.Scorer {
	lang := words.Language(r.Facts["language"])
	return section.Words(q.Terms, func(s string) []string { return words.Analyze(s, lang) })
}
