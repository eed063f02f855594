package workers

import (
	"context"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

// A job of the bulk lane begins when no live one is in hand, or after a bounded wait; a live one waits for nobody.
func TestBulkGivesWayToLive(t *testing.T) {
	var g giveWay
	type began struct {
		lane wire.Lane
		at   time.Time
	}
	order := make(chan began, 8)
	hold := make(chan struct{})
	s := g.first(pipeline.Stage{Do: func(ctx context.Context, j wire.Job) ([]pipeline.Next, error) {
		order <- began{pipeline.LaneOf(ctx), time.Now()}
		if j.Key == "long" {
			<-hold
		}
		return nil, nil
	}})
	run := func(l wire.Lane, key string) (done chan struct{}) {
		done = make(chan struct{})
		go func() {
			defer close(done)
			_, _ = s.Do(pipeline.WithLane(t.Context(), l), wire.Job{Kind: wire.Parsed, Key: key})
		}()
		return done
	}
	long := run(wire.Live, "long")
	<-order
	bulk := run(wire.Bulk, "")
	<-run(wire.Live, "") // it passes the bulk job
	if first := <-order; first.lane != wire.Live {
		t.Errorf("a job of lane %s began first", first.lane)
	}
	close(hold)
	<-long
	ended := time.Now()
	<-bulk
	if second := <-order; second.lane != wire.Bulk || second.at.Before(ended) && ended.Sub(second.at) > mostWait {
		t.Errorf("the bulk job began %v before the live one ended", ended.Sub(second.at))
	}
	hold = make(chan struct{})
	defer close(hold)
	_ = run(wire.Live, "long")
	<-order
	begin := time.Now()
	<-run(wire.Bulk, "") // although a live one is in hand all the time
	if waited := time.Since(begin); waited < mostWait {
		t.Errorf("the bulk job waited %v, want %v", waited, mostWait)
	}
}
