package workertest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// held is an embedder whose n-th call waits for the n-th door.
type held struct {
	embedding.Embedder
	doors chan chan struct{}
}

func (h held) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	select {
	case <-<-h.doors:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return h.Embedder.Embed(ctx, texts)
}

// An upload is over when its job is stored; its way shows step by step: words while no vector is there, then a vector a
// section, then all.
func TestKnown54AnUploadReturnsAtOnceAndShowsItsWay(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	first, rest := make(chan struct{}), make(chan struct{})
	doors := make(chan chan struct{}, 2)
	doors <- first
	doors <- rest
	h.Embed.Embedder = held{h.Embedder, doors}
	var long strings.Builder
	for i := range 60 {
		fmt.Fprintf(&long, "Sentence number %d of ordinary length says one thing after the other. ", i)
	}
	id := h.Put("a.md", "# Paper\n\n"+long.String()+"\n\n## Part\n\nzqwayxv.\n")
	if r := h.Record(id); r.State != doc.Pending || r.Generation != 1 {
		t.Fatalf("after the upload: %+v", r)
	}
	h.Start(nil)
	level := func(l doc.Level) {
		t.Helper()
		h.Until(string(l), func() bool { return h.Record(id).Level == l })
	}
	level(doc.LevelWords)
	if got := keys(t, h, "zqwayxv"); len(got) != 1 {
		t.Errorf("at %s: found %q", doc.LevelWords, got)
	}
	close(first)
	level(doc.LevelSections)
	if n := h.Entries(id, 1)[doc.KindChunk]; n != 2 {
		t.Errorf("at %s: %d vectors", doc.LevelSections, n)
	}
	close(rest)
	level(doc.LevelFull)
}
