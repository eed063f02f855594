package query

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/build"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/plan"
	"github.com/fingerpost/fingerpost/pkg/rank"
	"github.com/fingerpost/fingerpost/pkg/reference"
	"github.com/fingerpost/fingerpost/pkg/route"
	"github.com/fingerpost/fingerpost/pkg/section"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/words"
)

// Find is route -> search -> rank -> resolve.
func (w *Worker) Find(ctx context.Context, t doc.Tenant, req api.FindRequest) (api.FindReply, error) {
	if req.Build != 0 && req.Build != w.Build {
		return w.elsewhere(ctx, t, req)
	}
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
	w.took(rep.Took)
	return rep, nil
}

// elsewhere asks the build that the request names: to compare one that is not live yet with the one that is.
func (w *Worker) elsewhere(ctx context.Context, t doc.Tenant, req api.FindRequest) (api.FindReply, error) {
	if w.Other == nil {
		return api.FindReply{}, refuse(404, "there is no build %d", req.Build)
	}
	o, err := w.Other(ctx, req.Build)
	if errors.Is(err, build.ErrGone) {
		return api.FindReply{}, refuse(404, "there is no build %d", req.Build)
	}
	if err != nil {
		return api.FindReply{}, err
	}
	return o.Find(ctx, t, req)
}

// moves is how often a question is searched again because a version was replaced between ranking and reading, or
// a place was found damaged.
const moves = 3

