package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/cost"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
)

// Ledger is the KV bucket with its transitions. Safe for concurrent use by any number of processes.
type Ledger struct {
	docs     bus.KV
	prefixes bus.KV
	// Floor says the highest generation that artefacts still hold of a document without a record
	// (a new cluster over an old bucket); a new record starts above it.
	floor func(context.Context, doc.Tenant, doc.ID) (doc.Generation, error)
	now   func() time.Time
	view  func() uint32               // the build that is looked at; nil: the one at the top
	kin   func(build uint32) []uint32 // builds with the same artefacts; nil: none
}

// settle makes the ledger's build the home of a new record.
func (l *Ledger) settle(r *Record) {
	if l.view != nil && l.view() != FirstBuild {
		r.Home = l.view()
	}
	l.seen(r)
}

// seen turns a stored record into the one that the ledger's build sees.
func (l *Ledger) seen(r *Record) {
	var build uint32
	if l.view != nil {
		build = l.view()
	}
	var kin []uint32
	if l.kin != nil {
		if build == 0 {
			build = r.home()
		}
		kin = l.kin(build)
	}
	r.look(build, kin)
}

// New makes a ledger over the buckets FP_DOCS and FP_PREFIXES.
func New(docs, prefixes bus.KV, floor func(context.Context, doc.Tenant, doc.ID) (doc.Generation, error)) *Ledger {
	return &Ledger{docs: docs, prefixes: prefixes, floor: floor, now: time.Now}
}

func key(t doc.Tenant, id doc.ID) string { return string(t) + "." + string(id) }

// Get reads a record from the leader; bus.ErrNoKey when there is none.
func (l *Ledger) Get(ctx context.Context, t doc.Tenant, id doc.ID) (Record, error) {
	r, _, err := l.get(ctx, t, id)
	return r, err
}

func (l *Ledger) get(ctx context.Context, t doc.Tenant, id doc.ID) (Record, uint64, error) {
	var r Record
	b, rev, err := l.docs.Get(ctx, key(t, id))
	if err != nil {
		return r, 0, fmt.Errorf("record of %s: %w", id, err)
	}
	if err := json.Unmarshal(b, &r); err != nil {
		return r, 0, fmt.Errorf("record of %s: %w", id, err)
	}
	l.seen(&r)
	return r, rev, nil
}

// ErrMoved says that another decision about the document was made after the bucket was looked at: look again.
var ErrMoved = errors.New("the document moved on meanwhile")

// errUnchanged ends an update that has nothing to write.
var errUnchanged = errors.New("unchanged")

// update changes the record by compare-and-set until it wins. f sees a zero record (and found false) when there
// is none; errUnchanged from f writes nothing.
func (l *Ledger) update(ctx context.Context, t doc.Tenant, id doc.ID, f func(r *Record, found bool) error) (Record, error) {
	for {
		r, rev, err := l.get(ctx, t, id)
		if err != nil && !errors.Is(err, bus.ErrNoKey) {
			return r, err
		}
		if err := f(&r, err == nil); err != nil {
			if errors.Is(err, errUnchanged) {
				return r, nil
			}
			return r, err
		}
		r.Updated = l.now().UTC()
		stored := r
		stored.Builds = maps.Clone(r.Builds)
		stored.back()
		b, err := json.Marshal(&stored)
		if err != nil {
			return r, fmt.Errorf("record of %s: %w", id, err)
		}
		if _, err = l.docs.Put(ctx, key(t, id), b, rev); err == nil {
			return r, nil
		}
		if !errors.Is(err, bus.ErrConflict) {
			return r, fmt.Errorf("record of %s: %w", id, err)
		}
		if err := ctx.Err(); err != nil {
			return r, err
		}
	}
}

// at runs f on the record if generation g is still the accepted one; else it is superseded.
func (l *Ledger) at(ctx context.Context, t doc.Tenant, id doc.ID, g doc.Generation, f func(r *Record) error) (Record, error) {
	return l.update(ctx, t, id, func(r *Record, found bool) error {
		if !found || r.Generation != g {
			return fault.Supersededf("document %s: generation %d is no longer the accepted one (%d)", id, g, r.Generation)
		}
		return f(r)
	})
}

