package audit

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/origin"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// records notes what the ledger holds.
func (x *run) records(ctx context.Context) error {
	return x.Ledger.Each(ctx, "", func(r ledger.Record) error {
		b := x.books[r.Tenant]
		if b == nil {
			x.met(r.Tenant).documents++
			return nil
		}
		o, err := ownerOf(r)
		if err != nil {
			return err
		}
		if !x.maps(r) {
			o.marks |= unmapped
		}
		b.add(o)
		return nil
	})
}

// again reads the ledger once more: who has changed meanwhile is not judged.
func (x *run) again(ctx context.Context) error {
	return x.Ledger.Each(ctx, "", func(r ledger.Record) error {
		b := x.books[r.Tenant]
		if b == nil {
			return nil
		}
		now, err := ownerOf(r)
		if err != nil {
			return err
		}
		switch o := b.find(doc.PrefixOf(r.DocID)); {
		case o == nil:
			now.marks |= moved
			b.add(now)
		case !o.same(now):
			o.marks |= moved
		}
		return nil
	})
}

// maps reports whether a source names the document.
func (x *run) maps(r ledger.Record) bool {
	for _, s := range x.Sources {
		if s.Tenant == r.Tenant && s.Bucket == r.Bucket && strings.HasPrefix(r.Key, s.Prefix) && s.Own(r.Key) {
			return true
		}
	}
	return false
}

// objects walks the buckets and puts each object into its list.
func (x *run) objects(ctx context.Context) error {
	for _, s := range x.Sources {
		for info, err := range x.Blobs.List(ctx, s.Bucket, s.Prefix, "") {
			if err != nil {
				return fmt.Errorf("bucket %s: %w", s.Bucket, err)
			}
			if s.Own(info.Key) {
				x.Objects++
				x.object(s, info)
			}
		}
	}
	return nil
}

func (x *run) object(s origin.Source, info blob.Info) {
	id := doc.NewID(s.Tenant, s.Bucket, info.Key)
	d := Difference{Tenant: s.Tenant, Bucket: s.Bucket, Key: info.Key, DocID: id, repair: x.look(s.Bucket, info.Key)}
	o := x.books[s.Tenant].find(doc.PrefixOf(id))
	if o == nil || o.state.is(doc.Deleted) {
		d.Kind = Unknown
		x.differ(d)
		return
	}
	o.marks |= listed
	x.list(states[o.state])
	switch {
	case o.state.is(doc.Pending):
		d.Kind = Pending
	case o.seal != sealOf(info.ETag, info.Size):
		d.Kind, d.Detail = Stale, fmt.Sprintf("the bucket has ETag %s, %d bytes", info.ETag, info.Size)
	default:
		return
	}
	x.differ(d)
}

func (x *run) look(bucket, key string) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) { return true, x.Look(ctx, bucket, key) }
}

func (x *run) list(s doc.State) {
	switch s {
	case doc.Indexed:
		x.Indexed++
	case doc.Skipped:
		x.Skipped++
	case doc.Failed:
		x.Failed++
	case doc.Pending:
		x.Pending++
	}
}

// entries counts the index's entries by owner.
func (x *run) entries(ctx context.Context) error {
	for t, b := range x.books {
		for i, k := range doc.Kinds {
			err := x.Index.Each(ctx, vector.Build(x.Build), t, k, func(id doc.EntryID) error {
				x.Entries[k]++
				b.count(id.Place(), i)
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// artefacts looks for objects of the derived bucket that belong to no generation in use.
func (x *run) artefacts(ctx context.Context) error {
	for info, err := range x.Blobs.List(ctx, artefact.Bucket, "", "") {
		if err != nil {
			return fmt.Errorf("bucket %s: %w", artefact.Bucket, err)
		}
		if strings.HasPrefix(info.Key, "_") || x.others(info.Key) {
			continue // the reconciler's own, or another build's
		}
		x.Derived++
		t, _, _ := strings.Cut(info.Key, "/")
		switch {
		case x.books[doc.Tenant(t)] == nil:
			x.met(doc.Tenant(t)).artefacts++
		case x.owned(info.Key):
		case len(x.strays) < namedMost:
			x.strays = append(x.strays, info.Key)
		default:
			x.Unnamed++
		}
	}
	return nil
}

// others reports whether an artefact is in the folder of another build.
func (x *run) others(key string) bool {
	f := strings.SplitN(key, "/", 5)
	return x.Other != nil && len(f) == 5 && x.Other(f[3])
}

// place is the document and generation of an artefact's key; ok is false when it is the key of none.
func place(key string) (t doc.Tenant, id doc.ID, g doc.Generation, ok bool) {
	f := strings.SplitN(key, "/", 4)
	if len(f) != 4 || !strings.HasPrefix(f[2], "g") || !doc.ID(f[1]).Valid() {
		return "", "", 0, false
	}
	n, err := strconv.ParseUint(f[2][1:], 10, 24)
	return doc.Tenant(f[0]), doc.ID(f[1]), doc.Generation(n), err == nil
}

// owned reports whether an artefact belongs to a generation in use: accepted, shown, or holding the vector cache; of a
// document that changed meanwhile it may.
func (x *run) owned(key string) bool {
	t, id, g, ok := place(key)
	if !ok || x.books[t] == nil {
		return false
	}
	o := x.books[t].find(doc.PrefixOf(id))
	return o != nil && (o.marks&moved != 0 || keeps(states[o.state], o.generation, o.current, o.vectors, g))
}

func keeps(s doc.State, accepted, current, vectors, g doc.Generation) bool {
	return s != doc.Deleted && (g == current || g == vectors || g == accepted && s == doc.Pending)
}

// drop removes an artefact that still belongs to nobody.
func (x *run) drop(key string) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		if t, id, g, ok := place(key); ok {
			r, err := x.Ledger.Get(ctx, t, id)
			if err != nil && !errors.Is(err, bus.ErrNoKey) {
				return false, err
			}
			if err == nil && (keeps(r.State, r.Generation, r.Current, r.Vectors, g) || r.Kept(g)) {
				return false, nil
			}
		}
		return true, x.Blobs.Delete(ctx, artefact.Bucket, key)
	}
}
