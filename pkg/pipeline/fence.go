package pipeline

import (
	"context"
	"errors"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

// Fence is called by a stage after it has written artefacts. While it worked the document may have been deleted or
// replaced, and purged: then what it wrote came too late for the purge, is taken back, and the job is superseded. A
// tombstone or a newer version that is not seen here is younger than the write, so its own purge meets it.
func Fence(ctx context.Context, l *ledger.Ledger, s artefact.Store, j wire.Job) error {
	r, err := l.Get(ctx, j.Tenant, j.DocID)
	if err != nil && !errors.Is(err, bus.ErrNoKey) {
		return err
	}
	if r.Generation == j.Generation {
		return nil
	}
	if r.Current != j.Generation && r.Vectors != j.Generation { // else they are shown, or serve as cache, until the newer one is there
		if err := s.Drop(ctx, j.Tenant, j.DocID, j.Generation); err != nil {
			return err
		}
	}
	return fault.Supersededf("document %s: generation %d is no longer the accepted one (%d)", j.DocID, j.Generation, r.Generation)
}
