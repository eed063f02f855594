package artefact

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// Parcel names the artefacts of one version of a document on their way to another site: what cannot be made there without
// effort. Chunks, card and manifest are left out; a site makes them anew from these, by its own settings.
type Parcel struct {
	Tenant   doc.Tenant  `json:"tenant"`
	DocID    doc.ID      `json:"doc_id"`
	Bucket   string      `json:"bucket"`
	Key      string      `json:"key"`
	Version  doc.Version `json:"version"` // of the object that they were made from
	Pipeline string      `json:"pipeline"`
	Level    doc.Level   `json:"level"`           // full: no vector lacks
	Notes    []string    `json:"notes,omitempty"` // what parse found weaker than usual
	Parts    []Part      `json:"parts"`
}

// Part is one artefact of a parcel.
type Part struct {
	Name   string `json:"name"`   // source.md, tree.json, layout.json, vectors or figures/NAME.png
	Size   int64  `json:"size"`   // bytes
	SHA256 string `json:"sha256"` // lower-case hex
}

// ParcelSize bounds all parts of a parcel together, in bytes.
const ParcelSize = 1 << 30

const (
	sourceName  = "source.md"
	treeName    = "tree.json"
	layoutName  = "layout.json"
	vectorsName = "vectors"
)

var partName = regexp.MustCompile(`^(source\.md|tree\.json|layout\.json|vectors|figures/[A-Za-z0-9_-]{1,40}\.png)$`)

// Check says why p is no parcel of ours.
func (p Parcel) Check() error {
	switch {
	case !p.Tenant.Valid():
		return fmt.Errorf("parcel: tenant %.40q is none", p.Tenant)
	case p.DocID != doc.NewID(p.Tenant, p.Bucket, p.Key):
		return fmt.Errorf("parcel of %.200q: document %.40q is not that of its tenant, bucket and key", p.Key, p.DocID)
	case !sum256.MatchString(string(p.Version)):
		return fmt.Errorf("parcel of %.200q: version %.80q is none", p.Key, p.Version)
	case !p.has(sourceName) || !p.has(treeName):
		return fmt.Errorf("parcel of %.200q holds no text or no tree", p.Key)
	}
	var total int64
	seen := map[string]bool{}
	for _, x := range p.Parts {
		if !partName.MatchString(x.Name) || seen[x.Name] {
			return fmt.Errorf("parcel of %.200q: part %.80q has a name that none of ours has, or stands there twice", p.Key, x.Name)
		}
		seen[x.Name] = true
		if x.Size < 0 || x.Size > ParcelSize-total {
			return fmt.Errorf("parcel of %.200q: its parts are over the limit of %d bytes", p.Key, ParcelSize)
		}
		total += x.Size
	}
	return nil
}

var sum256 = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (p Parcel) has(name string) bool {
	return slices.ContainsFunc(p.Parts, func(x Part) bool { return x.Name == name })
}

// Is reports whether b is what the parcel says of the part.
func (x Part) Is(b []byte) bool { return int64(len(b)) == x.Size && doc.SHA256(b) == x.SHA256 }

// add appends a part with its content.
func (p *Parcel) add(bodies *[][]byte, name string, b []byte) {
	p.Parts = append(p.Parts, Part{Name: name, Size: int64(len(b)), SHA256: doc.SHA256(b)})
	*bodies = append(*bodies, b)
}

// Pack fills p.Parts from the artefacts of a generation and returns their bytes in that order. Vectors are those of the
// model with that digest ("": none are taken), of the generation or, when it has none yet, of the one that serves as
// cache (0: none); damaged ones are left out. Missing when the generation was purged.
func (s Store) Pack(ctx context.Context, r Ref, p *Parcel, digest string, cache doc.Generation) (bodies [][]byte, err error) {
	p.Parts = nil
	pictures, err := s.figures(ctx, r)
	if err != nil {
		return nil, err
	}
	for _, name := range append([]string{sourceName, treeName, layoutName}, pictures...) {
		b, err := s.get(ctx, s.key(r, name))
		if name == layoutName && Missing(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		p.add(&bodies, name, b)
	}
	if digest == "" {
		return bodies, nil
	}
	b, err := s.packVectors(ctx, r, digest)
	if Missing(err) && cache != 0 {
		r.Generation = cache
		b, err = s.packVectors(ctx, r, digest)
	}
	switch {
	case err == nil:
		p.add(&bodies, vectorsName, b)
	case !Missing(err) && !errors.Is(err, ErrDamaged):
		return nil, err
	}
	return bodies, nil
}

func (s Store) packVectors(ctx context.Context, r Ref, digest string) ([]byte, error) {
	b, err := s.get(ctx, s.key(r, vectorsName))
	if err != nil {
		return nil, err
	}
	_, err = readVectors(b, r.Doc, digest)
	return b, err
}
