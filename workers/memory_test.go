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

// A worker's memory does not grow with the number of documents, and a walk over them takes seconds. By hand:
// FINGERPOST_MANY=20000.
func TestAWorkersMemoryIsFlat(t *testing.T) {
	n := many(t, 2000)
	if testing.Short() {
		n = 200
	}
	c := testConfig(t)
	s := start(t, systemConfig{Config: c, Scripted: true, Roles: []workers.Role{"intake", "index", "query", "reconcile"}})
	hand := start(t, systemConfig{Config: c, Scripted: true, Join: true, Roles: []workers.Role{"parse", "chunk", "embed"}})
	begin := time.Now()
	var first, last []int
	for i := range n {
		s.put(fmt.Sprintf("%d/%06d.md", i%100, i), note(fmt.Sprint("Paper ", i), word(i), 2))
		switch rss := resident(t, hand.cmd.Process.Pid); {
		case i >= n/20 && i < n/10:
			first = append(first, rss)
		case i >= n-n/20:
			last = append(last, rss)
		}
	}
	s.settled(n)
	a, b := mean(first), mean(last)
	t.Logf("%d documents in %v; the worker's resident memory: %.1f MB in the second twentieth, %.1f MB in the last; the process with the index: %d MB",
		n, time.Since(begin).Round(time.Second), a, b, resident(t, s.cmd.Process.Pid))
	var g reconcile.Gaps
	s.operate("reconcile", admin.ReconcileRequest{}, &g)
	t.Logf("a walk over %d keys: %v", g.Walked, g.Took.Round(time.Millisecond))
	if g.Walked != n || g.Missing+g.Changed+g.Gone+g.Held > 0 || g.Took > time.Minute {
		t.Errorf("the walk found %+v", g)
	}
	if b > 1.1*a+8 { // the heap breathes by some MB
		t.Errorf("the worker's memory grew from %.1f to %.1f MB", a, b)
	}
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
