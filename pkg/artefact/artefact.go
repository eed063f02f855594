// Package artefact names and codes what the stages leave in the derived bucket (the claim check:
// messages carry keys, never text):
//
//	<tenant>/<doc_id>/g<generation>/<folder>/{source.md, tree.json, layout.json, card.json, chunks.jsonl, windows.json, vectors, manifest.json, figures/p3-1.png ...}
//
// A purge names its generations, so a late purge never hits newer work. A folder is a pipeline's, or that of one build
// of the index which was cut otherwise.
package artefact

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/doc"
)

// Bucket holds every artefact. It has no notification rule and is refused as a source.
const Bucket = "fingerpost-derived"

// Pipeline is the version of parse and chunk; another one leaves other artefacts beside the old.
const Pipeline = "p4"

// ErrDamaged says that an artefact does not hold what its stage left: it can be made again from the object.
var ErrDamaged = errors.New("artefact is damaged")

// MaxSize bounds every artefact read, in bytes.
const MaxSize = 2 << 30

// Ref names the artefacts of one generation of a document.
type Ref struct {
	Tenant     doc.Tenant
	Doc        doc.ID
	Generation doc.Generation
}

func (s Store) key(r Ref, name string) string {
	return fmt.Sprintf("%sg%d/%s/%s", prefix(r.Tenant, r.Doc), r.Generation, cmp.Or(s.Folder, Pipeline), name)
}

// SourceKey is the key of the Source Markdown in Bucket.
func (s Store) SourceKey(r Ref) string { return s.key(r, sourceName) }

func prefix(t doc.Tenant, id doc.ID) string { return string(t) + "/" + string(id) + "/" }

// Store reads and writes artefacts of one folder. Without a folder it reads and writes those of Pipeline, and purges
// all folders.
type Store struct {
	Blobs  blob.Store
	Folder string
}

// PutSource stores the Source.
func (s Store) PutSource(ctx context.Context, r Ref, src []byte) error {
	return s.put(ctx, s.SourceKey(r), src, "text/markdown; charset=utf-8")
}

// Source reads the whole Source.
func (s Store) Source(ctx context.Context, r Ref) ([]byte, error) { return s.get(ctx, s.SourceKey(r)) }

// Range reads exactly the bytes b of the Source.
func (s Store) Range(ctx context.Context, r Ref, b doc.Bytes) ([]byte, error) {
	if b.Len() <= 0 {
		return nil, nil
	}
	p, _, err := blob.ReadAll(ctx, s.Blobs, Bucket, s.SourceKey(r), blob.GetOptions{Offset: b.Start, Length: b.Len()}, b.Len())
	if err == nil && int64(len(p)) != b.Len() {
		err = fmt.Errorf("source of %s: %w: range %d-%d gave %d bytes", r.Doc, ErrDamaged, b.Start, b.End, len(p))
	}
	return p, err
}

// PutTree stores the tree.
func (s Store) PutTree(ctx context.Context, r Ref, t *doc.Tree) error {
	return s.putJSON(ctx, s.key(r, treeName), t)
}

// Tree reads the tree.
func (s Store) Tree(ctx context.Context, r Ref) (*doc.Tree, error) {
	b, err := s.get(ctx, s.key(r, treeName))
	if err != nil {
		return nil, err
	}
	t := new(doc.Tree)
	if err := json.Unmarshal(b, t); err != nil {
		return nil, fmt.Errorf("tree of %s: %w: %w", r.Doc, ErrDamaged, err)
	}
	return t, nil
}

// PutLayout stores the side-car of a document with pages (JSON of pkg/source/pdf).
func (s Store) PutLayout(ctx context.Context, r Ref, layout []byte) error {
	return s.put(ctx, s.key(r, layoutName), layout, "application/json")
}

// Layout reads the side-car; Missing where the document has no pages.
func (s Store) Layout(ctx context.Context, r Ref) ([]byte, error) {
	return s.get(ctx, s.key(r, layoutName))
}

// PutFigure stores a picture (PNG) that the Source links by that name, "figures/p3-1.png".
func (s Store) PutFigure(ctx context.Context, r Ref, name string, png []byte) error {
	return s.put(ctx, s.key(r, name), png, "image/png")
}

// Figure reads one; Missing where there is none of that name.
func (s Store) Figure(ctx context.Context, r Ref, name string) ([]byte, error) {
	return s.get(ctx, s.key(r, name))
}

// PutCard stores what routing by name knows of the document (JSON of pkg/route).
func (s Store) PutCard(ctx context.Context, r Ref, card []byte) error {
	return s.put(ctx, s.key(r, "card.json"), card, "application/json")
}

// Card reads the card.
func (s Store) Card(ctx context.Context, r Ref) ([]byte, error) {
	return s.get(ctx, s.key(r, "card.json"))
}

// PutChunks stores the chunks, one JSON object a line.
func (s Store) PutChunks(ctx context.Context, r Ref, chunks []doc.Chunk) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for i := range chunks {
		if err := enc.Encode(&chunks[i]); err != nil {
			return fmt.Errorf("chunks of %s: %w", r.Doc, err)
		}
	}
	return s.put(ctx, s.key(r, "chunks.jsonl"), b.Bytes(), "application/jsonl")
}

