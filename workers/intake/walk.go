package intake

import (
	"context"
	"errors"
	"fmt"

	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
)

// Gaps is what a walk found that no event had told.
type Gaps struct{ Missing, Changed, Gone, Pending int }

// Walk lists every source and closes each gap between bucket and ledger: events are hints, the
// bucket is the truth. A bucket that cannot be listed removes nothing. Jobs of documents that are
// still pending are published again; twice is once.
func (w *Worker) Walk(ctx context.Context) (Gaps, error) {
	return w.walkBucket(ctx, "")
}

// walkBucket walks the sources of one bucket; of every bucket when it is "". A source that cannot be walked does not
// keep the others from it.
func (w *Worker) walkBucket(ctx context.Context, bucket string) (Gaps, error) {
	var g Gaps
	var errs []error
	for _, s := range w.Sources {
		if bucket != "" && s.Bucket != bucket {
			continue
		}
		seen, err := w.walkSource(ctx, s, &g)
		if seen != nil {
			err = errors.Join(err, w.gone(ctx, s, seen, &g))
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	return g, errors.Join(errs...)
}

// walkSource compares each object with its record and says which documents it saw; nil when the list is not whole.
// The first object that cannot be looked at is told, and does not keep the others from it.
func (w *Worker) walkSource(ctx context.Context, s Source, g *Gaps) (map[doc.ID]bool, error) {
	seen := map[doc.ID]bool{}
	var first error
	for info, err := range w.Blobs.List(ctx, s.Bucket, s.Prefix, "") {
		if err != nil {
			return nil, fmt.Errorf("walk of bucket %s: %w", s.Bucket, err)
		}
		if own, ok := w.source(s.Bucket, info.Key); !ok || own.Prefix != s.Prefix {
			continue
		}
		id := doc.NewID(s.Tenant, s.Bucket, info.Key)
		seen[id] = true
		r, err := w.Ledger.Get(ctx, s.Tenant, id)
		known := err == nil
		if known && w.settled(s, r, info) {
			continue
		}
		g.count(known, r)
		if err := w.Object(ctx, s.Bucket, info.Key); err != nil && first == nil {
			first = fmt.Errorf("walk of bucket %s: %w", s.Bucket, err)
		}
	}
	return seen, first
}

// settled reports whether the record is about what the list shows, by the rules of today.
func (w *Worker) settled(s Source, r ledger.Record, info blob.Info) bool {
	if r.State == doc.Deleted || r.State == doc.Pending || r.ETag != info.ETag || r.Size != info.Size {
		return false
	}
	refused := w.admit(s, info) != nil
	return refused == (r.Version == unreadVersion(info))
}

func (g *Gaps) count(known bool, r ledger.Record) {
	switch {
	case !known || r.State == doc.Deleted:
		g.Missing++
	case r.State == doc.Pending:
		g.Pending++
	default:
		g.Changed++
	}
}

// gone looks again at each document of the source that the list did not show, and at tombstones
// whose purge is not proven.
func (w *Worker) gone(ctx context.Context, s Source, seen map[doc.ID]bool, g *Gaps) error {
	var keys []string
	err := w.Ledger.Each(ctx, s.Tenant, func(r ledger.Record) error {
		if own, ok := w.source(r.Bucket, r.Key); ok && own.Bucket == s.Bucket && own.Prefix == s.Prefix &&
			!seen[r.DocID] && !(r.State == doc.Deleted && r.Purged) {
			keys = append(keys, r.Key)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, k := range keys {
		g.Gone++
		if err := w.Object(ctx, s.Bucket, k); err != nil {
			return err
		}
	}
	return nil
}
