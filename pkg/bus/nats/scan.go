package nats

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/fingerpost/fingerpost/pkg/bus"
)

// Scan asks for one message after the other, the next at or after a sequence: no consumer is made, so a work queue
// keeps what it has.
func (b *Bus) Scan(ctx context.Context, stream, subject string, f func(bus.Stored) error) error {
	if subject == "" {
		subject = ">"
	}
	st, err := b.js.Stream(ctx, stream)
	if err != nil {
		return wrap(ctx, err, "scan of stream %s", stream)
	}
	for next := uint64(1); ; {
		m, err := st.GetMsg(ctx, next, jetstream.WithGetMsgSubject(subject))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		if err != nil {
			return wrap(ctx, err, "scan of stream %s", stream)
		}
		if err := f(bus.Stored{Message: decode(m.Subject, m.Header, m.Data), Sequence: m.Sequence, Time: m.Time}); err != nil {
			return err
		}
		next = m.Sequence + 1
	}
}

// Remove deletes one message.
func (b *Bus) Remove(ctx context.Context, stream string, sequence uint64) error {
	st, err := b.js.Stream(ctx, stream)
	if err != nil {
		return wrap(ctx, err, "message %d of stream %s", sequence, stream)
	}
	err = st.DeleteMsg(ctx, sequence)
	if errors.Is(err, jetstream.ErrMsgNotFound) || errors.Is(err, jetstream.ErrMsgDeleteUnsuccessful) {
		return nil
	}
	return wrap(ctx, err, "message %d of stream %s", sequence, stream)
}
