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

// Promote makes a build live, in one write, if `from` is live still and the build is open. Every query worker sees it.
// The live key is read before the record, and Fence moves it after the record changed: a build is never promoted and
// given up at once.
func (r *Registry) Promote(ctx context.Context, from, to uint32) error {
	v, rev, err := r.live.Get(ctx, liveKey)
	if err != nil {
		return fmt.Errorf("live build: %w", err)
	}
	if string(v) != strconv.Itoa(int(from)) {
		return fmt.Errorf("live is build %s by now, not %d: look again", v, from)
	}
	if err := r.confirm(ctx, to); err != nil {
		return err
	}
	next := []byte(strconv.Itoa(int(to)))
	if _, err := r.live.Put(ctx, liveKey, next, rev); err != nil {
		return fmt.Errorf("live build: %w", err)
	}
	return r.setLive(next)
}

// confirm writes a build's record as it is, if it is open: a read may be one of a replica that lags, a write is not.
func (r *Registry) confirm(ctx context.Context, seq uint32) error {
	for {
		rec, rev, err := r.read(ctx, seq)
		if err != nil {
			return err
		}
		if !rec.Open() {
			r.set(rec)
			return fmt.Errorf("build %d: %w", seq, ErrGone)
		}
		if err = r.put(ctx, rec, rev); !errors.Is(err, bus.ErrConflict) {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// Fence has every promotion on its way lose that began before the build was given up; afterwards none of it begins.
// ErrLive when one was faster. To be called before anything of a build is removed.
func (r *Registry) Fence(ctx context.Context, seq uint32) error {
	for {
		v, rev, err := r.live.Get(ctx, liveKey)
		if err != nil {
			return fmt.Errorf("live build: %w", err)
		}
		if string(v) == strconv.Itoa(int(seq)) {
			return errors.Join(fmt.Errorf("build %d: %w", seq, ErrLive), r.setLive(v))
		}
		if _, err = r.live.Put(ctx, liveKey, v, rev); err == nil {
			return nil
		}
		if !errors.Is(err, bus.ErrConflict) {
			return fmt.Errorf("live build: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}
