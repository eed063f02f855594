package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/retry"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

// settle ends the delivery by the verdict and says how.
func (r *Runner) settle(ctx context.Context, s Stage, d bus.Delivery, j wire.Job, err error) string {
	verdict, class := fault.Of(err)
	if err == nil {
		return r.ack(ctx, s, d, "done")
	}
	if ctx.Err() != nil {
		_ = d.Nak(0) // stopping: hand back
		return "retry"
	}
	if verdict == fault.Superseded {
		return r.ack(ctx, s, d, "superseded")
	}
	over, moved := r.state(ctx, j)
	switch {
	case over:
		return r.purge(ctx, s, d, j)
	case Away(err):
		return r.nak(ctx, s, d, r.pauses().Delay(min(d.Attempt(), 4)), "outage")
	case moved:
		return r.redo(ctx, s, d, err)
	case verdict == fault.Skip:
		return r.end(ctx, s, d, j, doc.Skipped, class, err)
	case verdict == fault.Fail:
		return r.dead(ctx, s, d, j, class, err)
	}
	return r.again(ctx, s, d, j, err)
}

// away is what a whole server says that cannot be used now: no document's fault.
var away = []error{bus.ErrAway, bus.ErrFull, blob.ErrAway, blob.ErrFull, vector.ErrAway, vector.ErrReadOnly,
	vector.ErrNoRoom, vector.ErrDenied, vector.ErrNewer}

// Away reports whether err says that a whole server cannot be used now: nobody's attempt.
func Away(err error) bool {
	if v, _ := fault.Of(err); v == fault.Outage {
		return true
	}
	return slices.ContainsFunc(away, func(e error) bool { return errors.Is(err, e) })
}

func (r *Runner) ack(ctx context.Context, s Stage, d bus.Delivery, outcome string) string {
	if err := insist(ctx, s, func() error { return d.Ack(ctx) }); err != nil {
		r.Log.Warn("acknowledge", "subject", d.Message().Subject, "err", err)
	}
	return outcome
}

// nak has the message delivered again after the delay.
func (r *Runner) nak(ctx context.Context, s Stage, d bus.Delivery, delay time.Duration, outcome string) string {
	if err := insist(ctx, s, func() error { return d.Nak(delay) }); err != nil {
		r.Log.Warn("hand back", "subject", d.Message().Subject, "err", err)
	}
	return outcome
}

// insist repeats a settling while the bus is away: else the message came again only when its lease has run out.
func insist(ctx context.Context, s Stage, f func() error) error {
	for end := time.Now().Add(s.Lease); ; {
		err := f()
		if err == nil || !errors.Is(err, bus.ErrAway) || time.Now().After(end) || retry.Wait(ctx, fetchPause/4) != nil {
			return err
		}
	}
}

// state says what became of the version meanwhile. over: it has ended, at another stage or in an earlier try that died
// before it had said so to all: its class and reason stand. moved: the document has another version, or is gone.
func (r *Runner) state(ctx context.Context, j wire.Job) (over, moved bool) {
	rec, err := r.Ledger.For(j.Build).Get(ctx, j.Tenant, j.DocID)
	if err != nil && !errors.Is(err, bus.ErrNoKey) {
		return false, false
	}
	moved = rec.Generation != j.Generation
	return !moved && j.Kind != wire.Removed && rec.Ended(), moved
}

// purge asks for the purge of a version that has ended; more than once does no harm. What this work left is younger
// than the purge that was asked for when the version ended, so it is another message.
func (r *Runner) purge(ctx context.Context, s Stage, d bus.Delivery, j wire.Job) string {
	n := Next{Stage: wire.Index, Job: j, late: fmt.Sprintf(".late.%s.%s.%d", s.Name, j.Kind, d.Attempt())}
	n.Job.Kind = wire.Removed
	if err := r.follow(ctx, s, wire.Live, n); err != nil {
		return r.nak(ctx, s, d, retry.Delay(1), "retry")
	}
	return r.ack(ctx, s, d, "superseded")
}

// redoMost is how often superseded work that failed comes again; what it left after that is found by audit.
const redoMost = 10

// redo has work that is superseded and failed come again: it may have written before it failed, and after the purge.
// The first step of every stage takes that back.
func (r *Runner) redo(ctx context.Context, s Stage, d bus.Delivery, cause error) string {
	if d.Attempt() < redoMost {
		return r.nak(ctx, s, d, retry.Delay(d.Attempt()), "retry")
	}
	r.Log.Error("superseded work cannot be taken back; audit names what it left", "subject", d.Message().Subject, "err", Cut(cause.Error()))
	return r.ack(ctx, s, d, "superseded")
}

// end puts the document into a list and has what it left behind purged.
func (r *Runner) end(ctx context.Context, s Stage, d bus.Delivery, j wire.Job, st doc.State, c doc.Class, cause error) string {
	err := r.Ledger.For(j.Build).End(ctx, j.Tenant, j.DocID, j.Generation, st, c, Cut(cause.Error()))
	superseded, purge := isSuperseded(err), j.Kind != wire.Removed
	if superseded && purge {
		return r.redo(ctx, s, d, cause)
	}
	if err == nil && purge { // a purge that is given up is not asked for again at once: it would never end
		n := Next{Stage: wire.Index, Job: j}
		n.Job.Kind = wire.Removed
		err = r.follow(ctx, s, wire.Live, n)
	}
	if err != nil && !isSuperseded(err) {
		return r.nak(ctx, s, d, retry.Delay(1), "retry")
	}
	return r.ack(ctx, s, d, string(st))
}

func isSuperseded(err error) bool {
	v, _ := fault.Of(err)
	return v == fault.Superseded
}

// again counts a failed try; the last one of the budget is a dead letter.
func (r *Runner) again(ctx context.Context, s Stage, d bus.Delivery, j wire.Job, cause error) string {
	n, err := r.Ledger.For(j.Build).Attempt(ctx, j.Tenant, j.DocID, j.Generation, Cut(cause.Error()))
	if isSuperseded(err) {
		return r.redo(ctx, s, d, cause)
	}
	if err == nil && n >= r.Tries {
		return r.dead(ctx, s, d, j, doc.Upstream, fmt.Errorf("gave up after %d tries: %w", n, cause))
	}
	return r.nak(ctx, s, d, retry.Delay(n), "retry")
}
