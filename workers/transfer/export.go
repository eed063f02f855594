package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/fingerpost/fingerpost/pkg/archive"
	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
)

// Exported says what an export holds, and what it left out.
type Exported struct {
	Tenant    doc.Tenant `json:"tenant"` // "" for all
	Build     uint32     `json:"build"`
	Documents int        `json:"documents"` // in the file
	Partial   int        `json:"partial"`   // of these: not every vector was made yet
	Older     int        `json:"older"`     // of these: a newer version was on its way
	Unfound   int        `json:"unfound"`   // left out: skipped, failed, or not found yet; the new site decides by the object
	Moved     int        `json:"moved"`     // left out: replaced or removed while they were read
	Lost      int        `json:"lost"`      // left out: artefacts are missing, damaged or too large; `audit` names the first two
	Parts     int        `json:"parts"`
	Bytes     int64      `json:"bytes"` // of all parts
	FileBytes int64      `json:"file_bytes"`
	SHA256    string     `json:"sha256"` // of the file
	Took      float64    `json:"took_s"`
}

// Export writes the found version of each document of a tenant ("": of all) to out. What it writes of a document belongs to
// one generation, whatever changes meanwhile: a document that is replaced while it is read is read again, and one that is
// removed is left out. The documents are those that were there when it began: 64 bytes of memory each.
func (w *Worker) Export(ctx context.Context, out io.Writer, tenant doc.Tenant) (x Exported, err error) {
	began, m := time.Now(), w.meter()
	x.Tenant, x.Build = tenant, w.Build.Sequence
	all, err := w.list(ctx, tenant, &x)
	if err != nil {
		return x, err
	}
	a, err := archive.NewWriter(out, archive.Head{Program: w.Program, Made: time.Now().UTC().Truncate(time.Second), Build: w.Build.Sequence,
		Pipeline: w.Build.Pipeline, Vectors: w.Build.Vectors, Tenant: tenant})
	if err != nil {
		return x, err
	}
	for i, n := range all {
		if err := w.document(ctx, a, n, &x); err != nil {
			return x, fmt.Errorf("export of document %s: %w", n.id, err)
		}
		_, size := a.Sum()
		m.tell(Progress{Step: "export", Documents: i + 1, Bytes: size, Done: float64(i+1) / float64(len(all))})
	}
	end, err := a.Close()
	x.Parts, x.Bytes = end.Parts, end.Bytes
	x.SHA256, x.FileBytes = a.Sum()
	x.Took = time.Since(began).Seconds()
	return x, err
}

type name struct {
	tenant doc.Tenant
	id     doc.ID
}

// list is the documents that are found, in order.
func (w *Worker) list(ctx context.Context, tenant doc.Tenant, x *Exported) (all []name, err error) {
	err = w.Ledger.Each(ctx, tenant, func(r ledger.Record) error {
		switch {
		case r.State == doc.Deleted: // not even counted: it is gone
		case r.Current == 0:
			x.Unfound++
		default:
			all = append(all, name{r.Tenant, r.DocID})
		}
		return nil
	})
	slices.SortFunc(all, func(a, b name) int {
		return strings.Compare(string(a.tenant)+"/"+string(a.id), string(b.tenant)+"/"+string(b.id))
	})
	return all, err
}

// looks is how often a document that changes while it is read is read again.
const looks = 5

// document writes one.
func (w *Worker) document(ctx context.Context, a *archive.Writer, n name, x *Exported) error {
	for range looks {
		r, ok, err := w.record(ctx, n.tenant, n.id)
		if err != nil {
			return err
		}
		if !ok || r.Current == 0 {
			break
		}
		p, bodies, err := w.pack(ctx, r)
		now, _, again := w.record(ctx, n.tenant, n.id)
		if again != nil {
			return again
		}
		if now.Current != r.Current { // its artefacts may be half purged
			continue
		}
		if artefact.Missing(err) || errors.Is(err, errUnfit) {
			w.Log.Warn("left out of the export", "bucket", r.Bucket, "key", r.Key, "generation", r.Current, "err", err)
			x.Lost++
			return nil
		}
		if err != nil {
			return err
		}
		x.Documents++
		if p.Level != doc.LevelFull {
			x.Partial++
		}
		if r.Generation != r.Current {
			x.Older++
		}
		return a.Add(p, bodies)
	}
	x.Moved++
	return nil
}

// errUnfit says that a document's artefacts cannot be exported.
var errUnfit = errors.New("artefacts do not fit")

// pack reads what is found of a document.
func (w *Worker) pack(ctx context.Context, r ledger.Record) (artefact.Parcel, [][]byte, error) {
	p := artefact.Parcel{Tenant: r.Tenant, DocID: r.DocID, Bucket: r.Bucket, Key: r.Key, Version: r.CurrentVersion, Pipeline: w.Build.Pipeline,
		Notes: textNotes(r.Notes)}
	if p.Level = r.Level; r.Generation != r.Current { // the level is that of the version on its way
		p.Level, p.Notes = doc.LevelWords, nil
		if r.Vectors == r.Current {
			p.Level = doc.LevelFull
		}
	}
	bodies, err := w.Artefacts.Pack(ctx, artefact.Ref{Tenant: r.Tenant, Doc: r.DocID, Generation: r.Current}, &p, w.Build.Vectors.Digest, r.Vectors)
	if err != nil {
		return p, nil, err
	}
	if err := p.Check(); err != nil {
		return p, nil, fmt.Errorf("%w: %w", errUnfit, err)
	}
	if _, err := p.Open(bodies, w.Build.Vectors); err != nil {
		return p, nil, fmt.Errorf("%w: %w", errUnfit, err)
	}
	return p, bodies, nil
}

// textNotes is the notes that parse left: those of embed are about vectors, and the new site makes its own.
func textNotes(notes []string) (out []string) {
	for _, n := range notes {
		if !strings.HasSuffix(n, "found by words") && !strings.HasSuffix(n, "without vectors") {
			out = append(out, n)
		}
	}
	return out
}

func none(err error) bool { return errors.Is(err, bus.ErrNoKey) }

func share(done, of int64) float64 { return float64(done) / float64(cmp.Or(of, 1)) }
