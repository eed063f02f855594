// Package transfer takes documents to another site without their being parsed and embedded there again: Export writes the
// artefacts of the live build into an archive, Import lays them on the shelf of the new site.
//
// An import makes nothing found. The bucket is the truth there too: when it shows an object, intake and the chain do with
// it what they always do, and parse and embed take from the shelf what was made of these very bytes (the text) or words
// (the vectors). An object that differs is read anew, one that never comes is never found.
package transfer

import (
	"context"
	"log/slog"
	"time"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/build"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
)

// Worker exports from a site and imports into it.
type Worker struct {
	Artefacts artefact.Store // of the live build's folder
	Ledger    *ledger.Ledger // as the live build sees it
	Build     build.Record   // the live one
	Tenants   []doc.Tenant   // that the site's sources name
	Rules     string         // of parsing, as the program at this site has them; its live build may be older
	Program   string         // version
	Log       *slog.Logger
	// Told, if set, is told now and then how far it is; never two times at once.
	Told func(Progress)
}

// Progress is how far it is.
type Progress struct {
	Step      string        // "count", "export", "verify" or "import"
	Documents int           // done
	Bytes     int64         // of the file, so far
	Done      float64       // share, 0 to 1; 0: not known
	Left      time.Duration // that remains at the present rate; 0: not known
}

// meter tells of progress about once a second.
type meter struct {
	told        func(Progress)
	began, last time.Time
}

func (w *Worker) meter() *meter { return &meter{told: w.Told, began: time.Now(), last: time.Now()} }

func (m *meter) tell(p Progress) {
	if m.told == nil || time.Since(m.last) < time.Second {
		return
	}
	m.last = time.Now()
	if p.Done > 0 {
		p.Left = time.Duration(float64(time.Since(m.began)) * (1 - p.Done) / p.Done).Round(time.Second)
	}
	m.told(p)
}

// record is the ledger's of a document; ok is false when there is none.
func (w *Worker) record(ctx context.Context, t doc.Tenant, id doc.ID) (r ledger.Record, ok bool, err error) {
	r, err = w.Ledger.Get(ctx, t, id)
	if none(err) {
		return r, false, nil
	}
	return r, err == nil, err
}
