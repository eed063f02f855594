package workers

import (
	"context"
	"log/slog"

	busnats "github.com/fingerpost/fingerpost/pkg/bus/nats"
)

// listen tells in the log what the server tells of streams and consumers without being asked, until ctx ends.
func (s *System) listen(ctx context.Context) {
	b, ok := s.Bus.(interface {
		Advisories(ctx context.Context, ready chan<- struct{}, f func(busnats.Advisory)) error
	})
	if !ok {
		return
	}
	if err := b.Advisories(ctx, nil, func(a busnats.Advisory) { s.metrics.Advised(a.Kind); heard(s.Log, a) }); err != nil && ctx.Err() == nil {
		s.Log.Warn("advisories of the bus are not heard", "err", err)
	}
}

// heard tells one. Terminated messages are our own doing, each with its letter; a message whose deliveries have ended is
// left where it lies by the server: somebody else set a limit on our consumer.
func heard(log *slog.Logger, a busnats.Advisory) {
	args := []any{"kind", a.Kind, "stream", a.Stream, "consumer", a.Consumer, "sequence", a.Sequence, "attempts", a.Attempts, "reason", a.Reason}
	switch a.Kind {
	case "terminated", "consumer_action": // of the last, most are our own looks at a stream
		log.Debug("advisory of the bus", args...)
	case "max_deliver":
		log.Error("the bus no longer delivers a message: a limit of deliveries was set on our consumer; a restart takes it away, the next walk brings the document back", args...)
	default:
		log.Warn("advisory of the bus", args...)
	}
}
