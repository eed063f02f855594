package workertest

import (
	"log/slog"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/artefact"
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
		Log: slog.New(slog.DiscardHandler), MaxGone: .2, Bucket: artefact.Bucket}
	for _, s := range h.Intake.Sources {
		w.Sources = append(w.Sources, reconcile.Source{Bucket: s.Bucket, Prefix: s.Prefix, Tenant: s.Tenant, Own: own(s)})
	}
	g, err := w.Pass(h.T.Context(), true)
	g.Took, g.Walked, g.Resumed = 0, 0, false
	return g, err
}

func own(s intake.Source) func(string) bool {
	return func(key string) bool { return strings.HasPrefix(key, s.Prefix) }
}
