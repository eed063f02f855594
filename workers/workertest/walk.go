package workertest

import (
	"log/slog"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/origin"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers/intake"
	"github.com/fingerpost/fingerpost/workers/reconcile"
)

// Walk runs one pass of the reconciler over the house's sources; it may remove any share.
func (h *House) Walk() (reconcile.Gaps, error) {
	h.T.Helper()
	state, err := h.Bus.KV(h.T.Context(), wire.WalkBucket)
	if err != nil {
		h.T.Fatal(err)
	}
	w := &reconcile.Worker{Blobs: h.Blobs, Ledger: h.Ledger, State: state, Look: h.Intake.Object, Settled: h.Intake.Settled,
		Log: slog.New(slog.DiscardHandler), MaxGone: .2, Bucket: artefact.Bucket,
		Sources: origin.Sources(h.Intake.Sources, func(s intake.Source) doc.Tenant { return s.Tenant })}
	g, err := w.Pass(h.T.Context(), true)
	g.Took, g.Walked, g.Resumed = 0, 0, false
	return g, err
}
