package weaviate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/weaviate/weaviate-go-client/v4/weaviate/filters"
	"github.com/weaviate/weaviate-go-client/v4/weaviate/graphql"
	"golang.org/x/sync/errgroup"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// Count implements vector.Index. Kinds without entries are left out.
func (x *Index) Count(ctx context.Context, b vector.Build, t doc.Tenant, p doc.Prefix, g doc.Generation) (map[doc.Kind]int, error) {
	where := filters.Where().WithOperator(filters.And).WithOperands([]*filters.WhereBuilder{
		equal("doc").WithValueText(docName(p)), equal("generation").WithValueInt(int64(g))})
	out := map[doc.Kind]int{}
	var mu sync.Mutex
	all, ctx := errgroup.WithContext(ctx)
	for _, k := range doc.Kinds {
		all.Go(func() error {
			n, err := x.count(ctx, b, t, k, where)
			if err != nil {
				return fmt.Errorf("count %ss of document %s: %w", k, docName(p), err)
			}
			mu.Lock()
			defer mu.Unlock()
			if n > 0 {
				out[k] = n
			}
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		return nil, err
	}
	return out, nil
}

func equal(property string) *filters.WhereBuilder {
	return filters.Where().WithPath([]string{property}).WithOperator(filters.Equal)
}

// count is how many objects of a tenant's class match; nil matches all. The values travel through the client's builder.
func (x *Index) count(ctx context.Context, b vector.Build, t doc.Tenant, k doc.Kind, where *filters.WhereBuilder) (n int, err error) {
	if err := ctx.Err(); err != nil || !t.Valid() {
		return 0, err
	}
	c, ok, err := x.class(ctx, b, k)
	if err != nil || !ok {
		return 0, err
	}
	err = x.try(ctx, func(ctx context.Context) error {
		q := x.rest.GraphQL().Aggregate().WithClassName(c.name).WithTenant(string(t)).
			WithFields(graphql.Field{Name: "meta", Fields: []graphql.Field{{Name: "count"}}})
		if where != nil {
			q = q.WithWhere(where)
		}
		r, err := q.Do(ctx)
		var answer struct {
			Aggregate map[string][]struct{ Meta struct{ Count int } }
		}
		if err = decode(ctx, r, err, &answer); err != nil {
			return err
		}
		if rows := answer.Aggregate[c.name]; len(rows) > 0 {
			n = rows[0].Meta.Count
		}
		return nil
	})
	if errors.Is(err, errMissing) {
		x.gone(tenantClass{c.name, t}, err)
		return 0, nil
	}
	return n, err
}

// Frequencies implements vector.Index. The server has no call for them, but counts the entries that hold a word in about
// 4 ms, so each distinct term is a count of its own, four at a time. Answers are kept for a minute; what this process
// writes forgets those of its tenant, so only another process's writes may be seen that late.
func (x *Index) Frequencies(ctx context.Context, b vector.Build, t doc.Tenant, k doc.Kind, f vector.Field, terms []string) ([]int, int, error) {
	n, at := make([]int, len(terms)), field{b, t, k, f}
	if !slices.Contains(searchable(k), f) {
		return n, 0, ctx.Err()
	}
	places := map[string][]int{}
	for i, term := range terms {
		places[token(term)] = append(places[token(term)], i)
	}
	var total int
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(4)
	g.Go(func() (err error) {
		total, err = x.total(gctx, at)
		return err
	})
	for word, is := range places {
		g.Go(func() error {
			m, err := x.counts.get(at, word, func() (int, error) {
				return x.count(gctx, b, t, k, equal(string(f)).WithValueText(word))
			})
			for _, i := range is {
				n[i] = m
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, 0, fmt.Errorf("frequencies among %ss: %w", k, err)
	}
	return n, total, nil
}

// total is the number of entries of a kind, without the reserved ones.
func (x *Index) total(ctx context.Context, at field) (int, error) {
	return x.counts.get(at, "", func() (int, error) {
		all, err := x.count(ctx, at.build, at.tenant, at.kind, nil)
		if err != nil || all == 0 {
			return 0, err
		}
		ours, err := x.count(ctx, at.build, at.tenant, at.kind, equal("doc").WithValueText(reservedDoc))
		return max(0, all-ours), err
	})
}

// field is what terms are counted in.
type field struct {
	build  vector.Build
	tenant doc.Tenant
	kind   doc.Kind
	field  vector.Field
}

// counts keeps answers of the server for a while. "" is the number of entries.
type counts struct {
	mu    sync.Mutex
	now   func() time.Time
	kept  map[field]map[string]counted
	size  int
	drops int // a drop in between makes an answer stale before it is kept
}

type counted struct {
	n     int
	until time.Time
}

// The bounds of what is kept.
const (
	keep     = time.Minute
	mostKept = 100_000 // terms; about 10 MB
)

func newCounts(now func() time.Time) counts {
	return counts{now: now, kept: map[field]map[string]counted{}}
}

// get is the kept answer, or that of ask.
func (c *counts) get(at field, word string, ask func() (int, error)) (int, error) {
	c.mu.Lock()
	have, ok := c.kept[at][word]
	drops := c.drops
	c.mu.Unlock()
	if ok && c.now().Before(have.until) {
		return have.n, nil
	}
	n, err := ask()
	if err != nil {
		return 0, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if drops == c.drops {
		c.put(at, word, n)
	}
	return n, nil
}

// put keeps an answer. When there are too many, all go: they are cheap to ask again.
func (c *counts) put(at field, word string, n int) {
	if c.size >= mostKept {
		clear(c.kept)
		c.size = 0
	}
	if c.kept[at] == nil {
		c.kept[at] = map[string]counted{}
	}
	if _, ok := c.kept[at][word]; !ok {
		c.size++
	}
	c.kept[at][word] = counted{n, c.now().Add(keep)}
}

// drop forgets the answers about the fields that match.
func (c *counts) drop(match func(field) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drops++
	for at, words := range c.kept {
		if match(at) {
			c.size -= len(words)
			delete(c.kept, at)
		}
	}
}
