package nats

import (
	"context"
	"errors"
	"fmt"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/retry"
)

const (
	rebuildFirst = 20 * time.Millisecond // pause before a lost consumer is asked or made again; doubles
	rebuildMost  = 2 * time.Second
	beatFrom     = time.Second // pulls of at least this wait ask the server for heartbeats
	beatMost     = 5 * time.Second
)

// Fetch first takes what is there (one exchange, up to n), then waits for one message: a pull for n would
// keep the first message in hand until the others come. Single pulls are shorter than half the lease, so
// that a message which reaches us a lease after its pull began is known to be another worker's by now.
func (b *Bus) Fetch(ctx context.Context, c bus.Consumer, n int, wait time.Duration) ([]bus.Delivery, error) {
	if n < 1 {
		return nil, nil
	}
	end := time.Now().Add(wait)
	pause := rebuildFirst
	for now := true; ; now = false {
		began, most := time.Now(), min(time.Until(end), c.Lease/2)
		got, err := b.pull(ctx, c, n, now, most)
		if len(got) > 0 || ctx.Err() != nil {
			return got, ctx.Err()
		}
		left := time.Until(end)
		if left <= 0 {
			return nil, err
		}
		if err == nil && (now || time.Since(began) > most/2) {
			pause = rebuildFirst
			continue
		}
		if err != nil { // else the server ended the pull before its time, without a reason
			b.log.Warn("pull", "stream", c.Stream, "consumer", c.Durable, "error", err)
		}
		_ = retry.Wait(ctx, min(pause, left)) // the loop looks at ctx
		pause = min(2*pause, rebuildMost)
	}
}

// pull is one exchange for what is there now, or one that waits for a single message.
func (b *Bus) pull(ctx context.Context, c bus.Consumer, n int, now bool, wait time.Duration) ([]bus.Delivery, error) {
	cons, err := b.consumer(ctx, c)
	if err != nil {
		return nil, err
	}
	asked := time.Now().Round(0) // wall clock: the monotonic one stands still while a machine sleeps
	var batch jetstream.MessageBatch
	if now {
		batch, err = cons.FetchNoWait(n)
	} else {
		batch, err = cons.Fetch(1, waitOptions(wait)...)
	}
	if err != nil {
		return nil, b.lost(ctx, c, err)
	}
	got := b.collect(ctx, c, batch, asked)
	if err := batch.Error(); err != nil && len(got) == 0 && ctx.Err() == nil {
		return nil, b.lost(ctx, c, err)
	}
	b.pulled.Store(time.Now().UnixNano())
	return got, nil
}

func waitOptions(wait time.Duration) []jetstream.FetchOpt {
	wait = max(wait, time.Millisecond)
	opts := []jetstream.FetchOpt{jetstream.FetchMaxWait(wait)}
	if wait >= beatFrom {
		opts = append(opts, jetstream.FetchHeartbeat(min(wait/3, beatMost)))
	}
	return opts
}

// collect starts the heartbeat of each message as it arrives. When ctx ends, everything is handed back.
func (b *Bus) collect(ctx context.Context, c bus.Consumer, batch jetstream.MessageBatch, asked time.Time) []bus.Delivery {
	var got []bus.Delivery
	for {
		select {
		case msg, ok := <-batch.Messages():
			if !ok {
				return got
			}
			if d := b.deliver(ctx, c, msg, asked); d != nil {
				got = append(got, d)
			}
		case <-ctx.Done():
			for _, d := range got {
				_ = d.Nak(0)
			}
			go handBack(batch) // ends when the pull does, at the latest a second after half a lease
			return nil
		}
	}
}

func handBack(batch jetstream.MessageBatch) {
	for msg := range batch.Messages() {
		_ = msg.Nak()
	}
}

// consumer is the handle of c, made when there is none.
func (b *Bus) consumer(ctx context.Context, c bus.Consumer) (jetstream.Consumer, error) {
	b.mu.Lock()
	cons := b.consumers[c.Stream+" "+c.Durable]
	b.mu.Unlock()
	if cons != nil {
		return cons, nil
	}
	return b.declareConsumer(ctx, c)
}

// lost forgets the handle when the consumer may be gone, so that the next pull makes it again.
func (b *Bus) lost(ctx context.Context, c bus.Consumer, err error) error {
	for _, e := range []error{natsgo.ErrNoResponders, jetstream.ErrNoHeartbeat, jetstream.ErrConsumerDeleted,
		jetstream.ErrConsumerNotFound, jetstream.ErrConsumerLeadershipChanged} {
		if errors.Is(err, e) {
			b.mu.Lock()
			delete(b.consumers, c.Stream+" "+c.Durable)
			b.mu.Unlock()
			break
		}
	}
	return wrap(ctx, err, "fetch from %s", c.Stream)
}

// deliver is nil when the lease ran out on the way (the process or the machine slept): by then the message
// is on its way to another worker, and settling it here would settle it there.
func (b *Bus) deliver(ctx context.Context, c bus.Consumer, msg jetstream.Msg, asked time.Time) bus.Delivery {
	if late := time.Since(asked); late >= c.Lease {
		b.log.Warn("message came later than its lease", "stream", c.Stream, "subject", msg.Subject(), "late", late)
		return nil
	}
	md, err := msg.Metadata()
	if err != nil {
		b.log.Warn("message without metadata", "stream", c.Stream, "error", fmt.Sprint(err))
		return nil
	}
	return newDelivery(ctx, b, msg, md, c.Lease)
}
