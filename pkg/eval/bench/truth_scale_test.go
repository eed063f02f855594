//go:build truth

package bench

import (
	"runtime"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/chunker"
	"github.com/fingerpost/fingerpost/pkg/testenv"
)

// TestTruthScale measures the embedded index at 50,000 sections and 135,000 rows: the filings and copies of them with
// other figures and owners. Musts: router p95 1 ms, search and rank p95 60 ms, resolve p95 15 ms, of a question's shortest of ten
// rounds. On a busy machine the times say little: the work of the cores for a whole question is told beside them.
//
//	FINGERPOST_FILINGS=DIR go test -tags truth -run TestTruthScale -v ./pkg/eval/bench
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
		const rounds = 10
		var got Times
		work := testenv.Work(func() { got, err = c.Time(t.Context(), x.mode, ask, 5, rounds) })
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: a question took %v of the cores in the mean", x.name, (work / time.Duration(rounds*len(ask))).Round(10*time.Microsecond))
		t.Logf("%s: router p50 %v p95 %v, search and rank p50 %v p95 %v, resolve p50 %v p95 %v", x.name, P50(got.Route), P95(got.Route),
			P50(got.Search), P95(got.Search), P50(got.Resolve), P95(got.Resolve))
		if P95(got.Route) > time.Millisecond || P95(got.Search) > 60*time.Millisecond || P95(got.Resolve) > 15*time.Millisecond {
			t.Errorf("%s: over router 1 ms, search and rank 60 ms, resolve 15 ms", x.name)
		}
	}
}