// Chunks reads the chunks.
func (s Store) Chunks(ctx context.Context, r Ref) ([]doc.Chunk, error) {
	b, err := s.get(ctx, s.key(r, "chunks.jsonl"))
	if err != nil {
		return nil, err
	}
	var out []doc.Chunk
	for line := range bytes.Lines(b) {
		var c doc.Chunk
		if err := json.Unmarshal(line, &c); err != nil {
			return nil, fmt.Errorf("chunks of %s: %w: %w", r.Doc, ErrDamaged, err)
		}
		out = append(out, c)
	}
	return out, nil
}

// Manifest lists what the index must hold of a generation, by level.
type Manifest struct {
	Build  uint32                              `json:"build"`
	Levels map[doc.Level]map[doc.Kind][]Member `json:"levels"`
}

// Member is (node number, ordinal) of an entry.
type Member [2]int

// PutManifest stores the manifest.
func (s Store) PutManifest(ctx context.Context, r Ref, m Manifest) error {
	return s.putJSON(ctx, s.key(r, "manifest.json"), m)
}

// Manifest reads the manifest.
func (s Store) Manifest(ctx context.Context, r Ref) (m Manifest, err error) {
	b, err := s.get(ctx, s.key(r, "manifest.json"))
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(b, &m); err != nil {
		return m, fmt.Errorf("manifest of %s: %w: %w", r.Doc, ErrDamaged, err)
	}
	return m, nil
}

// Generations calls f with every artefact key of a document in the store's folder (without one: in all) and the generation it belongs to, in key order.
func (s Store) Generations(ctx context.Context, t doc.Tenant, id doc.ID, f func(key string, g doc.Generation) error) error {
	p := prefix(t, id)
	for info, err := range s.Blobs.List(ctx, Bucket, p, "") {
		if err != nil {
			return fmt.Errorf("artefacts of %s: %w", id, err)
		}
		g, rest, _ := strings.Cut(strings.TrimPrefix(info.Key, p+"g"), "/")
		if folder, _, _ := strings.Cut(rest, "/"); s.Folder != "" && folder != s.Folder {
			continue
		}
		n, err := strconv.ParseUint(g, 10, 24)
		if err != nil {
			return fmt.Errorf("artefacts of %s: stray key %q", id, info.Key)
		}
		if err := f(info.Key, doc.Generation(n)); err != nil {
			return err
		}
	}
	return nil
}

// Highest is the highest generation of which artefacts are left; 0 for none.
func (s Store) Highest(ctx context.Context, t doc.Tenant, id doc.ID) (top doc.Generation, err error) {
	err = s.Generations(ctx, t, id, func(_ string, g doc.Generation) error { top = max(top, g); return nil })
	return top, err
}

// Purge removes the artefacts of every generation up to `to` (included), but those kept (nil: none), and returns how
// many there were. What lies on the shelf for the document has served then, or never will.
func (s Store) Purge(ctx context.Context, t doc.Tenant, id doc.ID, to doc.Generation, kept func(doc.Generation) bool) (int, error) {
	if err := s.unshelve(ctx, t, id); err != nil {
		return 0, err
	}
	return s.purge(ctx, t, id, func(g doc.Generation) bool { return g <= to && (kept == nil || !kept(g)) })
}

// Drop removes the artefacts of one generation.
func (s Store) Drop(ctx context.Context, t doc.Tenant, id doc.ID, only doc.Generation) error {
	_, err := s.purge(ctx, t, id, func(g doc.Generation) bool { return g == only })
	return err
}

func (s Store) purge(ctx context.Context, t doc.Tenant, id doc.ID, which func(doc.Generation) bool) (int, error) {
	var keys []string
	err := s.Generations(ctx, t, id, func(k string, g doc.Generation) error {
		if which(g) {
			keys = append(keys, k)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	for i, k := range keys {
		if err := s.Blobs.Delete(ctx, Bucket, k); err != nil {
			return i, fmt.Errorf("artefact %s: %w", k, err)
		}
	}
	return len(keys), nil
}

func (s Store) put(ctx context.Context, key string, b []byte, contentType string) error {
	if _, err := s.Blobs.Put(ctx, Bucket, key, bytes.NewReader(b), int64(len(b)), blob.PutOptions{ContentType: contentType}); err != nil {
		return fmt.Errorf("artefact %s: %w", key, err)
	}
	return nil
}

func (s Store) putJSON(ctx context.Context, key string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("artefact %s: %w", key, err)
	}
	return s.put(ctx, key, b, "application/json")
}

func (s Store) get(ctx context.Context, key string) ([]byte, error) {
	b, _, err := blob.ReadAll(ctx, s.Blobs, Bucket, key, blob.GetOptions{}, MaxSize)
	if err != nil {
		return nil, fmt.Errorf("artefact %s: %w", key, err)
	}
	return b, nil
}

// Missing reports whether err says that an artefact is not there.
func Missing(err error) bool { return errors.Is(err, blob.ErrNotFound) }
