package query

import "github.com/fingerpost/fingerpost/pkg/ledger"

// Knows reports whether the names of the shown version of a document are known: they are read in the background, and a
// question that comes before is not led by them.
func (w *Worker) Knows(r ledger.Record) bool {
	w.cards.mu.Lock()
	defer w.cards.mu.Unlock()
	return r.Current == 0 || w.cards.held[r.DocID].generation == r.Current
}
