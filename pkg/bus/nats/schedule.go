package nats

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/fingerpost/fingerpost/pkg/bus"
)

// scheduleHeader is where the server keeps a schedule's pattern (ADR-51; cron patterns since nats-server 2.14).
const scheduleHeader = "Nats-Schedule"

const due = ".due"

// Schedule sets, changes or ends a schedule.
func (b *Bus) Schedule(ctx context.Context, s bus.Schedule) error {
	ctx, cancel := b.within(ctx)
	defer cancel()
	st, err := b.js.Stream(ctx, s.Stream)
	if errors.Is(err, jetstream.ErrStreamNotFound) && s.Cron == "" {
		return nil
	}
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		st, err = b.js.CreateStream(ctx, jetstream.StreamConfig{Name: s.Stream, Subjects: []string{s.Subject + ".>"}, Storage: jetstream.FileStorage,
			Replicas: max(b.opt.Replicas, 1), MaxBytes: 1 << 20, MaxMsgsPerSubject: 1, AllowMsgSchedules: true, AllowRollup: true})
	}
	if err != nil {
		return noSchedules(wrap(ctx, err, "stream %s", s.Stream))
	}
	if !st.CachedInfo().Config.AllowMsgSchedules {
		return fmt.Errorf("stream %s: %w", s.Stream, bus.ErrNoSchedules)
	}
	at := s.Subject + ".at"
	if s.Cron == "" {
		return wrap(ctx, st.Purge(ctx, jetstream.WithPurgeSubject(at)), "schedule %s", s.Subject)
	}
	last, err := st.GetLastMsgForSubject(ctx, at)
	if err == nil && last.Header.Get(scheduleHeader) == seconds(s.Cron) {
		return nil
	}
	if err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
		return wrap(ctx, err, "schedule %s", s.Subject)
	}
	_, err = b.js.Publish(ctx, at, nil, jetstream.WithScheduleCron(seconds(s.Cron)), jetstream.WithScheduleTarget(s.Subject+due))
	return noSchedules(wrap(ctx, err, "schedule %s", s.Subject))
}

// seconds is a cron pattern as the server wants it: with seconds first.
func seconds(cron string) string {
	if strings.HasPrefix(cron, "@") || len(strings.Fields(cron)) == 6 {
		return cron
	}
	return "0 " + cron
}

// noSchedules names what an error of the server means: it knows no schedules, or not this pattern.
func noSchedules(err error) error {
	for _, e := range []error{jetstream.ErrMessageSchedulesDisabled, jetstream.ErrSchedulePatternInvalid} {
		if errors.Is(err, e) {
			return fmt.Errorf("%w: %w", bus.ErrNoSchedules, err)
		}
	}
	return err
}

// Due reads when the server last sent.
func (b *Bus) Due(ctx context.Context, s bus.Schedule) (time.Time, error) {
	ctx, cancel := b.within(ctx)
	defer cancel()
	st, err := b.js.Stream(ctx, s.Stream)
	if err == nil {
		var m *jetstream.RawStreamMsg
		if m, err = st.GetLastMsgForSubject(ctx, s.Subject+due); err == nil {
			return m.Time, nil
		}
	}
	if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrMsgNotFound) {
		return time.Time{}, nil
	}
	return time.Time{}, wrap(ctx, err, "schedule %s", s.Subject)
}
