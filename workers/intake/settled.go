package intake

import (
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/ledger"
)

// Settled reports whether a record at rest is about what a list shows, by the rules of today: a raised limit or a new
// rule of exclusion makes it unsettled.
func (w *Worker) Settled(r ledger.Record, info blob.Info) bool {
	if r.ETag != info.ETag || r.Size != info.Size {
		return false
	}
	s, ok := w.source(r.Bucket, r.Key)
	refused := ok && w.admit(s, info) != nil
	return refused == (r.Version == unreadVersion(info))
}
