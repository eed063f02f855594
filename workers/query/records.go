package query

import (
	"context"
	"errors"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/rank"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// records are what FP_DOCS said for one question; nil for a prefix that no document has.
type records map[doc.Prefix]*ledger.Record

func (rs records) has(p doc.Prefix) bool { _, ok := rs[p]; return ok }

// lookupsAtOnce bounds the reads of FP_DOCS that one question has under way.
const lookupsAtOnce = 16

// missing is the next documents of the nodes that are not known, at most as many as places are wanted.
func (rs records) missing(nodes []rank.Node, wanted int) (out []doc.Prefix) {
	for _, n := range nodes {
		if p := n.Place.Prefix; !rs.has(p) && !slices.Contains(out, p) {
			if out = append(out, p); len(out) >= min(wanted, lookupsAtOnce) {
				break
			}
		}
	}
	return out
}

// lookups reads the records of the prefixes side by side.
func (w *Worker) lookups(ctx context.Context, t doc.Tenant, into records, ps []doc.Prefix) error {
	found := make([]*ledger.Record, len(ps))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(lookupsAtOnce)
	for i, p := range ps {
		g.Go(func() (err error) { found[i], err = w.lookup(ctx, t, p); return err })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i, p := range ps {
		into[p] = found[i]
	}
	return nil
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

// also names, for each place, the other documents that show the same bytes, among those that were asked for (nil: all).
func (w *Worker) also(ctx context.Context, t doc.Tenant, only vector.Filter, places []found) error {
	known, twins := records{}, map[doc.Version][]doc.Prefix{}
	var ask []doc.Prefix
	for _, f := range places {
		v := f.record.CurrentVersion
		if _, ok := twins[v]; ok {
			continue
		}
		twins[v] = nil
		for _, p := range w.table.twins(t, v, api.MaxAlso+1) {
			if p != f.Place.Prefix && (only == nil || slices.Contains(only, p)) {
				twins[v] = append(twins[v], p)
				ask = append(ask, p)
			}
		}
	}
	if err := w.lookups(ctx, t, known, ask); err != nil {
		return err
	}
	for i := range places {
		f := &places[i]
		for _, p := range twins[f.record.CurrentVersion] {
			if r := known[p]; r != nil && r.Current != 0 && r.CurrentVersion == f.record.CurrentVersion && r.DocID != f.record.DocID && len(f.also) < api.MaxAlso {
				f.also = append(f.also, r.Key)
			}
		}
		slices.Sort(f.also)
	}
	return nil
}
