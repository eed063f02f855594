package reindex_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/pkg/wire"
	"github.com/fingerpost/fingerpost/workers/reindex"
)

// halfPast is due once an hour, half an hour away from now on either side.
func halfPast(now time.Time) string {
	return fmt.Sprintf("%d * * * *", now.Add(30*time.Minute).Minute())
}

// note stores a record of FP_REINDEX as an earlier process left it.
func (s *site) note(key string, v any) {
	s.T.Helper()
	kv, err := s.Bus.KV(s.T.Context(), wire.ReindexBucket)
	if err != nil {
		s.T.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err == nil {
		_, err = kv.Put(s.T.Context(), key, b, 0)
	}
	if err != nil {
		s.T.Fatal(err)
	}
}

// bySchedule is how the schedule is kept, with and without a server that sends.
var bySchedule = map[string]func(bus.Bus) bus.Bus{
	"message schedule": func(b bus.Bus) bus.Bus { return b },
	"clock":            func(b bus.Bus) bus.Bus { return plain{b} },
}

// Everything was down at three due times: they count as one.
func TestMissedTimesRunOnce(t *testing.T) {
	for by, over := range bySchedule {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, 2)
			s.chain()
			now := time.Now().UTC()
			cron := halfPast(now)
			s.note("schedule", reindex.Planned{Cron: cron, By: by, Last: now.Add(-3 * time.Hour)})
			w := s.whole()
			w.Bus, w.Schedule = over(w.Bus), reindex.Schedule{Cron: cron, PromoteIf: "audit ok"}
			task := s.run(w, "a build that is promoted", func(x reindex.Task) bool { return x.State == reindex.Promoted && x.Verdicts != nil })
			if task.Due.Before(now) {
				t.Errorf("due %v, before it was looked at", task.Due)
			}
			if p, ok, err := w.Plan(t.Context()); err != nil || !ok || !p.Last.Equal(task.Due) || !p.Next.After(time.Now()) {
				t.Errorf("%+v, %v, %v", p, ok, err)
			}
			s.rests(w)
			s.countsBuilds(2)
		})
	}
}

// A re-index was under way at the due time, and is promoted before the schedule is looked at again: that time is left out.
func TestADueTimeDuringAReindexIsLeftOut(t *testing.T) {
	for by, over := range bySchedule {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, 2)
			s.chain()
			now := time.Now().UTC()
			cron := halfPast(now)
			s.note("schedule", reindex.Planned{Cron: cron, By: by, Last: now.Add(-time.Hour)})
			s.note("task", reindex.Task{Build: 1, State: reindex.Promoted, Started: now.Add(-50 * time.Minute), Finished: now.Add(-time.Second)})
			w := s.whole()
			w.Bus, w.Schedule = over(w.Bus), reindex.Schedule{Cron: cron}
			s.run(w, "a due time that is left out, or a build", func(x reindex.Task) bool {
				p, _, err := w.Plan(t.Context())
				return x.Build != 1 || err == nil && p.Note != ""
			})
			if p, _, err := w.Plan(t.Context()); err != nil || !strings.Contains(p.Note, "left out: the re-index into build 1 ran then") {
				t.Errorf("%+v, %v", p, err)
			}
			s.countsBuilds(1)
		})
	}
}

// A walk that takes long says at once that a due time is left out, not when it ends.
func TestARunningReindexSaysWhatItLeavesOut(t *testing.T) {
	s := newSite(t, 2) // no chain: the walk waits for the bulk lane
	w := s.whole()
	w.Bus, w.Schedule = plain{w.Bus}, reindex.Schedule{Cron: "* * * * * *"}
	first, err := w.Start(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	task := s.run(w, "a due time that is left out", func(reindex.Task) bool {
		p, _, err := w.Plan(t.Context())
		return err == nil && strings.Contains(p.Note, "left out")
	})
	if task.Build != first.Build || task.State != reindex.Running || time.Since(began) > 20*time.Second { // drained waits for 30
		t.Errorf("after %v: %+v", time.Since(began), task)
	}
}

// rests has the worker look once more at a schedule that is not due.
func (s *site) rests(w *reindex.Worker) {
	s.T.Helper()
	if err := w.OnTime(s.T.Context()); err != nil {
		s.T.Error(err)
	}
}

func (s *site) countsBuilds(want int) {
	s.T.Helper()
	if err := s.builds.Refresh(s.T.Context()); err != nil {
		s.T.Fatal(err)
	}
	if n := len(s.builds.All()); n != want {
		s.T.Errorf("%d builds, want %d", n, want)
	}
}
