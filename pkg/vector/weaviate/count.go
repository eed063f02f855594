package weaviate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/weaviate/weaviate-go-client/v4/weaviate/filters"
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

// count is how many objects of a tenant's class match; nil matches all.
func (x *Index) count(ctx context.Context, b vector.Build, t doc.Tenant, k doc.Kind, where *filters.WhereBuilder) (int, error) {
	n, err := x.tally(ctx, b, t, k, []*filters.WhereBuilder{where})
	return n[0], err
}

// tally is several counts in one request, zeros for a class or tenant that is not there. The values travel through the client's
// builder, which quotes them; the names of class and tenant are ours.
func (x *Index) tally(ctx context.Context, b vector.Build, t doc.Tenant, k doc.Kind, wheres []*filters.WhereBuilder) ([]int, error) {
	n := make([]int, len(wheres))
	if err := ctx.Err(); err != nil || !t.Valid() {
		return n, err
	}
	c, ok, err := x.class(ctx, b, k)
	if err != nil || !ok {
		return n, err
	}
	ask := tallyQuery(c.name, t, wheres)
	err = x.try(ctx, func(ctx context.Context) error {
		r, err := x.rest.GraphQL().Raw().WithQuery(ask).Do(ctx)
		var answer struct {
			Aggregate map[string][]struct{ Meta struct{ Count int } }
		}
		if err = decode(ctx, r, err, &answer); err != nil {
			return err
		}
		for i := range n {
			if rows := answer.Aggregate[fmt.Sprint("c", i)]; len(rows) > 0 {
				n[i] = rows[0].Meta.Count
			}
		}
		return nil
	})
	if errors.Is(err, errMissing) {
		x.gone(tenantClass{c.name, t}, err)
		return n, nil
	}
	return n, err
}

// tallyQuery names the counts c0, c1, ...
func tallyQuery(class string, t doc.Tenant, wheres []*filters.WhereBuilder) string {
	var q strings.Builder
	q.WriteString("{Aggregate{")
	for i, w := range wheres {
		clause := ""
		if w != nil {
			clause = "," + w.String()
		}
		fmt.Fprintf(&q, "c%d:%s(tenant:%q%s){meta{count}} ", i, class, t, clause)
	}
	q.WriteString("}}")
	return q.String()
}

// Stats is what tenant t holds of build b, a minute old at most; kinds that could not be counted within five seconds are
// left out. Bytes is 0: the index is the server's.
func (x *Index) Stats(b vector.Build, t doc.Tenant) vector.Stats {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	s := vector.Stats{Entries: map[doc.Kind]int{}}
	for _, k := range doc.Kinds {
		at := field{build: b, tenant: t, kind: k}
		n, err := x.counts.get(at, []string{everyEntry}, func(words []string) ([]int, error) { return x.countWords(ctx, at, words) })
		if err == nil && n[everyEntry] > 0 {
			s.Entries[k] = n[everyEntry]
		}
	}
	return s
}