// Check returns the record when g is the accepted generation; else it is superseded. It may have ended: a stage that
// is given such a job again finds the same end.
func (l *Ledger) Check(ctx context.Context, t doc.Tenant, id doc.ID, g doc.Generation) (Record, error) {
	r, err := l.Get(ctx, t, id)
	if err != nil && !errors.Is(err, bus.ErrNoKey) {
		return r, err
	}
	if r.Generation != g {
		return r, fault.Supersededf("document %s: generation %d is no longer the accepted one (%d)", id, g, r.Generation)
	}
	return r, nil
}

// Change is what Accept decided.
type Change int

// The changes: Nothing to do; Properties renewed in the same generation; Again: the same version is
// still pending, its job may have been lost and is published once more (twice is once); Fresh: a new generation.
const (
	Nothing Change = iota
	Properties
	Again
	Fresh
)

// Accept takes what intake found in the bucket. The same bytes make no new generation; in another language they do,
// for their words are analysed anew (their vectors come from the cache).
func (l *Ledger) Accept(ctx context.Context, o Object) (Record, Change, error) {
	id := o.ID()
	if err := l.claim(ctx, o.Tenant, id); err != nil {
		return Record{}, Nothing, err
	}
	var change Change
	r, err := l.update(ctx, o.Tenant, id, func(r *Record, found bool) (err error) {
		if o.Seen != nil && *o.Seen != r.Generation {
			return ErrMoved
		}
		var floor doc.Generation
		if !found {
			if floor, err = l.floor(ctx, o.Tenant, id); err != nil {
				return err
			}
		}
		if found && r.State != doc.Deleted && r.Version == o.Version && r.Language == o.Language {
			change = same(r, o)
			if change == Nothing {
				return errUnchanged
			}
			return nil
		}
		change = Fresh
		if !found {
			l.settle(r)
		}
		renew(r, o, max(r.Generation, floor)+1)
		return nil
	})
	return r, change, err
}

// same renews the properties of an unchanged version.
func same(r *Record, o Object) Change {
	change := Nothing
	pending := r.any(func(s *Standing) bool { return s.State == doc.Pending })
	if pending {
		change = Again
	}
	if r.ETag != o.ETag || r.VersionID != o.VersionID || !maps.Equal(r.Meta, o.Meta) {
		if pending && (r.ETag != o.ETag || r.VersionID != o.VersionID) {
			r.Epoch++ // the job in the stream asks for an ETag that is gone; the new one is no duplicate of it
		}
		r.ETag, r.VersionID, r.Meta = o.ETag, o.VersionID, o.Meta
		change = max(change, Properties)
	}
	return change
}

// renew turns r into the pending record of generation g; what is shown stays until g is current.
func renew(r *Record, o Object, g doc.Generation) {
	r.Tenant, r.DocID, r.Bucket, r.Key = o.Tenant, o.ID(), o.Bucket, o.Key
	r.Generation, r.Version = g, o.Version
	r.VersionID, r.ETag, r.Size, r.Meta, r.Language = o.VersionID, o.ETag, o.Size, o.Meta, o.Language
	r.Dropped = o.Dropped
	r.every(func(s *Standing) {
		s.State, s.Level, s.Class, s.Reason, s.Notes = doc.Pending, doc.LevelNone, "", "", nil
		s.Attempts, s.Purged = 0, false
	})
}

// claim reserves the document's entry prefix within the tenant, once.
func (l *Ledger) claim(ctx context.Context, t doc.Tenant, id doc.ID) error {
	p := doc.PrefixOf(id)
	k := string(t) + "." + doc.Base32(p[:])
	owner, _, err := l.prefixes.Get(ctx, k)
	if errors.Is(err, bus.ErrNoKey) {
		_, err = l.prefixes.Put(ctx, k, []byte(id), 0)
		if err == nil {
			return nil
		}
		if errors.Is(err, bus.ErrConflict) {
			owner, _, err = l.prefixes.Get(ctx, k)
		}
	}
	if err != nil {
		return fmt.Errorf("entry prefix of %s: %w", id, err)
	}
	if doc.ID(owner) != id {
		return fault.Failf(doc.Internal, "document %s: its entry prefix belongs to document %s; rename the object", id, owner)
	}
	return nil
}

