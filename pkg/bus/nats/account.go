package nats

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/fingerpost/fingerpost/pkg/bus"
)

// Account is what the server grants to our credentials.
type Account struct {
	Server     string // its version
	MaxPayload int64  // bytes of a message
	JetStream  bool   // false: the server, or our account, has none; then the fields below are 0
	// Stored, Reserved and StoreLimit are bytes on disk: used, promised to streams, and granted; a limit of -1 is none.
	Stored, Reserved, StoreLimit int64
	Streams, StreamLimit         int
}

// Account asks for what is granted.
func (b *Bus) Account(ctx context.Context) (Account, error) {
	ctx, cancel := b.within(ctx)
	defer cancel()
	a := Account{Server: b.nc.ConnectedServerVersion(), MaxPayload: b.nc.MaxPayload()}
	info, err := b.js.AccountInfo(ctx)
	if errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) {
		return a, nil
	}
	if err != nil {
		return a, wrap(ctx, err, "account")
	}
	a.JetStream = true
	a.Stored, a.Reserved, a.StoreLimit = int64(info.Store), int64(info.ReservedStore), info.Limits.MaxStore
	a.Streams, a.StreamLimit = info.Streams, info.Limits.MaxStreams
	return a, nil
}

// Refused names those of the subjects on which the server does not let us publish. An empty message is published on each,
// so they are subjects that no stream keeps.
func (b *Bus) Refused(ctx context.Context, subjects ...string) (refused []string, err error) {
	for _, s := range subjects {
		if err := b.nc.Publish(s, nil); err != nil {
			return refused, wrap(ctx, err, "publish on %s", s)
		}
		if err := b.nc.FlushTimeout(b.opt.Timeout); err != nil { // the refusal comes before the answer to this
			return refused, wrap(ctx, err, "publish on %s", s)
		}
		if last := b.nc.LastError(); errors.Is(last, natsgo.ErrPermissionViolation) && strings.Contains(last.Error(), `"`+s+`"`) {
			refused = append(refused, s)
		}
	}
	return refused, nil
}

// Hear calls f with each message that is published on subject (wildcards allowed) until ctx ends, whether a stream keeps it
// or not. Ready is closed when they come.
func (b *Bus) Hear(ctx context.Context, subject string, ready chan<- struct{}, f func(bus.Message)) error {
	msgs := make(chan *natsgo.Msg, 1024)
	sub, err := b.nc.ChanSubscribe(subject, msgs)
	if err != nil {
		return wrap(ctx, err, "subscribe to %s", subject)
	}
	defer func() { _ = sub.Unsubscribe() }()
	if err := b.nc.FlushTimeout(b.opt.Timeout); err != nil {
		return wrap(ctx, err, "subscribe to %s", subject)
	}
	if last := b.nc.LastError(); errors.Is(last, natsgo.ErrPermissionViolation) && strings.Contains(last.Error(), `"`+subject+`"`) {
		return fmt.Errorf("subscribe to %s: %w", subject, bus.ErrDenied)
	}
	close(ready)
	for {
		select {
		case m := <-msgs:
			f(bus.Message{Subject: m.Subject, Data: m.Data})
		case <-ctx.Done():
			return nil
		}
	}
}

// Clock is the time at the server that leads a stream, and how long asking took.
func (b *Bus) Clock(ctx context.Context, stream string) (at time.Time, took time.Duration, err error) {
	ctx, cancel := b.within(ctx)
	defer cancel()
	start := time.Now()
	s, err := b.js.Stream(ctx, stream)
	if err != nil {
		return at, 0, wrap(ctx, err, "stream %s", stream)
	}
	return s.CachedInfo().TimeStamp, time.Since(start), nil
}
