package nats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/fingerpost/fingerpost/pkg/bus"
)

const window = 2 * time.Minute // of deduplication, when the declaration names none

// Declare makes or updates the streams, then the consumers. Settings that the declaration does not name
// (placement, description, replicas when Options.Replicas is 0) are left as the operator has set them.
func (b *Bus) Declare(ctx context.Context, streams []bus.Stream, consumers []bus.Consumer) error {
	for _, s := range streams {
		if err := b.declareStream(ctx, s); err != nil {
			return err
		}
	}
	for _, c := range consumers {
		if _, err := b.declareConsumer(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

func (b *Bus) declareStream(ctx context.Context, s bus.Stream) error {
	ctx, cancel := b.within(ctx)
	defer cancel()
	have, err := b.streamConfig(ctx, s.Name)
	if err != nil {
		return err
	}
	want := b.streamWanted(s, have)
	if have != nil {
		if err := unchangeable(*have, want); err != nil {
			return fmt.Errorf("stream %s: %w", s.Name, err)
		}
		if reflect.DeepEqual(*have, want) {
			return nil // nothing is written, so a kill now cuts nothing off
		}
	}
	_, err = b.js.CreateOrUpdateStream(ctx, want)
	if errors.Is(sentinel(err), bus.ErrFull) {
		return fmt.Errorf("stream %s: the server cannot set %d bytes aside for it: free disk space, raise the server's storage limit, or declare less (%w: %w)",
			s.Name, want.MaxBytes, bus.ErrFull, err)
	}
	return wrap(ctx, err, "stream %s", s.Name)
}

// streamConfig is the present configuration; nil when there is no such stream.
func (b *Bus) streamConfig(ctx context.Context, name string) (*jetstream.StreamConfig, error) {
	st, err := b.js.Stream(ctx, name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, wrap(ctx, err, "stream %s", name)
	}
	return &st.CachedInfo().Config, nil
}

func (b *Bus) streamWanted(s bus.Stream, have *jetstream.StreamConfig) jetstream.StreamConfig {
	cfg := jetstream.StreamConfig{Name: s.Name, Replicas: 1, MaxMsgs: -1, MaxConsumers: -1, MaxMsgsPerSubject: -1, MaxMsgSize: -1}
	if have != nil {
		cfg = *have
	}
	cfg.Subjects = s.Subjects
	cfg.Storage = jetstream.FileStorage
	cfg.MaxBytes = cmp.Or(s.MaxBytes, -1)
	cfg.Duplicates = cmp.Or(s.Window, window)
	cfg.Replicas = cmp.Or(b.opt.Replicas, cfg.Replicas)
	if s.Limits {
		cfg.Retention, cfg.Discard, cfg.MaxAge = jetstream.LimitsPolicy, jetstream.DiscardOld, s.MaxAge
		if s.MaxAge > 0 {
			cfg.Duplicates = min(cfg.Duplicates, s.MaxAge) // the server wants it so
		}
		return cfg
	}
	cfg.Retention, cfg.Discard, cfg.MaxAge = jetstream.WorkQueuePolicy, jetstream.DiscardNew, 0
	return cfg
}

// unchangeable names the setting that the server cannot change in place.
func unchangeable(have, want jetstream.StreamConfig) error {
	switch {
	case have.Retention != want.Retention:
		return mismatch("retention", have.Retention, want.Retention)
	case have.Storage != want.Storage:
		return mismatch("storage", have.Storage, want.Storage)
	case have.Mirror != nil:
		return mismatch("mirror", have.Mirror.Name, "none")
	case have.Sealed:
		return mismatch("sealed", true, false)
	}
	return nil
}

func mismatch(setting string, have, want any) error {
	return fmt.Errorf("%s is %v there and %v here, and cannot be changed in place: move its messages away and delete it, or use another name", setting, have, want)
}

func (b *Bus) declareConsumer(ctx context.Context, c bus.Consumer) (jetstream.Consumer, error) {
	ctx, cancel := b.within(ctx)
	defer cancel()
	if c.Lease <= 0 {
		return nil, fmt.Errorf("consumer %s of stream %s: lease is %v, want more than 0", c.Durable, c.Stream, c.Lease)
	}
	if c.Fresh {
		err := b.js.DeleteConsumer(ctx, c.Stream, c.Durable)
		if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
			return nil, wrap(ctx, err, "consumer %s of stream %s", c.Durable, c.Stream)
		}
	}
	cons, err := b.js.CreateOrUpdateConsumer(ctx, c.Stream, consumerWanted(c))
	if err != nil {
		return nil, wrap(ctx, err, "consumer %s of stream %s", c.Durable, c.Stream)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.consumers[c.Stream+" "+c.Durable] = cons
	return cons, nil
}

// consumerWanted counts nothing for us: MaxDeliver is no dead-letter trigger (it strands messages in a work
// queue), and MaxAckPending would let messages that wait for a later try block all others.
func consumerWanted(c bus.Consumer) jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		Durable:       c.Durable,
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       c.Lease,
		MaxDeliver:    -1,
		MaxAckPending: -1,
		MaxWaiting:    2048, // pulls at once: workers of a stage in the whole cluster
		DeliverPolicy: jetstream.DeliverAllPolicy,
		ReplayPolicy:  jetstream.ReplayInstantPolicy,
	}
}
