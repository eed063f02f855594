package reindex

import (
	"context"
	"time"
)

// clearEvery is how often the shelf of imports is looked over.
const clearEvery = time.Hour

// clearShelf takes off it what was imported so long ago that its object will not come.
func (w *Worker) clearShelf(ctx context.Context) error {
	if w.Keep == 0 || time.Since(w.cleared) < clearEvery {
		return nil
	}
	n, err := w.Artefacts.Unclaimed(ctx, time.Now().Add(-w.Keep))
	if err == nil {
		w.cleared = time.Now()
	}
	if n > 0 {
		w.Log.Info("imported artefacts were taken off the shelf: no object came for them", "artefacts", n, "after", w.Keep)
	}
	return err
}
