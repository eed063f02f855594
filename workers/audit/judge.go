package audit

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// judge compares each document with the bucket and with its manifest, and names what belongs to nobody.
func (x *run) judge(ctx context.Context) error {
	for _, key := range x.strays {
		if stray, err := x.stray(ctx, key); err != nil {
			return err
		} else if stray {
			x.differ(Difference{Kind: Stray, Bucket: artefact.Bucket, Key: key, repair: x.drop(key)})
		}
	}
	for t, f := range x.foreign {
		x.differ(Difference{Kind: Foreign, Tenant: t,
			Detail: fmt.Sprintf("no source names it: %d documents and %d artefacts are left as they are", f.documents, f.artefacts)})
	}
	for t, b := range x.books {
		for i := range b.owners {
			if err := x.document(ctx, t, b, &b.owners[i]); err != nil {
				return err
			}
		}
		for p, generations := range b.odd {
			if b.find(p) == nil {
				x.differ(Difference{Kind: Orphan, Tenant: t, Detail: fmt.Sprintf("entries of a document that nobody knows (%x), by generation: %v", p, generations),
					repair: x.purge(t, p, 1, doc.MaxGeneration)})
			}
		}
	}
	return nil
}

// stray reports whether an artefact belongs to nobody: nor to a build that shares it and is behind.
func (x *run) stray(ctx context.Context, key string) (bool, error) {
	if x.owned(key) {
		return false, nil
	}
	t, id, g, ok := place(key)
	if !ok {
		return true, nil
	}
	r, err := x.Ledger.Get(ctx, t, id)
	if errors.Is(err, bus.ErrNoKey) {
		return true, nil
	}
	return !r.Kept(g), err
}

// purge removes entries of a prefix that no document has.
func (x *run) purge(t doc.Tenant, p doc.Prefix, from, to doc.Generation) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		owned := false
		err := x.Ledger.Each(ctx, t, func(r ledger.Record) error {
			owned = owned || doc.PrefixOf(r.DocID) == p
			return nil
		})
		if err != nil || owned {
			return false, err
		}
		_, err = x.Index.Purge(ctx, vector.Build(x.Build), t, p, from, to)
		return true, err
	}
}

// late removes entries of a generation that is still not in use.
func (x *run) late(t doc.Tenant, id doc.ID, g doc.Generation) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		r, err := x.Ledger.Get(ctx, t, id)
		if errors.Is(err, bus.ErrNoKey) {
			return false, nil // erased meanwhile, which purged it
		}
		if err != nil || uses(r.Current, r.Generation, g, r.State == doc.Pending) {
			return false, err
		}
		_, err = x.Index.Purge(ctx, vector.Build(x.Build), t, doc.PrefixOf(id), g, g)
		return true, err
	}
}

// document judges one; its record is read only when there is something to say.
func (x *run) document(ctx context.Context, t doc.Tenant, b *book, o *owner) error {
	if o.marks&moved != 0 {
		return nil
	}
	odd := b.odd[doc.Prefix(o.id[:len(doc.Prefix{})])]
	kind := Kind("")
	switch {
	case o.marks&unmapped != 0:
		kind = Unmapped
	case o.state.is(doc.Deleted) && o.marks&purged == 0:
		kind = Unpurged
	case !o.state.is(doc.Deleted) && o.marks&listed == 0:
		kind = Gone
	}
	if kind != "" || len(odd) > 0 {
		if err := x.named(ctx, t, o, kind, odd); err != nil {
			return err
		}
	}
	if !o.state.is(doc.Indexed) || o.current == 0 || o.marks&unmapped != 0 {
		return nil
	}
	if err := x.manifest(ctx, t, o); err != nil || !x.Text {
		return err
	}
	return x.text(ctx, t, o)
}

// named tells a difference of the document itself, and its entries of generations that are not in use.
func (x *run) named(ctx context.Context, t doc.Tenant, o *owner, kind Kind, odd map[doc.Generation]int) error {
	id := o.docID()
	r, err := x.Ledger.Get(ctx, t, id)
	if errors.Is(err, bus.ErrNoKey) {
		return nil // erased meanwhile
	}
	if err != nil {
		return err
	}
	d := Difference{Kind: kind, Tenant: t, Bucket: r.Bucket, Key: r.Key, DocID: id, repair: x.look(r.Bucket, r.Key)}
	switch kind {
	case Unmapped:
		d.Detail, d.repair = "no source of its tenant names its bucket and prefix: it is left as it is", nil
	case Gone:
		x.list(states[o.state])
	}
	if kind != "" {
		x.differ(d)
	}
	if kind == Unmapped {
		return nil
	}
	for g, n := range odd {
		if !uses(o.current, o.generation, g, o.state.is(doc.Pending)) {
			x.differ(Difference{Kind: Orphan, Tenant: t, Bucket: r.Bucket, Key: r.Key, DocID: id,
				Detail: fmt.Sprintf("%d entries of generation %d, shown is %d", n, g, o.current), repair: x.late(t, id, g)})
		}
	}
	return nil
}

// manifest compares what the index holds of the shown generation with what it should.
func (x *run) manifest(ctx context.Context, t doc.Tenant, o *owner) error {
	m, err := x.Artefacts.Manifest(ctx, artefact.Ref{Tenant: t, Doc: o.docID(), Generation: o.current})
	if err != nil && !errors.Is(err, blob.ErrNotFound) && !errors.Is(err, bus.ErrNoKey) {
		return err
	}
	var wrong []string
	for _, list := range m.Levels {
		for i, k := range doc.Kinds {
			if have, want := int(o.counts[i]), len(list[k]); list[k] != nil && (have < want || have > want && k != doc.KindChunk) {
				wrong = append(wrong, fmt.Sprintf("%s %d of %d", k, have, want))
			}
		}
	}
	if err != nil {
		wrong = append(wrong, "its manifest is gone")
	}
	if len(wrong) == 0 {
		return nil
	}
	return x.lacks(ctx, t, o, strings.Join(wrong, ", "))
}

// lacks names a document whose entries are not those of its manifest.
func (x *run) lacks(ctx context.Context, t doc.Tenant, o *owner, detail string) error {
	return x.shown(ctx, t, o, func(r ledger.Record) Difference {
		return Difference{Kind: Lacking, Detail: detail,
			repair: func(ctx context.Context) (bool, error) { return true, x.Rewrite(ctx, r) }}
	})
}

// shown names a difference of a document's shown generation, unless it has another one by now.
func (x *run) shown(ctx context.Context, t doc.Tenant, o *owner, difference func(r ledger.Record) Difference) error {
	r, err := x.Ledger.Get(ctx, t, o.docID())
	if errors.Is(err, bus.ErrNoKey) || err == nil && r.Current != o.current {
		return nil
	}
	if err != nil {
		return err
	}
	d := difference(r)
	d.Tenant, d.Bucket, d.Key, d.DocID = t, r.Bucket, r.Key, r.DocID
	x.differ(d)
	return nil
}
