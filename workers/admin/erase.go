package admin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/trail"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// Eraser removes a document from everywhere, and reads back that it is gone.
type Eraser struct {
	Blobs     blob.Store
	Artefacts artefact.Store
	Ledger    *ledger.Ledger
	Index     vector.Index
	Letters   pipeline.Letters
	Trail     trail.Log
	Builds    func() []uint32 // of which it is removed, the live one first
}

// Removed is one thing that was removed.
type Removed struct {
	Where  string `json:"where"`
	What   string `json:"what"`
	Count  int    `json:"count"`
	SHA256 string `json:"sha256,omitempty"` // of an object's bytes
}

// Receipt says what was removed where.
type Receipt struct {
	Tenant     doc.Tenant     `json:"tenant"`
	Bucket     string         `json:"bucket"`
	Key        string         `json:"key"`
	DocID      doc.ID         `json:"doc_id"`
	Generation doc.Generation `json:"generation"` // of the tombstone; 0: only an import held something of it
	Removed    []Removed      `json:"removed"`
	Kept       []Kept         `json:"kept,omitempty"` // what the store does not give up; then nothing is verified
	Verified   bool           `json:"verified"`       // read back: nothing is left
	Time       time.Time      `json:"time"`
}

// Kept is a thing that could not be removed: a version under retention, or versions that may not be listed.
type Kept struct {
	Where string `json:"where"`
	What  string `json:"what"`
	Why   string `json:"why"`
}

// Erase removes the object with all its versions, hides the document by its tombstone, and purges index entries,
// artefacts with cached vectors, dead letters and trail.
func (e *Eraser) Erase(ctx context.Context, req DocumentRequest) (Receipt, error) {
	id := doc.NewID(req.Tenant, req.Bucket, req.Key)
	rc := Receipt{Tenant: req.Tenant, Bucket: req.Bucket, Key: req.Key, DocID: id, Time: time.Now().UTC()}
	r, err := e.Ledger.Get(ctx, req.Tenant, id)
	if errors.Is(err, bus.ErrNoKey) {
		return e.imported(ctx, rc)
	}
	if err != nil {
		return rc, err
	}
	if err := e.inventory(ctx, &rc, r.Generation); err != nil {
		return rc, err
	}
	if err := e.object(ctx, &rc); err != nil {
		return rc, err
	}
	if r, _, err = e.Ledger.Remove(ctx, req.Tenant, id, rc.Time); err != nil {
		return rc, err
	}
	rc.Generation = r.Generation
	for _, step := range []func(context.Context, *Receipt) error{e.purge, e.rest, e.readBack} {
		if err := step(ctx, &rc); err != nil {
			return rc, err
		}
	}
	return rc, nil
}

// imported removes what an import holds of a document whose object has never come.
func (e *Eraser) imported(ctx context.Context, rc Receipt) (Receipt, error) {
	err := e.shelved(ctx, &rc)
	if err == nil && len(rc.Removed) == 0 {
		err = &bus.ServiceError{Code: 404, Message: fmt.Sprintf("no document %s/%s of tenant %s was ever seen", rc.Bucket, rc.Key, rc.Tenant)}
	}
	if err != nil {
		return rc, err
	}
	if err := e.object(ctx, &rc); err != nil { // it may have come this moment
		return rc, err
	}
	if _, err = e.Artefacts.Purge(ctx, rc.Tenant, rc.DocID, 0, nil); err != nil {
		return rc, err
	}
	var left Receipt
	left.Tenant, left.DocID = rc.Tenant, rc.DocID
	err = e.shelved(ctx, &left)
	rc.Verified = len(left.Removed)+len(rc.Kept) == 0
	return rc, err
}

// object removes the object and its older versions, and notes the hash of each.
func (e *Eraser) object(ctx context.Context, rc *Receipt) error {
	sum, err := e.hash(ctx, rc.Bucket, rc.Key, "")
	if err != nil && !errors.Is(err, blob.ErrNotFound) {
		return err
	}
	if err == nil {
		if err := e.Blobs.Delete(ctx, rc.Bucket, rc.Key); err != nil {
			return fmt.Errorf("object %s/%s: %w", rc.Bucket, rc.Key, err)
		}
		rc.Removed = append(rc.Removed, Removed{Where: "bucket " + rc.Bucket, What: rc.Key, Count: 1, SHA256: sum})
	}
	return e.versions(ctx, rc)
}

// versions removes what the bucket keeps of the object: bytes first, the markers that hide them last, so that no older
// version is current in between.
func (e *Eraser) versions(ctx context.Context, rc *Receipt) error {
	store, ok := e.Blobs.(blob.Versioned)
	if !ok {
		return nil
	}
	where := "bucket " + rc.Bucket
	var old, markers []blob.Version
	for v, err := range store.Versions(ctx, rc.Bucket, rc.Key) {
		switch {
		case errors.Is(err, blob.ErrUnsupported): // a store without versions
			return nil
		case errors.Is(err, blob.ErrDenied):
			rc.Kept = append(rc.Kept, Kept{where, rc.Key, "its older versions, if there are any: the keys may not list versions"})
			return nil
		case err != nil:
			return err
		case v.Marker:
			markers = append(markers, v)
		case v.Latest: // put since: another document than the one that was to be erased
		default:
			old = append(old, v)
		}
	}
	for _, v := range append(old, markers...) {
		if v.Marker && len(rc.Kept) > 0 {
			break // it hides what is kept
		}
		if err := e.version(ctx, store, rc, where, v); err != nil {
			return err
		}
	}
	return nil
}

