package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

// Fence is called by a stage before it begins, and after it has written artefacts. While it worked the document may have
// been deleted or replaced, and purged: then what it wrote came too late for the purge, is taken back, and the job is
// superseded. When it was killed between the two, it is the beginning of its next try that takes back. A tombstone or a
// newer version that is not seen here is younger than the write, so its own purge meets it. The record may have ended: a
// stage that is given such a job again finds the same end.
func Fence(ctx context.Context, l *ledger.Ledger, s artefact.Store, j wire.Job) (ledger.Record, error) {
	r, err := l.Get(ctx, j.Tenant, j.DocID)
	if err != nil && !errors.Is(err, bus.ErrNoKey) {
		return r, err
	}
	if r.Generation == j.Generation {
		return r, nil
	}
	if !r.Kept(j.Generation) { // else they are shown, or serve as cache, until the newer one is there
		if err := s.Drop(ctx, j.Tenant, j.DocID, j.Generation); err != nil {
			return r, fmt.Errorf("take back: %w", err)
		}
	}
	return r, fault.Supersededf("document %s: generation %d is no longer the accepted one (%d)", j.DocID, j.Generation, r.Generation)
}
