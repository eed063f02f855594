package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

// Letters is the dead letters: FP_DEAD.
type Letters struct {
	Bus    bus.Bus
	Ledger *ledger.Ledger
}

// Numbered is a letter with its number in the stream.
type Numbered struct {
	Number uint64 `json:"number"`
	Letter
}

// Which letters are meant; the zero Which is all.
type Which struct {
	Tenant doc.Tenant `json:"tenant,omitempty"`
	DocID  doc.ID     `json:"doc_id,omitempty"`
	Stage  wire.Stage `json:"stage,omitempty"`
	Class  doc.Class  `json:"class,omitempty"`
	Number uint64     `json:"number,omitempty"`
}

func (w Which) subject() string {
	part := func(s string) string {
		if s == "" {
			return "*"
		}
		return s
	}
	return fmt.Sprintf("%s.%s.%s.%s", wire.DeadSubject, part(string(w.Stage)), part(string(w.Tenant)), part(string(w.DocID)))
}

// Each calls f with the letters meant, oldest first.
func (l Letters) Each(ctx context.Context, w Which, f func(Numbered) error) error {
	return l.Bus.Scan(ctx, wire.DeadStream, w.subject(), func(m bus.Stored) error {
		n := Numbered{Number: m.Sequence}
		if err := json.Unmarshal(m.Data, &n.Letter); err != nil {
			return fmt.Errorf("dead letter %d: %w", m.Sequence, err)
		}
		if w.Number != 0 && w.Number != n.Number || w.Class != "" && w.Class != n.Class {
			return nil
		}
		return f(n)
	})
}

// Drop removes the letters meant; their documents stay failed.
func (l Letters) Drop(ctx context.Context, w Which) (n int, err error) {
	err = l.Each(ctx, w, func(x Numbered) error {
		n++
		return l.Bus.Remove(ctx, wire.DeadStream, x.Number)
	})
	return n, err
}

// Replay puts the documents of the letters on their way again, from the object, and removes the letters. A letter whose
// document has moved on is removed as well: it says nothing any more.
func (l Letters) Replay(ctx context.Context, w Which) (n int, err error) {
	err = l.Each(ctx, w, func(x Numbered) error {
		j := x.Job
		if j.DocID == "" {
			return nil // no job: nothing to try again
		}
		r, err := l.Ledger.For(j.Build).Replay(ctx, j.Tenant, j.DocID, j.Generation)
		if v, _ := fault.Of(err); v == fault.Superseded || errors.Is(err, bus.ErrNoKey) {
			return l.Bus.Remove(ctx, wire.DeadStream, x.Number)
		}
		if err != nil {
			return err
		}
		n++
		j.Kind, j.Epoch, j.Version = wire.Dropped, r.Epoch, r.Version
		if err := Publish(WithTrace(ctx, x.Trace), l.Bus, wire.Live, Next{Stage: wire.Parse, Job: j}); err != nil {
			return err
		}
		return l.Bus.Remove(ctx, wire.DeadStream, x.Number)
	})
	return n, err
}

// Clear removes the letters of a document up to a generation: it is well again, or gone.
func (l Letters) Clear(ctx context.Context, t doc.Tenant, id doc.ID, upTo doc.Generation) (n int, err error) {
	err = l.Each(ctx, Which{Tenant: t, DocID: id}, func(x Numbered) error {
		if x.Job.Generation > upTo {
			return nil
		}
		n++
		return l.Bus.Remove(ctx, wire.DeadStream, x.Number)
	})
	return n, err
}
