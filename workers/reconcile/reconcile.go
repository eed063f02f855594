// Package reconcile is the worker that makes the ledger agree with the buckets: events are hints, the bucket
// is the truth. A pass walks every source by cursor and compares each object with its record; what no event
// told is handed to intake. What the walk did not see is looked at one by one and removed when it is gone.
//
// A pass goes on after a restart where it stopped: the cursor stands in the KV bucket FP_RECONCILE, and what
// was seen (8 bytes a document) in objects of the derived bucket. An error or a list that ends early removes
// nothing; neither does a pass that would remove more than a configured share at once, unless told to.
package reconcile

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/origin"
)

// Ledger is what a pass needs of the ledger.
type Ledger interface {
	Get(ctx context.Context, t doc.Tenant, id doc.ID) (ledger.Record, error)
	Each(ctx context.Context, t doc.Tenant, f func(ledger.Record) error) error
}

// Worker reconciles.
type Worker struct {
	Sources []origin.Source
	Blobs   blob.Store
	Ledger  Ledger
	State   bus.KV // FP_RECONCILE
	// Look makes the ledger agree with what the bucket holds under a key (intake's Object).
	Look func(ctx context.Context, bucket, key string) error
	// Settled reports whether a record at rest is about what the list shows, by the rules of today (intake's).
	Settled func(r ledger.Record, info blob.Info) bool
	Log     *slog.Logger
	// MaxGone is the share of a source's documents (0..1) that one pass may remove unasked; up to FewGone it may always.
	MaxGone float64
	Bucket  string // the derived bucket, for what was seen
	// FlushEvery is how many objects are walked between two saves of the cursor; 0 is 20,000.
	FlushEvery int
}

// FewGone documents may always be removed by a pass: a share of few says nothing.
const FewGone = 10

// Gaps counts what a pass found that no event had told, by class.
type Gaps struct {
	Walked   int           `json:"walked"`   // objects seen
	Missing  int           `json:"missing"`  // in the bucket, not known
	Changed  int           `json:"changed"`  // known by other bytes
	Gone     int           `json:"gone"`     // known, not in the bucket
	Pending  int           `json:"pending"`  // known, but its job may have been lost
	Unpurged int           `json:"unpurged"` // tombstones whose purge was not proven
	Held     int           `json:"held"`     // gone, but too many at once: removed only with --yes
	Resumed  bool          `json:"resumed,omitempty"`
	Took     time.Duration `json:"took_ns"`
}

// Pass walks every source once. yes allows to remove any share. A source that cannot be walked keeps no other
// from it; the error names each. A walk that a restart had cut off is finished and then made once more from the
// start, so that what changed before its cursor is met as well.
func (w *Worker) Pass(ctx context.Context, yes bool) (Gaps, error) {
	var g Gaps
	var errs []error
	start := time.Now()
	for _, s := range w.Sources {
		resumed, err := w.source(ctx, s, yes, &g)
		if err == nil && resumed {
			g.Resumed = true
			_, err = w.source(ctx, s, yes, &g)
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	g.Took = time.Since(start)
	return g, errors.Join(errs...)
}

// source walks one source and then looks for what is gone from it.
func (w *Worker) source(ctx context.Context, s origin.Source, yes bool, g *Gaps) (resumed bool, err error) {
	p, err := w.resume(ctx, s)
	if err != nil {
		return false, err
	}
	resumed = p.Cursor != ""
	looked, err := w.walk(ctx, s, p, g)
	if err != nil {
		return resumed, err // a list cut short: nothing is removed
	}
	seen, err := w.loadSeen(ctx, p)
	if errors.Is(err, blob.ErrNotFound) { // what was seen is lost: it is walked again from the start
		return true, errors.Join(looked, w.finish(ctx, p))
	}
	if err != nil {
		return resumed, err
	}
	if err := w.gone(ctx, s, seen, yes, g); err != nil {
		return resumed, errors.Join(looked, err)
	}
	return resumed, errors.Join(looked, w.finish(ctx, p))
}

// walk compares each object with its record from the cursor on. An object that cannot be looked at keeps no other
// from it: the first such error is `looked`; err says that the list is not whole.
func (w *Worker) walk(ctx context.Context, s origin.Source, p *pass, g *Gaps) (looked, err error) {
	for info, err := range w.Blobs.List(ctx, s.Bucket, s.Prefix, p.Cursor) {
		if err != nil {
			return looked, fmt.Errorf("walk of bucket %s: %w", s.Bucket, err)
		}
		if s.Own(info.Key) {
			g.Walked++
			if err := w.compare(ctx, s, info, g); err != nil && looked == nil {
				looked = err
			}
			p.saw(doc.NewID(s.Tenant, s.Bucket, info.Key))
		}
		p.Cursor = info.Key
		if p.unsaved >= w.flushEvery() {
			if err := w.save(ctx, p); err != nil {
				return looked, err
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return looked, err
	}
	return looked, w.save(ctx, p)
}

func (w *Worker) flushEvery() int {
	if w.FlushEvery > 0 {
		return w.FlushEvery
	}
	return 20_000
}

// compare hands an object to intake when its record does not agree with it.
func (w *Worker) compare(ctx context.Context, s origin.Source, info blob.Info, g *Gaps) error {
	r, err := w.Ledger.Get(ctx, s.Tenant, doc.NewID(s.Tenant, s.Bucket, info.Key))
	switch {
	case errors.Is(err, bus.ErrNoKey) || err == nil && r.State == doc.Deleted:
		g.Missing++
	case err != nil:
		return err
	case r.State == doc.Pending:
		g.Pending++
	case !w.Settled(r, info):
		g.Changed++
	default:
		return nil
	}
	return w.look(ctx, s.Bucket, info.Key)
}

func (w *Worker) look(ctx context.Context, bucket, key string) error {
	if err := w.Look(ctx, bucket, key); err != nil {
		return fmt.Errorf("look at %s/%s: %w", bucket, key, err)
	}
	return nil
}

// gone looks at each document of the source that the walk did not see, unless they are too many at once.
func (w *Worker) gone(ctx context.Context, s origin.Source, seen seenSet, yes bool, g *Gaps) error {
	var keys []string
	known := 0
	err := w.Ledger.Each(ctx, s.Tenant, func(r ledger.Record) error {
		if r.Bucket != s.Bucket || !s.Own(r.Key) {
			return nil
		}
		if r.State != doc.Deleted {
			known++
		}
		switch {
		case seen.has(r.DocID) || r.State == doc.Deleted && r.Purged:
		case r.State == doc.Deleted:
			g.Unpurged++
			return w.look(ctx, r.Bucket, r.Key)
		default:
			keys = append(keys, r.Key)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if n := len(keys); !yes && n > FewGone && float64(n) > w.MaxGone*float64(known) {
		g.Held += n
		w.Log.Warn("too many documents are gone at once: nothing is removed; `fingerpost reconcile --yes` removes them",
			"bucket", s.Bucket, "prefix", s.Prefix, "gone", n, "known", known)
		return nil
	}
	for _, k := range keys {
		g.Gone++
		if err := w.look(ctx, s.Bucket, k); err != nil {
			return err
		}
	}
	return nil
}
