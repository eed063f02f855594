//go:build truth

package weaviate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/chunker"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/eval/bench"
	"github.com/fingerpost/fingerpost/pkg/route"
	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// keptEnv names a folder in which the loaded server is kept from run to run: loading takes minutes.
const keptEnv = "FINGERPOST_WEAVIATE_DATA"

// TestTruthScale measures Weaviate at 50,000 sections and 135,000 rows: the filings, whose Source is in the folder that
// FINGERPOST_FILINGS names, and copies of them. Musts: p95 120 ms over all documents, 50 ms routed, of a question's shortest of
// five rounds. Beside the times it tells how long the server's cores worked for a question: on a busy machine the times say
// little, the work stays.
//
//	FINGERPOST_FILINGS=DIR FINGERPOST_WEAVIATE_DATA=DIR go test -tags truth -run TestTruthScale -v -timeout 30m ./pkg/vector/weaviate
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
	s, x, c := crowded(t, docs)
	all := bench.Mode{Rows: true, Crumb: true, Refs: true, Clean: true, Vocabulary: route.StandardVocabulary.Strict()}
	routed := all
	routed.Route, routed.Facts = true, true
	for _, m := range []struct {
		name string
		mode bench.Mode
		most time.Duration
	}{{"all documents", all, 120 * time.Millisecond}, {"routed", routed, 50 * time.Millisecond}} {
		x.counts.drop(func(field) bool { return true })
		var first, again, work []time.Duration
		for _, q := range qs {
			first = append(first, search(t, c, m.mode, q.Question, 1))
			before := cpu(t, s.PID())
			const rounds = 5
			again = append(again, search(t, c, m.mode, q.Question, rounds))
			work = append(work, (cpu(t, s.PID())-before)/rounds)
		}
		slices.Sort(first)
		slices.Sort(again)
		slices.Sort(work)
		t.Logf("%s: search and rank p50 %v p95 %v; asked the first time p50 %v p95 %v; the server's cores worked p50 %v p95 %v",
			m.name, bench.P50(again), bench.P95(again), bench.P50(first), bench.P95(first), bench.P50(work), bench.P95(work))
		if p := bench.P95(again); p > m.most {
			t.Errorf("%s: p95 %v, at most %v", m.name, p, m.most)
		}
	}
}

// search is how long a question takes, the shortest of its rounds.
func search(t *testing.T, c *bench.Corpus, m bench.Mode, question string, rounds int) time.Duration {
	got, err := c.Time(t.Context(), m, []string{question}, 5, rounds)
	if err != nil {
		t.Fatal(err)
	}
	return got.Search[0]
}

// written is an index that holds its corpus already.
type written struct{ *Index }

func (written) Put(context.Context, vector.Build, doc.Tenant, doc.Kind, []vector.Entry) error {
	return nil
}

// crowded is a server with the corpus, loaded when it is not there yet.
func crowded(t *testing.T, docs []bench.Document) (*testenv.WeaviateServer, *Index, *bench.Corpus) {
	dir := os.Getenv(keptEnv)
	if dir == "" {
		dir = t.TempDir()
	}
	s, err := testenv.StartWeaviate(dir)
	if err != nil {
		t.Fatal(err)
	}
	if s == nil {
		testenv.Missing(t, "Weaviate (scripts/servers-weaviate builds it)")
	}
	t.Cleanup(s.Stop)
	x := open(t, Config{URL: s.URL, GRPC: s.GRPC, Prefix: "Scale"})
	loaded := filepath.Join(dir, "loaded")
	var ix vector.Index = x
	if _, err := os.Stat(loaded); err == nil {
		ix = written{x}
	}
	start := time.Now()
	c, err := bench.Open(t.Context(), ix, docs, false, chunker.Options{})
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
		eventually(t, "flush of "+at.class, func() bool { names, waits := segmentsIn(t, dir, at); return names != "" && !waits })
	}
	if n := x.Stats(1, "bench").Entries; n[doc.KindNode] != sections || n[doc.KindRow] != rows {
		t.Fatalf("the index holds %v; remove the folder to load it anew", n)
	}
	if err := os.WriteFile(loaded, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return s, x, c
}

// cpu is how long the cores worked for a process until now, in steps of a hundredth of a second.
func cpu(t *testing.T, pid int) time.Duration {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	var ticks int
	for _, f := range fields[11:13] { // utime and stime
		n, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
