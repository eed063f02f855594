package reindex

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/adhocore/gronx" // reads cron patterns; kept up, no further modules

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/eval"
	"github.com/fingerpost/fingerpost/pkg/wire"
)

// Schedule is when a re-index begins by itself, and what must hold for its build to be promoted.
type Schedule struct {
	Cron      string // five fields in UTC (minute, hour, day of the month, month, day of the week; six: seconds first), or @weekly and its like; "" is never
	PromoteIf string // as of ParseConditions, without questions; "": no build is promoted
}

// Check refuses a pattern or a condition that is none.
func (s Schedule) Check() error {
	if s.Cron != "" && !gronx.IsValid(s.Cron) {
		return fmt.Errorf("%.60q is no cron pattern; say five fields like \"0 3 * * 0\", or @weekly", s.Cron)
	}
	cs, err := ParseConditions(s.PromoteIf)
	if err == nil && NeedsQuestions(cs) {
		err = fmt.Errorf("condition %q needs a question file: start the re-index from outside, by `fingerpost reindex start --wait --questions`", s.PromoteIf)
	}
	return err
}

// Planned is what FP_REINDEX holds of the schedule.
type Planned struct {
	Cron string    `json:"cron"`
	By   string    `json:"by"`             // the server's message schedule, or the leader's clock
	Last time.Time `json:"last"`           // the due time that was seen last; at first when the schedule was set
	Next time.Time `json:"next"`           // the due time after it
	Note string    `json:"note,omitempty"` // what became of the last one
}

const (
	plannedKey = "schedule"
	byServer   = "message schedule"
	byClock    = "clock"
)

// message is the schedule as the bus has it.
func (w *Worker) message(cron string) bus.Schedule {
	return bus.Schedule{Stream: wire.ScheduleStream, Subject: wire.ScheduleSubject + ".reindex", Cron: cron}
}

// Plan is the schedule in force; ok is false when there is none.
func (w *Worker) Plan(ctx context.Context) (p Planned, ok bool, err error) {
	p, rev, err := w.planned(ctx)
	return p, rev != 0 && p.Cron != "", err
}

func (w *Worker) planned(ctx context.Context) (p Planned, rev uint64, err error) {
	v, rev, err := w.State.Get(ctx, plannedKey)
	if errors.Is(err, bus.ErrNoKey) {
		return p, 0, nil
	}
	if err == nil {
		err = json.Unmarshal(v, &p)
	}
	if err != nil {
		return p, 0, fmt.Errorf("re-index schedule: %w", err)
	}
	return p, rev, nil
}

// onTime begins a re-index when one is due. The leader calls it again and again, also while it works on one.
func (w *Worker) onTime(ctx context.Context) error {
	if time.Since(w.looked) < w.Lease/2 {
		return nil
	}
	w.looked = time.Now()
	p, rev, err := w.planned(ctx)
	if err != nil || rev == 0 && w.Schedule.Cron == "" {
		return err
	}
	if p.Cron != w.Schedule.Cron {
		return w.arm(ctx, rev)
	}
	due, err := w.due(ctx, p)
	if err != nil || !due.After(p.Last) {
		return err
	}
	if p.Note, err = w.begun(ctx, due, before(p.Cron, due)); err != nil {
		return err
	}
	p.Last = due
	return w.plan(ctx, p, rev)
}

// arm has the server send by the schedule, or ends that.
func (w *Worker) arm(ctx context.Context, rev uint64) error {
	p := Planned{Cron: w.Schedule.Cron, By: byServer, Last: time.Now().UTC()}
	err := w.Bus.Schedule(ctx, w.message(p.Cron))
	if errors.Is(err, bus.ErrNoSchedules) {
		p.By, err = byClock, w.Bus.Schedule(ctx, w.message(""))
		if errors.Is(err, bus.ErrNoSchedules) {
			err = nil
		}
	}
	if err != nil {
		return err
	}
	return w.plan(ctx, p, rev)
}

