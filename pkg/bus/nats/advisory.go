package nats

import (
	"context"
	"encoding/json"
	"strings"

	natsgo "github.com/nats-io/nats.go"
)

// Advisory is what the server tells about a stream or consumer without being asked. It carries no payload.
type Advisory struct {
	Kind             string // the last word of the server's type: max_deliver, terminated, stream_quorum_lost ...
	Stream, Consumer string
	Sequence         uint64 // of the message in the stream; 0 when it is about none
	Attempts         int
	Reason           string // of terminated
}

// advisories are those that say that work has stopped somewhere. Deliveries run out only by somebody
// else's change of our consumers (we declare no limit), terminations are our own.
var advisories = []string{
	"$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.>",
	"$JS.EVENT.ADVISORY.CONSUMER.MSG_TERMINATED.>",
	"$JS.EVENT.ADVISORY.CONSUMER.QUORUM_LOST.>",
	"$JS.EVENT.ADVISORY.CONSUMER.DELETED.>",
	"$JS.EVENT.ADVISORY.STREAM.QUORUM_LOST.>",
	"$JS.EVENT.ADVISORY.STREAM.DELETED.>",
}

// Advisories calls f with each advisory until ctx ends. They are not stored: what happens while we are
// away is not told. Ready (may be nil) is closed when they come.
func (b *Bus) Advisories(ctx context.Context, ready chan<- struct{}, f func(Advisory)) error {
	msgs := make(chan *natsgo.Msg, 256)
	for _, subject := range advisories {
		sub, err := b.nc.ChanSubscribe(subject, msgs)
		if err != nil {
			return wrap(ctx, err, "advisories")
		}
		defer func() { _ = sub.Unsubscribe() }()
	}
	if err := b.nc.FlushTimeout(b.opt.Timeout); err != nil {
		return wrap(ctx, err, "advisories")
	}
	if ready != nil {
		close(ready)
	}
	for {
		select {
		case m := <-msgs:
			if a, ok := readAdvisory(m.Data); ok {
				f(a)
			}
		case <-ctx.Done():
			return nil
		}
	}
}

func readAdvisory(data []byte) (Advisory, bool) {
	var a struct {
		Type, Stream, Consumer, Reason string
		Sequence                       uint64 `json:"stream_seq"`
		Attempts                       int    `json:"deliveries"`
	}
	if json.Unmarshal(data, &a) != nil || a.Type == "" {
		return Advisory{}, false
	}
	kind := a.Type[strings.LastIndexByte(a.Type, '.')+1:]
	return Advisory{kind, a.Stream, a.Consumer, a.Sequence, a.Attempts, a.Reason}, true
}
