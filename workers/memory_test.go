package workers_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/workers"
	"github.com/fingerpost/fingerpost/workers/admin"
	"github.com/fingerpost/fingerpost/workers/reconcile"
)

// many is how many documents the long measurements take: FINGERPOST_MANY, or what scripts/test can afford.
func many(t *testing.T, def int) int {
	t.Helper()
	v := os.Getenv("FINGERPOST_MANY")
	if v == "" {
		return def
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		t.Fatalf("FINGERPOST_MANY=%q", v)
	}
	return n
}

// A worker's memory does not grow with the number of documents, and a walk over them takes seconds: resident memory
// while the second tenth of the documents goes through the chain, when caches and the heap have found their size,
// against the last tenth. By hand: FINGERPOST_MANY=20000, by the second and the last thousand.
func TestAWorkersMemoryIsFlat(t *testing.T) {
	n := many(t, 2000)
	if testing.Short() {
		n = 200
	}
	c := testConfig(t)
	s := start(t, systemConfig{Config: c, Scripted: true, Roles: []workers.Role{"intake", "index", "query", "reconcile"}})
	hand := start(t, systemConfig{Config: c, Scripted: true, Join: true, Roles: []workers.Role{"parse", "chunk", "embed"}})
	begin, part := time.Now(), min(n/10, 1000)
	var first, last []int
	for i := 0; i < n; i += abreast {
		s.together(i, min(n, i+abreast))
		switch rss := resident(t, hand.cmd.Process.Pid); {
		case i >= part && i < 2*part:
			first = append(first, rss)
		case i >= n-part:
			last = append(last, rss)
		}
	}
	s.settled(n)
	a, b := mean(first), mean(last)
	t.Logf("%d documents in %v; the worker's resident memory: %.1f MB from document %d to %d, %.1f MB over the last %d; the process with the index: %d MB",
		n, time.Since(begin).Round(time.Second), a, part, 2*part, b, part, resident(t, s.cmd.Process.Pid))
	var g reconcile.Gaps
	s.operate("reconcile", admin.ReconcileRequest{}, &g)
	t.Logf("a walk over %d keys: %v", g.Walked, g.Took.Round(time.Millisecond))
	if g.Walked != n || g.Missing+g.Changed+g.Gone+g.Held > 0 || g.Took > time.Minute {
		t.Errorf("the walk found %+v", g)
	}
	if b > 1.1*a+heapBreathes {
		t.Errorf("the worker's memory grew from %.1f to %.1f MB", a, b)
	}
}

const (
	abreast      = 20  // documents on their way at once, so that memory is measured at work and not in a queue's tail
	heapBreathes = 2.0 // MB by which the garbage collector's pace moves a mean
)

// together puts the documents from..to-1 and waits until all of them have their vectors.
func (s *system) together(from, to int) {
	s.t.Helper()
	for i := from; i < to; i++ {
		s.put(fmt.Sprintf("%d/%06d.md", i%100, i), note(fmt.Sprint("Paper ", i), word(i), 2))
	}
	s.until(fmt.Sprintf("%d documents at full level", to), func() bool { return s.status().Levels.Full >= to })
}

func mean(v []int) float64 {
	sum := 0
	for _, x := range v {
		sum += x
	}
	return float64(sum) / float64(max(len(v), 1))
}

// resident is the resident memory of a process in MB, as Linux tells it.
func resident(t *testing.T, pid int) int {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		testenv.Missing(t, "/proc (resident memory is measured on Linux)")
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "VmRSS:" {
			kb, err := strconv.Atoi(f[1])
			if err != nil {
				t.Fatal(err)
			}
			return kb / 1024
		}
	}
	t.Fatalf("process %d has no VmRSS", pid)
	return 0
}
