package nats

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/fingerpost/fingerpost/pkg/bus"
)

// delivery is a message in hand with the goroutine that keeps its lease.
type delivery struct {
	bus  *Bus
	msg  jetstream.Msg
	md   *jetstream.MsgMetadata
	stop context.CancelFunc // of the heartbeat
}

func newDelivery(ctx context.Context, b *Bus, msg jetstream.Msg, md *jetstream.MsgMetadata, lease time.Duration) *delivery {
	ctx, stop := context.WithCancel(ctx)
	d := &delivery{b, msg, md, stop}
	go d.beat(ctx, lease/3)
	return d
}

// beat renews the lease until the delivery is settled or its context ends. A beat that cannot be sent is
// not repeated: the next one comes before the lease has run out.
func (d *delivery) beat(ctx context.Context, every time.Duration) {
	t := time.NewTicker(max(every, time.Millisecond))
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if err := d.msg.InProgress(); err != nil {
				d.bus.log.Debug("lease not renewed", "subject", d.msg.Subject(), "error", err)
			}
		}
	}
}

func (d *delivery) Message() bus.Message {
	return decode(d.msg.Subject(), d.msg.Headers(), d.msg.Data())
}

func (d *delivery) Attempt() int      { return int(d.md.NumDelivered) }
func (d *delivery) Stored() time.Time { return d.md.Timestamp }

// Ack waits for the server's answer: a lost one means the message comes again.
func (d *delivery) Ack(ctx context.Context) error {
	d.stop()
	ctx, cancel := d.bus.within(ctx)
	defer cancel()
	return wrap(ctx, d.msg.DoubleAck(ctx), "ack on %s", d.msg.Subject())
}

func (d *delivery) Nak(delay time.Duration) error {
	d.stop()
	if delay <= 0 {
		return wrap(context.Background(), d.msg.Nak(), "nak on %s", d.msg.Subject())
	}
	return wrap(context.Background(), d.msg.NakWithDelay(delay), "nak on %s", d.msg.Subject())
}

func (d *delivery) Term(reason string) error {
	d.stop()
	return wrap(context.Background(), d.msg.TermWithReason(oneLine(reason)), "term on %s", d.msg.Subject())
}
