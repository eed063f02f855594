package build

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/fingerpost/fingerpost/pkg/bus"
)

// First records build 1 and makes it live; when another process was faster, its record counts.
func (r *Registry) First(ctx context.Context, rec Record) (Record, error) {
	rec.Sequence = 1
	err := r.put(ctx, rec, 0)
	if errors.Is(err, bus.ErrConflict) {
		if rec, _, err = r.read(ctx, 1); err == nil {
			r.set(rec)
		}
	}
	if err != nil {
		return rec, err
	}
	if _, err = r.live.Put(ctx, liveKey, []byte("1"), 0); err != nil && !errors.Is(err, bus.ErrConflict) {
		return rec, fmt.Errorf("live build: %w", err)
	}
	return rec, r.Refresh(ctx)
}

// Make records a new build under the next number. A Folder of "*" becomes one of its own.
func (r *Registry) Make(ctx context.Context, rec Record) (Record, error) {
	own := rec.Folder == "*"
	for {
		if err := r.Refresh(ctx); err != nil {
			return rec, err
		}
		all := r.All()
		rec.Sequence = all[len(all)-1].Sequence + 1
		if own {
			rec.Folder = fmt.Sprintf("%s-b%d", rec.Pipeline, rec.Sequence)
		}
		err := r.put(ctx, rec, 0)
		if !errors.Is(err, bus.ErrConflict) {
			return rec, err
		}
		if err := ctx.Err(); err != nil {
			return rec, err
		}
	}
}

// Change changes a record by compare-and-set; f reports whether there is anything to write.
func (r *Registry) Change(ctx context.Context, seq uint32, f func(*Record) bool) (Record, error) {
	for {
		rec, rev, err := r.read(ctx, seq)
		if err != nil {
			return rec, err
		}
		if !f(&rec) {
			r.set(rec)
			return rec, nil
		}
		if err = r.put(ctx, rec, rev); !errors.Is(err, bus.ErrConflict) {
			return rec, err
		}
		if err := ctx.Err(); err != nil {
			return rec, err
		}
	}
}

func (r *Registry) put(ctx context.Context, rec Record, rev uint64) error {
	b, err := json.Marshal(rec)
	if err != nil {
		return fmt.Errorf("record of build %d: %w", rec.Sequence, err)
	}
	if _, err = r.builds.Put(ctx, strconv.Itoa(int(rec.Sequence)), b, rev); err != nil {
		return fmt.Errorf("record of build %d: %w", rec.Sequence, err)
	}
	r.set(rec)
	return nil
}

// Promote makes a build live, in one write, if `from` is live still. Every query worker sees it.
func (r *Registry) Promote(ctx context.Context, from, to uint32) error {
	v, rev, err := r.live.Get(ctx, liveKey)
	if err != nil {
		return fmt.Errorf("live build: %w", err)
	}
	if string(v) != strconv.Itoa(int(from)) {
		return fmt.Errorf("live is build %s by now, not %d: look again", v, from)
	}
	next := []byte(strconv.Itoa(int(to)))
	if _, err := r.live.Put(ctx, liveKey, next, rev); err != nil {
		return fmt.Errorf("live build: %w", err)
	}
	return r.setLive(next)
}
