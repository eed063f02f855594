package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/retry"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

// Letter is a dead letter: all that is needed to understand a failure and to try again.
type Letter struct {
	Job      wire.Job        `json:"job"`
	Payload  json.RawMessage `json:"payload,omitempty"` // the beginning of it as it came, when it was no job
	Stage    wire.Stage      `json:"stage"`
	Class    doc.Class       `json:"class"`
	Errors   []string        `json:"errors"` // the chain, outermost first, each cut to 2,000 bytes
	Attempts int             `json:"attempts"`
	Time     time.Time       `json:"time"`
	Trace    string          `json:"trace,omitempty"` // traceparent of the document's way
}

// dead publishes the letter, puts the document into the failed list, and ends the message.
func (r *Runner) dead(ctx context.Context, s Stage, d bus.Delivery, j wire.Job, c doc.Class, cause error) string {
	l := Letter{Job: j, Stage: s.Name, Class: c, Errors: chain(cause), Attempts: d.Attempt(), Time: time.Now().UTC(), Trace: Trace(ctx)}
	if err := bury(ctx, r.Bus, l, string(j.Tenant)+"."+string(j.DocID), j.ID(s.Name)); err != nil {
		r.Log.Warn("dead letter", "key", j.Key, "err", err)
		return r.nak(ctx, s, d, retry.Delay(1), "retry")
	}
	return r.end(ctx, s, d, j, doc.Failed, c, cause)
}

// garbageMost is how many bytes of a message that is no job its letter keeps; JSON may write each with six.
const garbageMost = 64 << 10

// settleGarbage buries a message that is no job: it belongs to no document we know.
func (r *Runner) settleGarbage(ctx context.Context, s Stage, d bus.Delivery, cause error) string {
	data := d.Message().Data
	raw, _ := json.Marshal(string(data[:min(len(data), garbageMost)]))
	l := Letter{Payload: raw, Stage: s.Name, Class: doc.Internal, Errors: chain(cause), Attempts: d.Attempt(), Time: time.Now().UTC(), Trace: Trace(ctx)}
	if err := bury(ctx, r.Bus, l, "none.none", ""); err != nil {
		return r.nak(ctx, s, d, retry.Delay(1), "retry")
	}
	_ = d.Term(Cut(cause.Error()))
	return "failed"
}

// Bury publishes the dead letter of a job that ended at `stage` without a delivery (intake).
func Bury(ctx context.Context, b bus.Bus, stage wire.Stage, j wire.Job, c doc.Class, cause error) error {
	l := Letter{Job: j, Stage: stage, Class: c, Errors: chain(cause), Attempts: 1, Time: time.Now().UTC(), Trace: Trace(ctx)}
	return bury(ctx, b, l, string(j.Tenant)+"."+string(j.DocID), j.ID(stage))
}

func bury(ctx context.Context, to bus.Bus, l Letter, owner, id string) error {
	b, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("dead letter of %s: %w", l.Job.Key, err)
	}
	if id != "" {
		id = "dead." + id
	}
	return to.Publish(ctx, bus.Message{Subject: fmt.Sprintf("%s.%s.%s", wire.DeadSubject, l.Stage, owner), ID: id, Data: b})
}

// chain is the messages of err and of what it wraps, each one once and cut.
func chain(err error) []string {
	var out []string
	for ; err != nil && len(out) < 16; err = errors.Unwrap(err) {
		if m := Cut(err.Error()); len(out) == 0 || out[len(out)-1] != m {
			out = append(out, m)
		}
	}
	return out
}
