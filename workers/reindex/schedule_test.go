package reindex_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/bus"
	"github.com/fingerpost/fingerpost/workers/reindex"
)

// plain is a bus whose server sends nothing by itself.
type plain struct{ bus.Bus }

func (plain) Schedule(context.Context, bus.Schedule) error { return bus.ErrNoSchedules }

func TestAScheduledReindexIsPromotedUnasked(t *testing.T) {
	for _, c := range []struct {
		by   string
		over func(bus.Bus) bus.Bus
	}{
		{"message schedule", func(b bus.Bus) bus.Bus { return b }},
		{"clock", func(b bus.Bus) bus.Bus { return plain{b} }},
	} {
		t.Run(c.by, func(t *testing.T) {
			t.Parallel() // it waits for the time of day
			s := newSite(t, 3)
			s.chain()
			w := s.whole()
			w.Bus, w.Schedule = c.over(w.Bus), reindex.Schedule{Cron: "*/2 * * * * *", PromoteIf: "audit ok"}
			began := time.Now()
			task := s.run(w, "a build that is promoted by schedule", func(x reindex.Task) bool { return x.State == reindex.Promoted && x.Verdicts != nil })
			if task.Due.Before(began) || len(task.Verdicts) != 2 || !task.Verdicts[1].Holds {
				t.Errorf("due %v, began %v; %+v", task.Due, began, task.Verdicts)
			}
			if p, ok, err := w.Plan(t.Context()); err != nil || !ok || p.By != c.by || p.Note != "begun" && p.Note != "" || !p.Next.After(p.Last) {
				t.Errorf("%+v, %v, %v", p, ok, err)
			}
			w.Schedule.Cron = "" // taken back: an hour later there is none, on whatever process
			s.run(w, "no schedule", func(reindex.Task) bool { _, ok, err := w.Plan(t.Context()); return err == nil && !ok })
		})
	}
}

// What a schedule meets when it is due: a re-index under way is left to go on, and a build that did not pass makes room.
func TestAScheduleMeetsAReindex(t *testing.T) {
	s := newSite(t, 2)
	w := s.whole()
	w.Bus, w.Schedule = plain{w.Bus}, reindex.Schedule{Cron: "* * * * * *", PromoteIf: "audit ok"}
	first, err := w.Start(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	leftOut := func(reindex.Task) bool {
		p, _, err := w.Plan(t.Context())
		return err == nil && strings.Contains(p.Note, "left out")
	}
	if task := s.run(w, "a due time that is left out", leftOut); task.Build != first.Build || task.State != reindex.Paused {
		t.Errorf("%+v", task)
	}
}

// One process after another looks at the schedule, and each due time begins one re-index.
func TestADueTimeBeginsOnce(t *testing.T) {
	s := newSite(t, 2)
	s.chain()
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for _, id := range []string{"one", "two", "three"} {
		w := s.whole()
		w.ID, w.Schedule = id, reindex.Schedule{Cron: "*/3 * * * * *"} // never promoted: the next due time finds it ready
		all.Go(func() { w.Run(ctx) })
	}
	first := s.await("a build by schedule", is(reindex.Ready))
	s.await("the same build a due time later", func(reindex.Task) bool {
		p, _, err := s.whole().Plan(t.Context())
		return err == nil && p.Last.After(first.Due) && strings.Contains(p.Note, "left out")
	})
	stop()
	all.Wait()
	if err := s.builds.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(s.builds.All()); n != 2 {
		t.Errorf("%d builds, want the first and one by schedule", n)
	}
}

func TestSchedulesAreChecked(t *testing.T) {
	for _, c := range []struct{ cron, when, wrong string }{
		{"", "", ""},
		{"@weekly", "audit ok", ""},
		{"0 3 * * 0", "", ""},
		{"weekly", "", "no cron pattern"},
		{"61 3 * * 0", "", "no cron pattern"},
		{strings.Repeat("* ", 5000), "", "no cron pattern"},
		{"@weekly", "audit", "is not known"},
		{"@weekly", "any@5 drop <= .01", "question file"},
	} {
		err := reindex.Schedule{Cron: c.cron, PromoteIf: c.when}.Check()
		if (err != nil) != (c.wrong != "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%.40q, %q: %v", c.cron, c.when, err)
		}
	}
}
