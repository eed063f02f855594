// Package trail keeps what happened to each document, for `explain`: a bounded log in the stream FP_TRAIL, subject
// fp.trail.<tenant>.<doc_id>. It is for people; nothing decides by it, and what is old falls out of it.
package trail

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

// Stream declares FP_TRAIL: 256 MiB, thirty days.
var Stream = bus.Stream{Name: wire.TrailStream, Subjects: []string{wire.TrailSubject + ".>"}, Limits: true, MaxBytes: 256 << 20, MaxAge: 30 * 24 * time.Hour}

// Event is one thing that happened.
type Event struct {
	Time       time.Time      `json:"time"`
	What       string         `json:"what"`           // Came, or the stage
	Kind       string         `json:"kind,omitempty"` // of Came: the event's name as sent, or "look"; of a stage: the job's
	Generation doc.Generation `json:"generation,omitempty"`
	Version    doc.Version    `json:"version,omitempty"`
	Attempt    int            `json:"attempt,omitempty"` // deliveries of the job so far, this one included
	Outcome    string         `json:"outcome"`           // of Came: what was decided
	Took       float64        `json:"took_ms"`
	Waited     float64        `json:"waited_ms,omitempty"`
	Error      string         `json:"error,omitempty"`
	Trace      string         `json:"trace,omitempty"` // traceparent of the document's way
}

// Came is an event of the store, or a look at the bucket that no event had caused.
const Came = "event"

// Log writes and reads trails.
type Log struct{ Bus bus.Bus }

func subject(t doc.Tenant, id doc.ID) string {
	return fmt.Sprintf("%s.%s.%s", wire.TrailSubject, t, id)
}

// Note adds an event to a document's trail.
func (l Log) Note(ctx context.Context, t doc.Tenant, id doc.ID, e Event) error {
	b, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("trail of %s: %w", id, err)
	}
	return l.Bus.Publish(ctx, bus.Message{Subject: subject(t, id), Data: b})
}

// Of is the trail of a document, oldest first.
func (l Log) Of(ctx context.Context, t doc.Tenant, id doc.ID) (events []Event, err error) {
	err = l.Bus.Scan(ctx, wire.TrailStream, subject(t, id), func(m bus.Stored) error {
		var e Event
		if err := json.Unmarshal(m.Data, &e); err != nil {
			return fmt.Errorf("trail of %s: %w", id, err)
		}
		events = append(events, e)
		return nil
	})
	return events, err
}

// Erase removes the trail of a document and says how long it was.
func (l Log) Erase(ctx context.Context, t doc.Tenant, id doc.ID) (n int, err error) {
	err = l.Bus.Scan(ctx, wire.TrailStream, subject(t, id), func(m bus.Stored) error {
		n++
		return l.Bus.Remove(ctx, wire.TrailStream, m.Sequence)
	})
	return n, err
}
