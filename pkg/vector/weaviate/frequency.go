package weaviate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/weaviate/weaviate-go-client/v4/weaviate/filters"
	"golang.org/x/sync/errgroup"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// Frequencies implements vector.Index. The server has no call for them. It can count the entries that hold a word, but loads each
// for that (in 190,000 rows 90 ms of a core a word, a frequent one a second), so among more than exactUpTo entries the number is
// taken from the score of one hit, which the server makes of it. Answers are kept for a minute, of many entries for
// ten; what this process writes forgets those of its tenant, so only another process's writes may be seen that late.
func (x *Index) Frequencies(ctx context.Context, b vector.Build, t doc.Tenant, k doc.Kind, f vector.Field, terms []string) ([]int, int, error) {
	n, at := make([]int, len(terms)), field{b, t, k, f}
	if !slices.Contains(searchable(k), f) {
		return n, 0, ctx.Err()
	}
	words := []string{everyEntry}
	for _, term := range terms {
		words = append(words, token(term))
	}
	got, err := x.counts.get(at, words, func(words []string) ([]int, error) { return x.countWords(ctx, at, words) })
	if err != nil {
		return nil, 0, fmt.Errorf("frequencies among %ss: %w", k, err)
	}
	for i := range n {
		n[i] = got[words[i+1]]
	}
	return n, got[everyEntry], nil
}

// everyEntry stands for the number of entries where a word stands for those that hold it. No token is empty.
const everyEntry = ""

const (
	exactUpTo   = 2000 // entries
	wordsAtOnce = 64   // that one request counts
	sideBySide  = 8    // requests for one hit
)

// countWords is in how many entries each word stands; the reserved entries are taken off the number of entries.
func (x *Index) countWords(ctx context.Context, at field, words []string) ([]int, error) {
	all, err := x.tally(ctx, at.build, at.tenant, at.kind, []*filters.WhereBuilder{nil, equal("doc").WithValueText(reservedDoc)})
	if err != nil {
		return nil, err
	}
	rest := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == everyEntry })
	n, err := x.estimate(ctx, at, rest, all[0])
	if errors.Is(err, errors.ErrUnsupported) {
		n, err = x.exact(ctx, at, rest)
	}
	if err != nil {
		return nil, err
	}
	out := make([]int, 0, len(words))
	for _, w := range words {
		if w == everyEntry {
			out = append(out, max(0, all[0]-all[1]))
			continue
		}
		out, n = append(out, n[0]), n[1:]
	}
	return out, nil
}

// exact lets the server count.
func (x *Index) exact(ctx context.Context, at field, words []string) ([]int, error) {
	out := make([]int, 0, len(words))
	for part := range slices.Chunk(words, wordsAtOnce) {
		wheres := make([]*filters.WhereBuilder, len(part))
		for i, w := range part {
			wheres[i] = equal(string(at.field)).WithValueText(w)
		}
		n, err := x.tally(ctx, at.build, at.tenant, at.kind, wheres)
		if err != nil {
			return nil, err
		}
		out = append(out, n...)
	}
	return out, nil
}

// made is what the score of a hit for one word is made of.
type made struct{ score, tf, length float64 }

// part is what tf and length make of the word's idf, where the mean length is so and so.
func (m made) part(mean float64) float64 {
	return m.tf / (m.tf + bm25K1*(1-bm25B+bm25B*m.length/mean))
}

// estimate takes each count from the score of the word's best hit among `total` entries, the reserved ones included; so
// entries that were deleted or overwritten count until the server merges its segments, as they do in its scores.
// errors.ErrUnsupported where there are few or scores tell nothing.
func (x *Index) estimate(ctx context.Context, at field, words []string, total int) ([]int, error) {
	if total <= exactUpTo {
		return nil, errors.ErrUnsupported
	}
	fill, err := x.made(ctx, at, fillWord)
	if err != nil {
		return nil, err
	}
	mean := meanBehind(fill)
	if !(mean >= leastMean && mean <= mostMean) {
		return nil, errors.ErrUnsupported
	}
	out := make([]int, len(words))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(sideBySide)
	for i, w := range words {
		g.Go(func() error {
			hits, err := x.made(ctx, at, w)
			if len(hits) > 0 {
				out[i] = holders(hits[0].score/hits[0].part(mean), total)
			}
			return err
		})
	}
	return out, g.Wait()
}

// holders solves idf = ln(1 + (total-n+.5)/(n+.5)) for n, at least 1.
func holders(idf float64, total int) int {
	n := int(math.Round(float64(total+1)/math.Exp(idf) - .5))
	return max(1, min(n, total))
}

// meanBehind is the mean length of a property behind the scores of two hits for one word, NaN where they don't tell.
func meanBehind(hits []made) float64 {
	if len(hits) < 2 {
		return math.NaN()
	}
	a, b := hits[0], hits[1]
	const c = bm25K1 * (1 - bm25B)
	r := a.score / b.score * b.tf / a.tf // (b.tf + c + k1*b*b.length/mean) / (a.tf + c + k1*b*a.length/mean)
	return bm25K1 * bm25B * (b.length - r*a.length) / (r*(a.tf+c) - b.tf - c)
}

// made asks for the best two hits of a word and what their scores are made of; errors.ErrUnsupported without gRPC.
func (x *Index) made(ctx context.Context, at field, word string) (out []made, err error) {
	w, ok := x.wire.(*grpcWire)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	q := query{tenantClass: tenantClass{x.className(at.build, at.kind), at.tenant}, property: string(at.field), tokens: word, limit: 2}
	err = x.try(ctx, func(ctx context.Context) error {
		out, err = w.explained(ctx, q)
		return err
	})
	if errors.Is(err, errMissing) {
		x.gone(q.tenantClass, err)
		return nil, nil
	}
	return out, err
}

// explained is what a query for one word finds, with the server's own words of why.
func (w *grpcWire) explained(ctx context.Context, q query) ([]made, error) {
	m := q.message()
	m.Metadata.ExplainScore = true
	reply, err := w.client.Search(ctx, m)
	if err != nil {
		return nil, explain(ctx, err)
	}
	var out []made
	for _, r := range reply.GetResults() {
		why := r.GetMetadata().GetExplainScore()
		h := made{float64(r.GetMetadata().GetScore()), said(why, q.tokens, "frequency"), said(why, q.tokens, "propLength")}
		if h.tf < 1 || h.length < 1 {
			return nil, fmt.Errorf("%w: the server explains a score by %q", errors.ErrUnsupported, clip(why))
		}
		out = append(out, h)
	}
	return out, nil
}

// said is a number of ", BM25F_word_frequency:2, BM25F_word_propLength:31", 0 when it does not stand there.
func said(why, word, what string) float64 {
	_, after, _ := strings.Cut(why, "BM25F_"+word+"_"+what+":")
	number, _, _ := strings.Cut(after, ",")
	n, _ := strconv.ParseFloat(strings.TrimSpace(number), 64)
	return n
}
