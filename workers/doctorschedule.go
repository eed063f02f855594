package workers

import (
	"context"
	"time"

	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers/reindex"
)

// scheduleLate is how long after a due time a re-index has begun, or been left out: a change of leader takes some leases.
const scheduleLate = 10 * time.Minute

// schedule says when the next re-index begins by itself. Nothing is said where none does.
func (d *doctor) schedule(ctx context.Context) {
	const part = "re-index schedule"
	state, err := d.Bus.KV(ctx, wire.ReindexBucket)
	if err != nil {
		d.fail(part, err)
		return
	}
	p, ok, err := (&reindex.Worker{State: state}).Plan(ctx)
	switch {
	case err != nil:
		d.fail(part, err)
	case !ok && d.Config.Reindex.Schedule != "":
		d.say(part, false, "%s is configured (reindex.schedule) and no process keeps it: start `fingerpost worker reconcile` with this configuration", d.Config.Reindex.Schedule)
	case !ok:
	case p.Next.IsZero():
		d.say(part, false, "%s names no time that comes: change reindex.schedule", p.Cron)
	case time.Since(p.Next) > scheduleLate:
		d.say(part, false, "%s was due at %s and nothing began: is `fingerpost worker reconcile` running?", p.Cron, p.Next.Format(time.RFC3339))
	default:
		d.say(part, true, "%s, next due at %s, by the %s%s", p.Cron, p.Next.Format(time.RFC3339), p.By, lastTime(p))
	}
}

func lastTime(p reindex.Planned) string {
	if p.Note == "" {
		return ""
	}
	return "; the last time: " + p.Note
}