// places searches and reads: the best k places that may be shown and can be. The two lists are as long as each other;
// a place that could not be read is nil.
func (w *Worker) places(ctx context.Context, t doc.Tenant, q planned, k int, took *api.Took) ([]found, []*readNode, error) {
	bad := skips{}
	for try := 0; ; try++ {
		start := time.Now()
		sctx, end := step(ctx, "search")
		places, err := w.search(sctx, t, q, k, bad)
		end(err)
		if err != nil {
			return nil, nil, err
		}
		took.Search += ms(time.Since(start))
		start = time.Now()
		rctx, end := step(ctx, "resolve")
		read, err := w.read(rctx, places, bad)
		end(err)
		again := err == nil && (slices.Contains(read, nil) || repeats(places, read, bad))
		took.Resolve += ms(time.Since(start))
		if !again || try == moves {
			w.readBack(read, len(bad))
			return places, read, err
		}
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// route checks the request and reads the question.
func (w *Worker) route(ctx context.Context, t doc.Tenant, req *api.FindRequest, rep *api.FindReply) (q planned, err error) {
	ctx, end := step(ctx, "route")
	defer func() { end(err) }()
	switch {
	case strings.TrimSpace(req.Question) == "":
		return q, refuse(400, "the question is empty")
	case !strings.ContainsFunc(req.Question, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }):
		return q, refuse(400, "the question has no word and no number to look for")
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
	docs, err := w.table.filter(t, req.Keys)
	if err != nil {
		return q, err
	}
	q = w.plan(ctx, t, req)
	q.Docs = docs
	rep.Route = api.Route{Terms: q.Terms, Refs: q.Refs, Keys: req.Keys, Named: q.Named, Kind: string(q.Kind), Note: q.Chosen.Note, Chosen: w.chosen(t, q.Chosen)}
	if req.Explain {
		rep.Route.Adds = adds(q)
	}
	if req.Mode == "words" {
		return q, nil
	}
	start := time.Now()
	q.Vector, err = w.vector(ctx, q.Text)
	rep.Took.Vector = ms(time.Since(start))
	return q, err
}

// plan reads the question by the rules: references, names of documents (unless the keys are given), vocabulary.
func (w *Worker) plan(ctx context.Context, t doc.Tenant, req *api.FindRequest) planned {
	rules := route.Rules{References: reference.OfQuestion, Vocabulary: w.Vocabulary}
	if v := w.Vocabularies[t]; v != nil {
		rules.Vocabulary = v
	}
	if len(req.Keys) == 0 {
		k := w.cards.of(t)
		rules.Names, rules.Library = k.Names, k.Library
	}
	read, err := route.Reader{Rules: rules, Model: w.Router}.Read(ctx, req.Question)
	if err != nil {
		w.Log.Warn("the rules read a question alone", "tenant", t, "err", err)
	}
	return plan.Of(read, w.table.languages(t), rank.Standard())
}

// planned is a question as it is searched.
type planned = plan.Plan

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
	also   []string // keys of other documents with the same bytes
}

// text is a place by what it says: equal in documents of the same bytes.
type text struct {
	version      doc.Version
	node, window int
}

func (f found) text() text { return text{f.record.CurrentVersion, f.Place.Node, f.Place.Ordinal} }

// texts are what is shown already, with the document that shows it.
type texts map[text]doc.ID

// search ranks, drops what is not current, and asks for more while too few remain. When the documents that the question
// names hold fewer places than wanted, the others follow.
func (w *Worker) search(ctx context.Context, t doc.Tenant, q planned, k int, bad skips) ([]found, error) {
	q.Windows, q.Places = w.locate(t), k+spare
	out, err := w.deep(ctx, t, q, w.wanted(k), bad, nil)
	if err == nil && len(out) < k && q.Routed != nil {
		q.Routed = nil
		seen := texts{}
		for _, f := range out {
			seen[f.text()] = f.record.DocID
		}
		var rest []found
		rest, err = w.deep(ctx, t, q, k+len(out), bad, seen)
		for _, f := range rest {
			if len(out) < k && !slices.ContainsFunc(out, func(o found) bool { return o.Place == f.Place }) {
				out = append(out, f)
			}
		}
	}
	if err != nil {
		return nil, err
	}
	if w.Reranker != nil {
		out = w.again(ctx, t, q.Text, out, k)
	}
	return out, w.also(ctx, t, q.Docs, out)
}

// spare is how many places more than wanted are located in their windows: some may not be current.
const spare = 5

// locate tells where the windows of a node stand; of what cannot be read nothing is known, which reading it tells.
func (w *Worker) locate(t doc.Tenant) rank.Locate {
	return func(ctx context.Context, p doc.Place) (*rank.Located, error) {
		r, ok := w.table.record(t, p.Prefix)
		if !ok {
			return nil, nil
		}
		o, err := w.tree(ctx, artefact.Ref{Tenant: t, Doc: r.DocID, Generation: p.Generation})
		if errors.Is(err, errMoved) || errors.Is(err, errDamaged) {
			return nil, nil
		}
		if err != nil || len(o.windows[p.Node]) == 0 {
			return nil, err
		}
		of := func(k doc.Kind, ordinal int) int { return o.windows.Of(p.Node, k, ordinal) }
		return &rank.Located{Apart: o.apart(p.Node), Of: of}, nil
	}
}

// deep asks for longer lists until k places are current or there are no more.
func (w *Worker) deep(ctx context.Context, t doc.Tenant, q planned, k int, bad skips, seen texts) ([]found, error) {
	before := -1
	for q.Limit = rank.Candidates; ; q.Limit *= 4 {
		nodes, err := rank.Find(ctx, w.Index, vector.Build(w.Build), t, q.Query, q.Routed, q.Weights)
		if err != nil {
			return nil, err
		}
		out, err := w.current(ctx, t, nodes, k, bad, seen)
		if err != nil || len(out) >= k || len(nodes) == before || q.Limit > 64*rank.Candidates {
			return out, err
		}
		before = len(nodes)
	}
}

// current keeps the first k nodes whose generation FP_DOCS itself calls current, read now from the
// leader: a deletion that was acknowledged before this read is never shown. Bad ones are passed over.
func (w *Worker) current(ctx context.Context, t doc.Tenant, nodes []rank.Node, k int, bad skips, seen texts) ([]found, error) {
	known := records{}
	mine := maps.Clone(seen)
	if mine == nil {
		mine = texts{}
	}
	var out []found
	for i, n := range nodes {
		if !known.has(n.Place.Prefix) {
			if err := w.lookups(ctx, t, known, known.missing(nodes[i:], k-len(out))); err != nil {
				return nil, err
			}
		}
		r := known[n.Place.Prefix]
		if r == nil || !r.Shown(n.Place.Generation) || bad[nodeOf(n)] {
			continue
		}
		f := found{Node: n, record: *r}
		if by, ok := mine[f.text()]; ok && by != r.DocID {
			continue // the same bytes under another key: named beside it
		}
		mine[f.text()] = r.DocID
		if out = append(out, f); len(out) == k {
			break
		}
	}
	return out, nil
}

// scorer rates parts of a section for the question, in the document's language.
func scorer(q planned, r ledger.Record) section.Scorer {
	lang := words.Language(r.Facts["language"])
	return section.Words(q.Terms, func(s string) []string { return words.Analyze(s, lang) })
}
