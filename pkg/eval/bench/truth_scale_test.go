//go:build truth

package bench

import (
	"runtime"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/chunker"
)

// TestTruthScale measures the embedded index at 50,000 sections and 135,000 rows: the filings and copies of them with
// other figures and owners. Musts: router 1 ms, search and rank p95 60 ms, resolve p95 15 ms.
func TestTruthScale(t *testing.T) {
	c, qs := filings(t, chunker.Options{})
	start := time.Now()
	sections, rows, err := c.Crowd(t.Context(), 50_000, 135_000)
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.Logf("%d documents, %d sections, %d rows after %s; %d MB in use", len(c.entries), sections, rows, time.Since(start).Round(time.Second), m.HeapAlloc>>20)
	var ask []string
	for _, q := range qs {
		ask = append(ask, q.Question)
	}
	for _, x := range []struct {
		name string
		mode Mode
	}{{"all documents", Mode{Rows: true, Crumb: true, Refs: true, Clean: true, Vocabulary: chosen.Vocabulary}}, {"routed", chosen}} {
		got, err := c.Time(t.Context(), x.mode, ask, 5, 10)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: router p50 %v p95 %v, search and rank p50 %v p95 %v, resolve p50 %v p95 %v", x.name, P50(got.Route), P95(got.Route),
			P50(got.Search), P95(got.Search), P50(got.Resolve), P95(got.Resolve))
		if P95(got.Route) > time.Millisecond || P95(got.Search) > 60*time.Millisecond || P95(got.Resolve) > 15*time.Millisecond {
			t.Errorf("%s: over router 1 ms, search and rank 60 ms, resolve 15 ms", x.name)
		}
	}
}
