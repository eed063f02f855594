package workers

import (
	"context"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/workers/transfer"
)

// Transfer exports from the site that is open, and imports into it; no worker needs to run.
func (s *System) Transfer(ctx context.Context) (*transfer.Worker, error) {
	rec, err := s.Builds.Get(ctx, s.Builds.Live())
	if err != nil {
		return nil, err
	}
	return &transfer.Worker{Artefacts: artefact.Store{Blobs: s.Blobs, Folder: rec.In()}, Ledger: s.Ledger.For(rec.Sequence), Build: rec,
		Tenants: s.Config.Tenants(), Rules: s.from.pipeline(), Program: Version, Log: s.Log}, nil
}
