package workers_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/workers"
	"github.com/fingerpost/fingerpost/workers/admin"
)

// load asks questions at a rate, until stop, and judges each answer: the document with the question's word comes first,
// and every section of an answer is of the build that the answer names. Build 1 was read by other rules than build 2, which
// signed what they read: so text of the one in an answer of the other is seen.
type load struct {
	s     *system
	begun time.Time
	stop  func()

	mu     sync.Mutex
	asked  int
	by     map[uint32]int
	failed []string
	mixed  []string
	took   []time.Duration
}

func (s *system) load(n, rate int) *load {
	ctx, stop := context.WithCancel(s.t.Context())
	l := &load{s: s, begun: time.Now(), by: map[uint32]int{}}
	due := make(chan int) // question numbers, at the rate while somebody is free
	var all sync.WaitGroup
	l.stop = func() { stop(); all.Wait() }
	all.Go(func() {
		defer close(due)
		tick := time.NewTicker(time.Second / time.Duration(rate))
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			select {
			case due <- i:
			case <-ctx.Done():
				return
			}
		}
	})
	for range max(2, rate/10) {
		all.Go(func() {
			for i := range due {
				l.ask(i % n)
			}
		})
	}
	return l
}

func (l *load) ask(i int) {
	var rep api.FindReply
	begin := time.Now()
	err := l.s.ask("default", api.Find, api.FindRequest{Question: "the particular word " + word(i), K: 3}, &rep)
	took := time.Since(begin)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked++
	l.took = append(l.took, took)
	l.by[rep.Build]++
	if err != nil || len(rep.Sections) != 3 || rep.Sections[0].Key != fmt.Sprintf("%02d.md", i) || rep.Build != 1 && rep.Build != 2 {
		l.failed = append(l.failed, fmt.Sprintf("%s: %v, %+v", word(i), err, rep))
		return
	}
	for _, x := range rep.Sections {
		signed := strings.Contains(x.Text, "Read by the rules p99.")
		if strings.Contains(x.Text, "particular word") && signed != (rep.Build == 2) {
			l.mixed = append(l.mixed, fmt.Sprintf("build %d shows %q", rep.Build, x.Text))
		}
	}
}

func (l *load) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asked
}

// judge ends the load.
func (l *load) judge(turns int) {
	l.s.t.Helper()
	l.stop()
	l.s.t.Logf("%d questions, %.0f a second, over %d turns: %d by build 1, %d by build 2; p95 %v", l.asked, float64(l.asked)/time.Since(l.begun).Seconds(), turns, l.by[1], l.by[2],
		p95(l.took).Round(time.Millisecond))
	if len(l.failed)+len(l.mixed) > 0 || l.by[1] == 0 || l.by[2] == 0 {
		l.s.t.Errorf("%d failed, %d mixed: %.2000s", len(l.failed), len(l.mixed), append(l.failed, l.mixed...))
	}
}

// p95 is the time that 95 of 100 stay within.
func p95(took []time.Duration) time.Duration {
	took = slices.Sorted(slices.Values(took))
	return took[(len(took)*95+99)/100-1]
}

// turned has two builds made by different rules turned forth and back while questions are asked.
func turned(t *testing.T, c workers.Config, rate, turns, each int) {
	n := 30
	c.Embedder = "none"
	s := start(t, systemConfig{Config: c})
	for i := range n {
		s.put(fmt.Sprintf("%02d.md", i), note(fmt.Sprint("Paper ", i), word(i), 4))
	}
	s.settled(n)
	s.kill(syscall.SIGTERM)
	s.conf.Rules = "p99"
	s.up()
	l := s.load(n, rate)
	s.reindex(admin.ReindexRequest{Do: "start"})
	s.isReady()
	for i := range turns {
		do, want := "promote", uint32(2)
		if i%2 == 1 {
			do, want = "rollback", 1
		}
		s.reindex(admin.ReindexRequest{Do: do})
		s.until("the turn", func() bool { return s.find(word(1), 1).Build == want })
		so := l.count()
		s.until("some questions of that build", func() bool { return l.count() >= so+each })
	}
	l.judge(turns)
	if rep := s.reindex(admin.ReindexRequest{Do: "status"}); len(rep.Builds) != 2 || rep.Live != uint32(1+turns%2) {
		t.Errorf("%+v", rep)
	}
}

// Turned forth and back under 200 questions a second, no question fails and none is answered by two builds.
func TestKnown56TurnedUnderLoad(t *testing.T) {
	turned(t, testConfig(t), 200, 6, 150)
}

// The same on Weaviate, with 10 questions a second.
func TestKnown56TurnedUnderLoadOnWeaviate(t *testing.T) {
	testenv.Slow(t, "turns on a real Weaviate")
	w := testenv.Weaviate(t)
	c := testConfig(t)
	c.Servers.Weaviate = workers.Weaviate{URL: w.URL, GRPC: w.GRPC}
	turned(t, c, 10, 4, 15)
}