func (e *Eraser) version(ctx context.Context, store blob.Versioned, rc *Receipt, where string, v blob.Version) error {
	gone := Removed{Where: where, What: v.Key + " version " + v.ID, Count: 1}
	if v.Marker {
		gone.What = v.Key + " delete marker " + v.ID
	} else if sum, err := e.hash(ctx, rc.Bucket, rc.Key, v.ID); err == nil {
		gone.SHA256 = sum
	} else if !errors.Is(err, blob.ErrNotFound) && !errors.Is(err, blob.ErrDenied) {
		return err
	}
	err := store.DeleteVersion(ctx, rc.Bucket, rc.Key, v.ID)
	if errors.Is(err, blob.ErrDenied) {
		rc.Kept = append(rc.Kept, Kept{where, gone.What, "the store holds it (object lock, or a right that is missing): " + err.Error()})
		return nil
	}
	if err == nil {
		rc.Removed = append(rc.Removed, gone)
	}
	return err
}

func (e *Eraser) hash(ctx context.Context, bucket, key, version string) (string, error) {
	r, _, err := e.Blobs.Get(ctx, bucket, key, blob.GetOptions{VersionID: version})
	if err != nil {
		return "", err
	}
	defer r.Close()
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// inventory notes what is there before anything is removed: the purge that the deletion itself sets off may be faster.
func (e *Eraser) inventory(ctx context.Context, rc *Receipt, g doc.Generation) error {
	total := 0
	for _, b := range e.Builds() {
		n := 0
		for g := g; g > 0 && n == 0; g-- { // the newest generation that has entries; older ones are purged
			var err error
			if n, err = e.entries(ctx, b, rc, g); err != nil {
				return err
			}
		}
		total += n
	}
	rc.Removed = append(rc.Removed, Removed{Where: "index", What: "entries", Count: total})
	if err := e.shelved(ctx, rc); err != nil {
		return err
	}
	return e.Artefacts.Generations(ctx, rc.Tenant, rc.DocID, func(key string, _ doc.Generation) error { return e.artefact(ctx, rc, key) })
}

// shelved notes what an import holds of the document.
func (e *Eraser) shelved(ctx context.Context, rc *Receipt) error {
	return e.Artefacts.OnShelf(ctx, rc.Tenant, rc.DocID, func(key string) error { return e.artefact(ctx, rc, key) })
}

// artefact notes one, unless it is gone by now.
func (e *Eraser) artefact(ctx context.Context, rc *Receipt, key string) error {
	sum, err := e.hash(ctx, artefact.Bucket, key, "")
	if errors.Is(err, blob.ErrNotFound) {
		return nil
	}
	if err == nil {
		rc.Removed = append(rc.Removed, Removed{Where: "bucket " + artefact.Bucket, What: key, Count: 1, SHA256: sum})
	}
	return err
}

// entries is how many a build has of a generation.
func (e *Eraser) entries(ctx context.Context, b uint32, rc *Receipt, g doc.Generation) (total int, err error) {
	counts, err := e.Index.Count(ctx, vector.Build(b), rc.Tenant, doc.PrefixOf(rc.DocID), g)
	for _, n := range counts {
		total += n
	}
	return total, err
}

// purge removes index entries and artefacts of every generation up to the tombstone's.
func (e *Eraser) purge(ctx context.Context, rc *Receipt) error {
	for _, b := range e.Builds() {
		for n := 1; n > 0; {
			var err error
			if n, err = e.Index.Purge(ctx, vector.Build(b), rc.Tenant, doc.PrefixOf(rc.DocID), 1, rc.Generation); err != nil {
				return err
			}
		}
	}
	_, err := e.Artefacts.Purge(ctx, rc.Tenant, rc.DocID, rc.Generation, nil)
	return err
}

func (e *Eraser) rest(ctx context.Context, rc *Receipt) error {
	n, err := e.Letters.Clear(ctx, rc.Tenant, rc.DocID, doc.MaxGeneration)
	if err != nil {
		return err
	}
	rc.Removed = append(rc.Removed, Removed{Where: "dead letters", What: "letters", Count: n})
	if n, err = e.Trail.Erase(ctx, rc.Tenant, rc.DocID); err != nil {
		return err
	}
	rc.Removed = append(rc.Removed, Removed{Where: "trail", What: "events", Count: n})
	return nil
}

// readBack looks everywhere once more; what is left is an error, not a receipt.
func (e *Eraser) readBack(ctx context.Context, rc *Receipt) error {
	left := 0
	for _, b := range e.Builds() {
		for g := doc.Generation(max(1, int(rc.Generation)-2)); g <= rc.Generation; g++ {
			n, err := e.entries(ctx, b, rc, g)
			if err != nil {
				return err
			}
			left += n
		}
	}
	top, err := e.Artefacts.Highest(ctx, rc.Tenant, rc.DocID)
	if err != nil {
		return err
	}
	err = e.Artefacts.OnShelf(ctx, rc.Tenant, rc.DocID, func(string) error { left++; return nil })
	if err != nil {
		return err
	}
	if left > 0 || top != 0 && top <= rc.Generation {
		return fmt.Errorf("after the erasure %d index entries and artefacts of generation %d are still there; erase it again", left, top)
	}
	for _, b := range e.Builds() {
		if err := e.Ledger.For(b).Purged(ctx, rc.Tenant, rc.DocID, rc.Generation); err != nil {
			return err
		}
	}
	rc.Verified = len(rc.Kept) == 0
	return nil
}
