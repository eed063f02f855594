package intake

import (
	"context"
	"time"

	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/trail"
)

type eventKey struct{}

// ofEvent says under ctx which event is handled: its name as the store sent it.
func ofEvent(ctx context.Context, name string) context.Context {
	if name == "" {
		name = "unnamed"
	}
	return context.WithValue(ctx, eventKey{}, pipeline.Cut(name))
}

// decisions says in words what a change means.
var decisions = map[ledger.Change]string{
	ledger.Nothing: "the same bytes: nothing to do", ledger.Properties: "the same bytes: properties renewed",
	ledger.Again: "still pending: its job once more", ledger.Fresh: "a new generation",
}

// tell leaves a line in the document's trail: what came in, and what was decided. A look that no event caused and that
// changed nothing (a walk of the buckets) leaves none.
func (w *Worker) tell(ctx context.Context, r ledger.Record, decision string, changed bool) {
	event, _ := ctx.Value(eventKey{}).(string)
	if w.Trail == nil || event == "" && !changed {
		return
	}
	if event == "" {
		event = "look"
	}
	w.Trail.Note(r.Tenant, r.DocID, trail.Event{Time: time.Now().UTC(), What: trail.Came, Kind: event, Generation: r.Generation, Version: r.Version,
		Outcome: decision, Trace: pipeline.Trace(ctx)})
}
