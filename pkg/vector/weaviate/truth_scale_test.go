//go:build truth

package weaviate

import (
	"os"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/chunker"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/eval/bench"
	"github.com/fingerpost/fingerpost/pkg/route"
	"github.com/fingerpost/fingerpost/pkg/testenv"
)

// TestTruthScale measures Weaviate at 50,000 sections and 135,000 rows: the filings, whose Source is in the folder that
// FINGERPOST_FILINGS names, and copies of them. Musts: p95 120 ms over all documents, 50 ms routed.
func TestTruthScale(t *testing.T) {
	dir := os.Getenv("FINGERPOST_FILINGS")
	if dir == "" || dir == "pdf" {
		testenv.Missing(t, "FINGERPOST_FILINGS: a folder with the Source of the filings")
	}
	qs, err := bench.ReadPages(testenv.Shared(t, "bench", "filings", "questions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	docs, err := bench.Folder(dir)
	if err != nil {
		t.Fatal(err)
	}
	x := open(t, fresh(t))
	start := time.Now()
	c, err := bench.Open(t.Context(), x, docs, false, chunker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sections, rows, err := c.Crowd(t.Context(), 50_000, 135_000)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d sections, %d rows after %s", sections, rows, time.Since(start).Round(time.Second))
	for _, k := range []doc.Kind{doc.KindNode, doc.KindWindow, doc.KindRow} {
		at := tenantClass{x.className(1, k), "bench"}
		eventually(t, "flush of "+at.class, func() bool { names, waits := segments(t, at); return names != "" && !waits })
	}
	var ask []string
	for _, q := range qs {
		ask = append(ask, q.Question)
	}
	all := bench.Mode{Rows: true, Crumb: true, Refs: true, Clean: true, Vocabulary: route.StandardVocabulary.Strict()}
	routed := all
	routed.Route, routed.Facts = true, true
	for _, m := range []struct {
		name string
		mode bench.Mode
		most time.Duration
	}{{"all documents", all, 120 * time.Millisecond}, {"routed", routed, 50 * time.Millisecond}} {
		got, err := c.Time(t.Context(), m.mode, ask, 5, 5)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: search and rank p50 %v p95 %v", m.name, bench.P50(got.Search), bench.P95(got.Search))
		if p := bench.P95(got.Search); p > m.most {
			t.Errorf("%s: p95 %v, at most %v", m.name, p, m.most)
		}
	}
}