// SetCurrent makes g the generation that finds show, at the level, and returns the record as it was before.
func (l *Ledger) SetCurrent(ctx context.Context, t doc.Tenant, id doc.ID, g doc.Generation, level doc.Level, facts map[string]string) (before Record, err error) {
	_, err = l.at(ctx, t, id, g, func(r *Record) error {
		before = *r
		if r.Ended() {
			return fault.Supersededf("document %s: generation %d has ended as %s", id, g, r.State)
		}
		if r.Current != g {
			r.IndexedAt = l.now().UTC()
		}
		r.State, r.Current, r.CurrentVersion, r.Attempts, r.Reason = doc.Indexed, g, r.Version, 0, ""
		if !r.Level.AtLeast(level) {
			r.Level = level
		}
		if facts != nil {
			r.Facts = facts
		}
		return nil
	})
	return before, err
}

// SetLevel raises the level of generation g and adds what embedding it cost; whole says that the vectors artefact is complete.
func (l *Ledger) SetLevel(ctx context.Context, t doc.Tenant, id doc.ID, g doc.Generation, level doc.Level, whole bool) error {
	_, err := l.at(ctx, t, id, g, func(r *Record) error {
		if r.Ended() {
			return fault.Supersededf("document %s: generation %d has ended as %s", id, g, r.State)
		}
		if r.Level.AtLeast(level) && (!whole || r.Vectors == g) {
			return errUnchanged
		}
		if !r.Level.AtLeast(level) {
			r.Level = level
		}
		if whole {
			r.Vectors = g
		}
		r.Attempts, r.Reason = 0, ""
		return nil
	})
	return err
}

// Embedded adds to the document's count of embeddings, and to what they took.
func (l *Ledger) Embedded(ctx context.Context, t doc.Tenant, id doc.ID, g doc.Generation, made, saved int, spent cost.Spent) error {
	_, err := l.at(ctx, t, id, g, func(r *Record) error {
		if made == 0 && saved == 0 && spent == (cost.Spent{}) {
			return errUnchanged
		}
		r.Made, r.Saved, r.Spent = r.Made+made, r.Saved+saved, r.Spent.Plus(spent)
		return nil
	})
	return err
}

// Note adds what is weaker than usual to the record of generation g; nothing for no notes. The notes of an
// earlier try of the same stage are not told twice.
func (l *Ledger) Note(ctx context.Context, t doc.Tenant, id doc.ID, g doc.Generation, notes []string) error {
	_, err := l.at(ctx, t, id, g, func(r *Record) error {
		n := len(r.Notes)
		for _, note := range notes {
			if !slices.Contains(r.Notes, note) {
				r.Notes = append(r.Notes, note)
			}
		}
		if len(r.Notes) == n {
			return errUnchanged
		}
		return nil
	})
	return err
}

// End puts generation g into the skipped or failed list, in every build that shares the artefacts. What an older version showed is hidden. A tombstone stays
// one: it is superseded.
func (l *Ledger) End(ctx context.Context, t doc.Tenant, id doc.ID, g doc.Generation, s doc.State, c doc.Class, reason string) error {
	_, err := l.at(ctx, t, id, g, func(r *Record) error {
		if r.State == doc.Deleted {
			return fault.Supersededf("document %s is deleted", id)
		}
		r.kindred(func(x *Standing) {
			x.State, x.Class, x.Reason = s, c, reason
			x.Level, x.Current, x.CurrentVersion, x.Vectors = doc.LevelNone, 0, "", 0
		})
		return nil
	})
	return err
}