func (w *Worker) plan(ctx context.Context, p Planned, rev uint64) error {
	if p.Next = next(p.Cron, p.Last); p.Cron != "" && time.Now().After(p.Next) {
		p.Next = next(p.Cron, time.Now())
	}
	b, err := json.Marshal(p)
	if err == nil {
		_, err = w.State.Put(ctx, plannedKey, b, rev)
	}
	if err != nil && !errors.Is(err, bus.ErrConflict) { // another leader was faster
		return fmt.Errorf("re-index schedule: %w", err)
	}
	return nil
}

// next is the first due time after t; zero when the pattern has none.
func next(cron string, t time.Time) time.Time {
	n, err := gronx.NextTickAfter(cron, t.UTC(), false)
	if err != nil {
		return time.Time{}
	}
	return n
}

// before is the last time up to t that the pattern names; t when it names none.
func before(cron string, t time.Time) time.Time {
	b, err := gronx.PrevTickBefore(cron, t.UTC(), true)
	if err != nil {
		return t
	}
	return b
}

// due is the last due time that has come, by the clock of who saw it. Those that passed while nothing ran count as one.
func (w *Worker) due(ctx context.Context, p Planned) (time.Time, error) {
	if n := next(p.Cron, p.Last); !n.IsZero() && time.Since(n) > w.Lease { // the server, or all of this, was down then
		return time.Now().UTC(), nil
	}
	if p.By == byServer {
		return w.Bus.Due(ctx, w.message(p.Cron))
	}
	if n := next(p.Cron, p.Last); !n.IsZero() && time.Now().After(n) {
		return n, nil
	}
	return time.Time{}, nil
}

// begun begins the re-index of a due time and says what became of it. One that is under way goes on, and this time is left
// out; also when it is over by now, but was not at the time that the pattern names.
func (w *Worker) begun(ctx context.Context, due, named time.Time) (note string, err error) {
	t, ok, err := w.Task(ctx)
	if err != nil {
		return "", err
	}
	switch {
	case ok && t.Due.Equal(due):
		return "begun", nil // and killed before this was noted
	case ok && named.Before(t.Finished):
		return fmt.Sprintf("left out: the re-index into build %d ran then", t.Build), nil
	case ok && t.State == Ready && t.Verdicts != nil: // an earlier one, which did not pass
		if err := w.Drop(ctx, t.Build); err != nil {
			return "", err
		}
	}
	t, err = w.start(ctx, "", "", func(t *Task) { t.Due, t.PromoteIf = due, w.Schedule.PromoteIf })
	if refused := (*bus.ServiceError)(nil); errors.As(err, &refused) {
		w.Log.Warn("the scheduled re-index is left out", "err", err)
		return "left out: " + err.Error(), nil
	}
	if err != nil {
		return "", err
	}
	w.Log.Info("scheduled re-index", "build", t.Build, "due", due)
	return "begun", nil
}

// decide promotes the build of a schedule when its conditions hold, and notes what was found.
func (w *Worker) decide(ctx context.Context, t Task) error {
	if t.State != Ready || t.PromoteIf == "" || t.Verdicts != nil {
		return nil
	}
	conditions, err := ParseConditions(t.PromoteIf)
	if err != nil {
		return err
	}
	c, err := w.Compare(ctx, t.Build)
	if err != nil {
		return err
	}
	verdicts, ok := Judge(conditions, c, eval.Score{}, eval.Score{})
	note := "not promoted: a condition does not hold"
	if ok {
		_, err = w.Promote(ctx, false)
		if refused := (*bus.ServiceError)(nil); errors.As(err, &refused) {
			ok, note, err = false, refused.Message, nil
		}
	}
	if err != nil {
		return err
	}
	w.Log.Info("scheduled re-index decided", "build", t.Build, "promoted", ok)
	_, err = w.change(ctx, func(now *Task) error {
		if now.Build == t.Build {
			now.Verdicts = verdicts
			if !ok {
				now.Note = note
			}
		}
		return nil
	})
	return err
}
