package workers

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/fingerpost/fingerpost/pkg/pipeline"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

// pulse is what tells a process that works from one that hangs. The zero value is ready.
type pulse struct {
	hands atomic.Int32 // jobs in hand
	sign  atomic.Int64 // of life, beside pulls: nanoseconds since 1970
}

func (p *pulse) beat() { p.sign.Store(time.Now().UnixNano()) }

// around counts the jobs of a stage.
func (p *pulse) around(s pipeline.Stage) pipeline.Stage {
	do := s.Do
	s.Do = func(ctx context.Context, j wire.Job) ([]pipeline.Next, error) {
		p.hands.Add(1)
		defer func() {
			p.hands.Add(-1)
			p.beat()
		}()
		return do(ctx, j)
	}
	return s
}

// idleMost is how old the last answer to a pull may be while no job is in hand: pulls are renewed every few seconds.
const idleMost = 2 * time.Minute

// Live says why this process must be started again; nil: it lives. Only a process that pulls can be found dead: the
// server is there, and yet no pull has been answered for longer than any pull takes; with jobs in hand, for longer than
// any job takes (stuck_after). While the server is away a new start would mend nothing.
func (s *System) Live() error {
	b, ok := s.Bus.(interface{ LastPull() time.Time })
	if !ok || !s.pulls() {
		return nil
	}
	if !s.Bus.Connected() {
		s.pulse.beat()
		return nil
	}
	most := idleMost
	if s.pulse.hands.Load() > 0 {
		most = s.Config.StuckAfter
	}
	return s.pulse.judge(b.LastPull(), most, time.Now())
}

// judge says whether the last sign of life is too old.
func (p *pulse) judge(pulled time.Time, most time.Duration, now time.Time) error {
	last := time.Unix(0, p.sign.Load())
	if pulled.After(last) {
		last = pulled
	}
	if age := now.Sub(last); age > most {
		return fmt.Errorf("no pull was answered for %s", age.Round(time.Second))
	}
	return nil
}

// pulls reports whether a role of this process takes messages from streams.
func (s *System) pulls() bool {
	for _, r := range s.roles {
		if r != RoleQuery && r != RoleReconcile {
			return true
		}
	}
	return false
}