// Attempt counts a failed try at generation g and returns the count. Its cause is the record's reason until the
// next success; of a version that has ended (a purge failed) the reason stays that of its end.
func (l *Ledger) Attempt(ctx context.Context, t doc.Tenant, id doc.ID, g doc.Generation, cause string) (int, error) {
	r, err := l.at(ctx, t, id, g, func(r *Record) error {
		r.Attempts++
		if !r.Ended() {
			r.Reason = cause
		}
		return nil
	})
	return r.Attempts, err
}

// Remove writes the tombstone: the document is hidden when Remove returns. Found is false when there was
// nothing to remove.
func (l *Ledger) Remove(ctx context.Context, t doc.Tenant, id doc.ID, dropped time.Time) (r Record, found bool, err error) {
	return l.remove(ctx, t, id, dropped, nil)
}

// RemoveSeen is Remove, refused with ErrMoved when the accepted generation is no longer the one that was known before the
// bucket was looked at.
func (l *Ledger) RemoveSeen(ctx context.Context, t doc.Tenant, id doc.ID, dropped time.Time, seen doc.Generation) (r Record, found bool, err error) {
	return l.remove(ctx, t, id, dropped, &seen)
}

func (l *Ledger) remove(ctx context.Context, t doc.Tenant, id doc.ID, dropped time.Time, seen *doc.Generation) (r Record, found bool, err error) {
	r, err = l.update(ctx, t, id, func(r *Record, has bool) error {
		if seen != nil && *seen != r.Generation {
			return ErrMoved
		}
		unpurged := r.any(func(s *Standing) bool { return !s.Purged })
		if found = has; !has || r.State == doc.Deleted && !unpurged {
			found = false
			return errUnchanged
		}
		if r.State == doc.Deleted {
			return errUnchanged // not purged yet: the job is published again
		}
		r.Generation++
		r.Version, r.Dropped, r.Meta = "", dropped, nil
		r.every(func(s *Standing) { *s = Standing{State: doc.Deleted, IndexedAt: s.IndexedAt} })
		return nil
	})
	return r, found, err
}

// Replay puts an ended document on its way again, in the same generation with a new epoch, so that its job is not
// taken for a duplicate. Only generation g, and only when it is failed or skipped.
func (l *Ledger) Replay(ctx context.Context, t doc.Tenant, id doc.ID, g doc.Generation) (Record, error) {
	return l.at(ctx, t, id, g, func(r *Record) error {
		if r.State != doc.Failed && r.State != doc.Skipped {
			return fault.Supersededf("document %s is %s: there is nothing to replay", id, r.State)
		}
		r.kindred(func(x *Standing) {
			if x.Ended() {
				x.State, x.Class, x.Reason, x.Notes, x.Attempts = doc.Pending, "", "", nil, 0
			}
		})
		r.Epoch++
		return nil
	})
}

// Again makes a new epoch of an indexed document, so that what its index lost can be written once more.
func (l *Ledger) Again(ctx context.Context, t doc.Tenant, id doc.ID, g doc.Generation) (Record, error) {
	return l.at(ctx, t, id, g, func(r *Record) error {
		r.Epoch++
		return nil
	})
}

// Purged notes that the purge of the tombstone g was read back.
func (l *Ledger) Purged(ctx context.Context, t doc.Tenant, id doc.ID, g doc.Generation) error {
	_, err := l.at(ctx, t, id, g, func(r *Record) error { r.Purged = true; return nil })
	return err
}

// Watch tells every record (all tenants) and then each change, in order, until ctx ends.
func (l *Ledger) Watch(ctx context.Context, ready chan<- struct{}, f func(Record)) error {
	return l.docs.Watch(ctx, "", ready, func(k string, v []byte, _ uint64) {
		var r Record
		if json.Unmarshal(v, &r) == nil && r.DocID != "" {
			l.seen(&r)
			f(r)
		}
	})
}

// Each calls f with every record of a tenant ("" for all).
func (l *Ledger) Each(ctx context.Context, t doc.Tenant, f func(Record) error) error {
	return l.docs.Each(ctx, string(t), func(k string, v []byte) error {
		var r Record
		if err := json.Unmarshal(v, &r); err != nil {
			return fmt.Errorf("record %s: %w", k, err)
		}
		l.seen(&r)
		return f(r)
	})
}
