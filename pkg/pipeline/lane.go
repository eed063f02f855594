package pipeline

import (
	"context"

	"github.com/fingerpost/fingerpost/pkg/wire"
)

type laneKey struct{}

// WithLane is a context of a job that came in a lane; a Runner gives it to its stages.
func WithLane(ctx context.Context, l wire.Lane) context.Context {
	return context.WithValue(ctx, laneKey{}, l)
}

// LaneOf is the lane of the job that is done under ctx; Live when nothing is known of it.
func LaneOf(ctx context.Context) wire.Lane {
	if l, ok := ctx.Value(laneKey{}).(wire.Lane); ok {
		return l
	}
	return wire.Live
}
