package weaviate

import (
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/chunker"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/eval"
	"github.com/fingerpost/fingerpost/pkg/eval/bench"
	"github.com/fingerpost/fingerpost/pkg/route"
	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/vector/mem"
)

// Words only, the same questions over the same documents: Weaviate finds what the embedded index finds. Must: any@5 within
// 2 of 129.
func TestWeaviateFindsWhatTheEmbeddedIndexFinds(t *testing.T) {
	t.Parallel()
	var qs []eval.Question
	for _, s := range []string{"fin4_comprehensive40", "fin4_financebench26", "fin4_own_dev", "papers_multimodal20", "papers_own_dev"} {
		q, err := eval.ReadFile(testenv.Shared(t, "bench", s+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		qs = append(qs, q...)
	}
	docs, err := bench.Folder(testenv.Shared(t, "bench", "docs"))
	if err != nil {
		t.Fatal(err)
	}
	x := open(t, fresh(t))
	corpus := func(ix vector.Index) *bench.Corpus {
		start := time.Now()
		c, err := bench.Open(t.Context(), ix, docs, true, chunker.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%T has the documents after %v", ix, time.Since(start).Round(time.Millisecond))
		return c
	}
	embedded, remote := corpus(mem.New(0)), corpus(x)
	for _, k := range []doc.Kind{doc.KindNode, doc.KindWindow, doc.KindRow} {
		at := tenantClass{x.className(1, k), "bench"}
		eventually(t, "flush of "+at.class, func() bool { names, waits := segments(t, at); return names != "" && !waits })
	}
	for name, m := range map[string]bench.Mode{
		"words":                             {Crumb: true, Rows: true, Refs: true, Clean: true},
		"words, routing, strict vocabulary": {Crumb: true, Rows: true, Refs: true, Clean: true, Route: true, Vocabulary: route.StandardVocabulary.Strict()},
	} {
		any5 := func(c *bench.Corpus) (int, time.Duration) {
			start := time.Now()
			r, err := eval.Run(t.Context(), name, qs, c.Finder(m))
			if err != nil {
				t.Fatal(err)
			}
			s := r.Sum(nil)
			if s.Errors > 0 {
				t.Errorf("%s: %d questions ended in an error", name, s.Errors)
			}
			return s.Any[len(s.Any)-1], time.Since(start) / time.Duration(len(qs))
		}
		want, _ := any5(embedded)
		got, took := any5(remote)
		t.Logf("%s: any@5 %d of %d by Weaviate (%v a question), %d by the embedded index", name, got, len(qs), took.Round(time.Millisecond), want)
		if got < want-2 || got > want+2 {
			t.Errorf("%s: any@5 %d by Weaviate, %d by the embedded index", name, got, want)
		}
	}
}
