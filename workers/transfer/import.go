package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/fingerpost/fingerpost/pkg/archive"
	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/doc"
)

// Imported says what an import did.
type Imported struct {
	Tenant    doc.Tenant `json:"tenant"`    // of the file; "" for all of a site
	Documents int        `json:"documents"` // in the file
	Shelved   int        `json:"shelved"`   // wait for their objects
	Already   int        `json:"already"`   // lay there from an earlier import
	Present   int        `json:"present"`   // are found here in that version: nothing to do
	Parts     int        `json:"parts"`
	Bytes     int64      `json:"bytes"` // of all parts
	Took      float64    `json:"took_s"`
}

// Import verifies the whole file, then reads it once more and lays each document on the shelf: of a file that is refused
// nothing is taken. Tenant "" takes all that the site knows. Doing it twice, or again after it was cut off, is harmless.
func (w *Worker) Import(ctx context.Context, file io.ReadSeeker, tenant doc.Tenant) (x Imported, err error) {
	began := time.Now()
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return x, fmt.Errorf("size of the export: %w", err)
	}
	for _, step := range []string{"verify", "import"} {
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return x, fmt.Errorf("begin of the export: %w", err)
		}
		x = Imported{}
		if err := w.read(ctx, file, size, tenant, step, &x); err != nil {
			return x, err
		}
	}
	x.Took = time.Since(began).Seconds()
	return x, nil
}

// read goes through the file once; step says what for.
func (w *Worker) read(ctx context.Context, file io.Reader, size int64, tenant doc.Tenant, step string, x *Imported) error {
	a, err := archive.NewReader(file)
	if err != nil {
		return err
	}
	defer a.Close()
	if err := w.fits(a.Head, tenant); err != nil {
		return err
	}
	m := w.meter()
	for x.Tenant = a.Head.Tenant; ; {
		p, bodies, err := a.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && step == "verify" {
			err = w.sound(p, bodies)
		} else if err == nil {
			err = w.shelve(ctx, p, bodies, x)
		}
		if err != nil {
			return err
		}
		x.Documents++
		x.Parts += len(p.Parts)
		for _, part := range p.Parts {
			x.Bytes += part.Size
		}
		m.tell(Progress{Step: step, Documents: x.Documents, Bytes: a.Read(), Done: share(a.Read(), size)})
	}
}

// refuse is an error about the file as against this site.
func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: %w", archive.ErrRefused, fmt.Errorf(format, args...))
}

// fits refuses a file that this site could not use.
func (w *Worker) fits(h archive.Head, tenant doc.Tenant) error {
	own := w.Build.Vectors
	switch {
	case h.Pipeline != w.Rules:
		return refuse("its texts were made by the rules %.20q of parsing, the program here has %q; bring both sites to one version, re-index the old one, and export anew", h.Pipeline, w.Rules)
	case h.Vectors != own:
		return refuse("its vectors are of model %.60q (%.12s, %d numbers), this site's live build is made with %q (%.12s, %d numbers); start the new site with that embedder",
			h.Vectors.Model, h.Vectors.Digest, h.Vectors.Dimensions, own.Model, own.Digest, own.Dimensions)
	case tenant != "" && h.Tenant != tenant:
		return refuse("it is an export of %s, not of tenant %s", whose(h.Tenant), tenant)
	}
	return nil
}

func whose(t doc.Tenant) string {
	if t == "" {
		return "all tenants of a site (say --all)"
	}
	return "tenant " + string(t)
}

// sound refuses a document that this site would not have made of any object, or that belongs to a tenant it does not know.
func (w *Worker) sound(p artefact.Parcel, bodies [][]byte) error {
	if !slices.Contains(w.Tenants, p.Tenant) {
		return refuse("it holds documents of tenant %s, which no source of this site names", p.Tenant)
	}
	if _, err := p.Open(bodies, w.Build.Vectors); err != nil {
		return refuse("%w", err)
	}
	return nil
}

// shelve lays one document on the shelf, unless this site has all of it.
func (w *Worker) shelve(ctx context.Context, p artefact.Parcel, bodies [][]byte, x *Imported) error {
	r, ok, err := w.record(ctx, p.Tenant, p.DocID)
	if err != nil {
		return err
	}
	if ok && r.Current != 0 && r.Current == r.Generation && r.CurrentVersion == p.Version && r.Level == doc.LevelFull {
		x.Present++
		return nil
	}
	fresh, err := w.Artefacts.Shelve(ctx, p, bodies)
	if err != nil {
		return err
	}
	if fresh {
		x.Shelved++
	} else {
		x.Already++
	}
	return nil
}
