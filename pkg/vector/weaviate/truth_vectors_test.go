//go:build truth

package weaviate

import (
	"testing"

	"github.com/fingerpost/fingerpost/pkg/chunker"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/embedding/minilm"
	"github.com/fingerpost/fingerpost/pkg/eval"
	"github.com/fingerpost/fingerpost/pkg/eval/bench"
	"github.com/fingerpost/fingerpost/pkg/route"
	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/vector/mem"
)

// TestTruthVectors asks with vectors of all chunks what TestWeaviateFindsWhatTheEmbeddedIndexFinds asks by words. Must: any@5 within 2
// of 129. Minutes the first time; the vectors are kept (bench.CachePath).
func TestTruthVectors(t *testing.T) {
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
	path, err := bench.CachePath()
	if err != nil {
		t.Fatal(err)
	}
	e := minilm.New()
	vectors, err := bench.OpenCache(path, e)
	if err != nil {
		t.Fatal(err)
	}
	corpus := func(ix vector.Index) *bench.Corpus {
		c, err := bench.Open(t.Context(), ix, docs, true, chunker.Options{Count: e.Count})
		if err == nil {
			err = c.Embed(t.Context(), vectors, doc.LevelFull, func(int, int) {})
		}
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	embedded, remote := corpus(mem.New(0)), corpus(open(t, fresh(t)))
	mode := bench.Mode{Crumb: true, Rows: true, Refs: true, Clean: true, Route: true, Vocabulary: route.StandardVocabulary.Strict(), Vector: vectors.Question}
	any5 := func(c *bench.Corpus) int {
		r, err := eval.Run(t.Context(), "vectors", qs, c.Finder(mode))
		if err != nil {
			t.Fatal(err)
		}
		s := r.Sum(nil)
		return s.Any[len(s.Any)-1]
	}
	want, got := any5(embedded), any5(remote)
	t.Logf("any@5 %d by Weaviate, %d by the embedded index", got, want)
	if got < want-2 || got > want+2 {
		t.Errorf("any@5 %d by Weaviate, %d by the embedded index", got, want)
	}
}
