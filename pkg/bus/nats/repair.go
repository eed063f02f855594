package nats

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/fingerpost/fingerpost/pkg/bus"
)

// Progress asks the consumer's leader.
func (b *Bus) Progress(ctx context.Context, c bus.Consumer) (bus.Progress, error) {
	ctx, cancel := b.within(ctx)
	defer cancel()
	cons, err := b.js.Consumer(ctx, c.Stream, c.Durable)
	if err != nil {
		return bus.Progress{}, wrap(ctx, err, "consumer %s of stream %s", c.Durable, c.Stream)
	}
	i := cons.CachedInfo()
	return bus.Progress{Pending: i.NumPending, InHand: uint64(i.NumAckPending), Delivered: last(i.Delivered), Acked: last(i.AckFloor)}, nil
}

func last(s jetstream.SequenceInfo) time.Time {
	if s.Last == nil {
		return time.Time{}
	}
	return *s.Last
}

// Rebuild deletes the consumer and makes it anew. Every message of the stream is delivered again, those in
// hand too, with its attempts counted from 1: a work queue keeps what is not acknowledged.
func (b *Bus) Rebuild(ctx context.Context, c bus.Consumer) error {
	asking, cancel := b.within(ctx)
	defer cancel()
	err := b.js.DeleteConsumer(asking, c.Stream, c.Durable)
	if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return wrap(asking, err, "consumer %s of stream %s", c.Durable, c.Stream)
	}
	_, err = b.declareConsumer(ctx, c)
	return err
}
