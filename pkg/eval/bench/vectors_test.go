package bench

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/chunker"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/embedding/minilm"
	"github.com/fingerpost/fingerpost/pkg/eval"
	"github.com/fingerpost/fingerpost/pkg/vector/mem"
)

// cache is the truth runs' file of vectors.
func cache(t testing.TB) (*Cache, *minilm.Embedder) {
	t.Helper()
	path, err := CachePath()
	if err != nil {
		t.Fatal(err)
	}
	e := minilm.New()
	c, err := OpenCache(path, e)
	if err != nil {
		t.Fatal(err)
	}
	return c, e
}

// embedded is the documents with vectors of the given level, chunks counted by the model's tokenizer.
func embedded(t testing.TB, docs []Document, names bool, level doc.Level) (*Corpus, *Cache) {
	t.Helper()
	vectors, e := cache(t)
	c, err := Open(t.Context(), mem.New(0), docs, names, chunker.Options{Count: e.Count})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	err = c.Embed(t.Context(), vectors, level, func(made, missing int) {
		if testing.Verbose() {
			fmt.Fprintf(os.Stderr, "\r%d of %d vectors made, %s", made, missing, time.Since(start).Round(time.Second))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return c, vectors
}

// papers are the five documents and two sets that are not filings.
func papers(t testing.TB) (docs []Document, qs []eval.Question) {
	t.Helper()
	for _, d := range documents(t) {
		switch d.Name {
		case "CLIP.md", "Galore.md", "NemoBot.md", "VectorFusion.md", "VectorPainter.md":
			docs = append(docs, d)
		}
	}
	for _, q := range questions(t) {
		if q.Set == "papers_multimodal20" || q.Set == "papers_own_dev" {
			qs = append(qs, q)
		}
	}
	return docs, qs
}

// TestPapersWithVectors holds the recorded figures of the 30 answerable questions over the five papers; it makes
// about 700 vectors when they are not in the file.
func TestPapersWithVectors(t *testing.T) {
	docs, qs := papers(t)
	c, v := embedded(t, docs, true, doc.LevelFull)
	for _, f := range []struct {
		floor
		mode Mode
	}{
		{floor{name: "papers, words + vectors", any: [3]int{18, 26, 28}, all: 22}, lex},
		{floor{name: "papers, + routing", any: [3]int{19, 25, 27}, all: 23}, routed},
	} {
		f.mode.Vector = v.Question
		f.held(t, run(t, f.name, qs, c.Finder(f.mode)))
	}
}
