package artefact

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/embedding"
)

// The shelf holds parcels that came from another site, one a document, until the bucket shows the object:
//
//	_import/<tenant>/<doc_id>/{parcel.json, source.md, tree.json, layout.json, vectors, figures/...}
//
// Nothing on it is found, whatever it says: a stage takes from it what it would have made itself of an object that is in
// the bucket. It is cleared when the document is whole, gone or refused.
const shelf = "_import/"

// parcelName is written last and removed first: without it the rest is nothing.
const parcelName = "parcel.json"

func shelfKey(t doc.Tenant, id doc.ID, name string) string { return shelf + prefix(t, id) + name }

// Shelve puts a parcel on the shelf, instead of an older one of the document. It reports false when this very parcel lies
// there already. Bodies stand in the order of p.Parts.
func (s Store) Shelve(ctx context.Context, p Parcel, bodies [][]byte) (bool, error) {
	b, err := json.Marshal(p)
	if err != nil {
		return false, fmt.Errorf("parcel of %s: %w", p.DocID, err)
	}
	key := shelfKey(p.Tenant, p.DocID, parcelName)
	switch old, err := s.get(ctx, key); {
	case err == nil && bytes.Equal(old, b):
		return false, nil
	case err != nil && !Missing(err):
		return false, err
	}
	if err := s.unshelve(ctx, p.Tenant, p.DocID); err != nil { // of an import that was cut off, too
		return false, err
	}
	for i, x := range p.Parts {
		if err := s.put(ctx, shelfKey(p.Tenant, p.DocID, x.Name), bodies[i], "application/octet-stream"); err != nil {
			return false, err
		}
	}
	return true, s.put(ctx, key, b, "application/json")
}

// parcel is what lies on the shelf of a document; ok is false when nothing does, or what this program cannot use.
func (s Store) parcel(ctx context.Context, t doc.Tenant, id doc.ID) (p Parcel, ok bool, err error) {
	b, err := s.get(ctx, shelfKey(t, id, parcelName))
	if Missing(err) {
		return p, false, nil
	}
	if err != nil {
		return p, false, err
	}
	ok = json.Unmarshal(b, &p) == nil && p.Check() == nil && p.DocID == id
	return p, ok, nil
}

// ShelvedText is the text of a version as another site has parsed it by the rules of this program; nil when the shelf does
// not have it, or no longer has it whole.
func (s Store) ShelvedText(ctx context.Context, t doc.Tenant, id doc.ID, v doc.Version) (*Text, error) {
	p, ok, err := s.parcel(ctx, t, id)
	if err != nil || !ok || p.Version != v || p.Pipeline != Pipeline {
		return nil, err
	}
	var parts []Part
	var bodies [][]byte
	for _, x := range p.Parts {
		if x.Name == vectorsName {
			continue
		}
		b, err := s.get(ctx, shelfKey(t, id, x.Name))
		if Missing(err) {
			return nil, nil // taken off meanwhile
		}
		if err != nil {
			return nil, err
		}
		parts, bodies = append(parts, x), append(bodies, b)
	}
	p.Parts = parts
	text, err := p.Open(bodies, embedding.Fingerprint{})
	if errors.Is(err, ErrDamaged) {
		return nil, nil
	}
	return &text, err
}

// ShelvedVectors is the vectors of whatever version of the document lies on the shelf, matched by text; nil for none, or
// damaged ones.
func (s Store) ShelvedVectors(ctx context.Context, t doc.Tenant, id doc.ID, digest string) (*Vectors, error) {
	p, ok, err := s.parcel(ctx, t, id)
	if err != nil || !ok {
		return nil, err
	}
	for _, x := range p.Parts {
		if x.Name != vectorsName {
			continue
		}
		b, err := s.get(ctx, shelfKey(t, id, x.Name))
		if Missing(err) || err == nil && !x.Is(b) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		v, err := readVectors(b, id, digest)
		if errors.Is(err, ErrDamaged) {
			return nil, nil
		}
		return v, err
	}
	return nil, nil
}

// unshelve takes a document's parcel off the shelf.
func (s Store) unshelve(ctx context.Context, t doc.Tenant, id doc.ID) error {
	return s.clear(ctx, shelfKey(t, id, ""), shelfKey(t, id, parcelName), func(blob.Info) bool { return true })
}

// OnShelf calls f with every key of the document's parcel.
func (s Store) OnShelf(ctx context.Context, t doc.Tenant, id doc.ID, f func(key string) error) error {
	for info, err := range s.Blobs.List(ctx, Bucket, shelfKey(t, id, ""), "") {
		if err != nil {
			return fmt.Errorf("shelf: %w", err)
		}
		if err := f(info.Key); err != nil {
			return err
		}
	}
	return nil
}

// Unclaimed takes off the shelf what was put there before a moment, and no object has claimed since. It returns how many
// artefacts there were.
func (s Store) Unclaimed(ctx context.Context, before time.Time) (n int, err error) {
	err = s.clear(ctx, shelf, "", func(i blob.Info) bool {
		old := i.Modified.Before(before)
		if old {
			n++
		}
		return old
	})
	return n, err
}

// clear removes what lies below a prefix and is meant, `first` before all.
func (s Store) clear(ctx context.Context, below, first string, meant func(blob.Info) bool) error {
	var keys []string
	for info, err := range s.Blobs.List(ctx, Bucket, below, "") {
		if err != nil {
			return fmt.Errorf("shelf: %w", err)
		}
		if info.Key == first {
			keys = append([]string{info.Key}, keys...)
		} else if meant(info) {
			keys = append(keys, info.Key)
		}
	}
	for _, k := range keys {
		if err := s.Blobs.Delete(ctx, Bucket, k); err != nil && !errors.Is(err, blob.ErrNotFound) {
			return fmt.Errorf("artefact %s: %w", k, err)
		}
	}
	return nil
}
