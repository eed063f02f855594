package nats

import (
	"context"
	"errors"
	"fmt"
	"strings"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/fingerpost/fingerpost/pkg/bus"
)

// Error codes of the server that nats.go has no name for.
const (
	codeNoPeers         jetstream.ErrorCode = 10005 // fewer servers up than replicas
	codeNotAvailable    jetstream.ErrorCode = 10008 // the cluster elects
	codeNotLeader       jetstream.ErrorCode = 10009
	codeResources       jetstream.ErrorCode = 10023
	codeStorage         jetstream.ErrorCode = 10047
	codeStoreFailed     jetstream.ErrorCode = 10077 // full (DiscardNew) or the disk is
	codeStreamOffline   jetstream.ErrorCode = 10118
	codeConsumerOffline jetstream.ErrorCode = 10119
	codeTooManyRequests jetstream.ErrorCode = 10167
)

// wrap names what was done and puts the port's sentinel into the chain. The caller's own cancelling stays what it is.
func wrap(ctx context.Context, err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	what := fmt.Sprintf(format, args...)
	if cause := context.Cause(ctx); errors.Is(cause, bus.ErrDenied) {
		return fmt.Errorf("%s: %w", what, cause)
	}
	if ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("%s: %w", what, ctx.Err())
	}
	if s := sentinel(err); s != nil && !errors.Is(err, s) {
		return fmt.Errorf("%s: %w: %w", what, s, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// sentinel is the port's word for an error of nats.go or the server; nil when there is none.
func sentinel(err error) error {
	if err == nil {
		return nil
	}
	if api, ok := errors.AsType[*jetstream.APIError](err); ok {
		return apiSentinel(api)
	}
	for _, e := range []error{natsgo.ErrNoResponders, natsgo.ErrTimeout, natsgo.ErrConnectionClosed, natsgo.ErrDisconnected,
		natsgo.ErrReconnectBufExceeded, natsgo.ErrConnectionReconnecting, natsgo.ErrConnectionDraining, natsgo.ErrNoServers,
		jetstream.ErrNoStreamResponse, jetstream.ErrNoHeartbeat, jetstream.ErrServerShutdown, jetstream.ErrConnectionClosed,
		jetstream.ErrConsumerLeadershipChanged, context.DeadlineExceeded} {
		if errors.Is(err, e) {
			return bus.ErrAway
		}
	}
	for _, e := range []error{natsgo.ErrMaxPayload, jetstream.ErrStreamMessageExceedsMaximum} {
		if errors.Is(err, e) {
			return bus.ErrTooLarge
		}
	}
	return nil
}

func apiSentinel(e *jetstream.APIError) error {
	switch e.ErrorCode {
	case codeStoreFailed, codeStorage, codeResources:
		return bus.ErrFull
	case jetstream.JSErrCodeStreamWrongLastSequence, jetstream.JSErrCodeStreamWrongLastSequenceConstant:
		return bus.ErrConflict
	case jetstream.JSErrCodeMessageNotFound:
		return bus.ErrNoKey
	case jetstream.JSErrCodeStreamMessageExceedsMaximum:
		return bus.ErrTooLarge
	case codeNotAvailable, codeNotLeader, codeTooManyRequests, codeStreamOffline, codeConsumerOffline, codeNoPeers,
		jetstream.JSErrCodeJetStreamNotEnabled:
		return bus.ErrAway
	}
	if e.Code == 503 {
		return bus.ErrAway
	}
	return nil
}

// plainSubject reports whether s can be published to: tokens joined by '.', no wildcards, no white space.
func plainSubject(s string) bool {
	if s == "" || strings.ContainsAny(s, "*> \t\r\n\x00") {
		return false
	}
	return !strings.HasPrefix(s, ".") && !strings.HasSuffix(s, ".") && !strings.Contains(s, "..")
}
