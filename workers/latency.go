package workers

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"
)

// stopwatch holds how long the questions of the last seconds took.
type stopwatch struct {
	mu   sync.Mutex
	took []question
}

type question struct {
	at   time.Time
	took time.Duration
}

const (
	recent   = 5 * time.Second
	askedMax = 4096
)

// add notes a question.
func (w *stopwatch) add(took time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.took) >= askedMax {
		w.took = slices.Delete(w.took, 0, askedMax/2)
	}
	w.took = append(w.took, question{time.Now(), took})
}

// p95 is that of the questions of the last seconds, and how many they were.
func (w *stopwatch) p95() (time.Duration, int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	old := time.Now().Add(-recent)
	w.took = slices.DeleteFunc(w.took, func(a question) bool { return a.at.Before(old) })
	if len(w.took) == 0 {
		return 0, 0
	}
	all := make([]time.Duration, len(w.took))
	for i, a := range w.took {
		all[i] = a.took
	}
	slices.Sort(all)
	return all[(len(all)*95+99)/100-1], len(all)
}

// load is what a process with the role query tells of its questions, in FP_REINDEX under load.<id>.
type load struct {
	P95   float64   `json:"p95_ms"`
	Asked int       `json:"asked"`
	At    time.Time `json:"at"`
}

// tellLoad tells it once a second while there are questions, until ctx ends.
func (s *System) tellLoad(ctx context.Context, id string) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for was := 0; ; {
		select {
		case <-ctx.Done():
			_ = s.tasks.Delete(context.WithoutCancel(ctx), "load."+id)
			return
		case <-tick.C:
		}
		p95, n := s.watch.p95()
		if n == 0 && was == 0 {
			continue
		}
		was = n
		b, err := json.Marshal(load{float64(p95.Microseconds()) / 1000, n, time.Now().UTC()})
		if err != nil {
			continue
		}
		_, rev, _ := s.tasks.Get(ctx, "load."+id)
		if _, err := s.tasks.Put(ctx, "load."+id, b, rev); err != nil && ctx.Err() == nil {
			s.Log.Debug("load not told", "err", err)
		}
	}
}

// latency is the greatest p95 of all processes that answer, by what they told last.
func (s *System) latency(ctx context.Context) (most time.Duration, n int) {
	if s.has(RoleQuery) {
		most, n = s.watch.p95()
	}
	if s.embedsBus() {
		return most, n // nobody else answers
	}
	_ = s.tasks.Each(ctx, "load", func(_ string, v []byte) error {
		var l load
		if json.Unmarshal(v, &l) == nil && time.Since(l.At) < recent {
			most, n = max(most, time.Duration(l.P95*float64(time.Millisecond))), n+l.Asked
		}
		return nil
	})
	return most, n
}
