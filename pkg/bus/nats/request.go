package nats

import (
	"context"
	"fmt"
	"strconv"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/fingerpost/fingerpost/pkg/bus"
)

// Request asks once. No deadline in ctx means the bus's timeout.
func (b *Bus) Request(ctx context.Context, subject string, data []byte) ([]byte, error) {
	if !plainSubject(subject) {
		return nil, fmt.Errorf("request: %q is no subject", subject)
	}
	if most := b.nc.MaxPayload(); most > 0 && int64(len(data)) > most {
		return nil, fmt.Errorf("request on %s: %w: %d bytes, the server's limit is %d", subject, bus.ErrTooLarge, len(data), most)
	}
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = b.within(ctx)
		defer cancel()
	}
	ctx, done := b.denied.watch(ctx, subject)
	defer done()
	ask := natsgo.NewMsg(subject)
	ask.Data = data
	if parent := bus.Trace(ctx); parent != "" {
		ask.Header.Set(bus.TraceHeader, parent)
	}
	msg, err := b.nc.RequestMsgWithContext(ctx, ask)
	if err != nil {
		return nil, wrap(ctx, err, "request on %s", subject)
	}
	if code := msg.Header.Get(micro.ErrorCodeHeader); code != "" {
		n, err := strconv.Atoi(code)
		if err != nil {
			n = 500
		}
		return nil, &bus.ServiceError{Code: n, Message: msg.Header.Get(micro.ErrorHeader)}
	}
	return msg.Data, nil
}
