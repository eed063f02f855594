package embed_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/embedding/scripted"
	"github.com/fingerpost/fingerpost/pkg/retry"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

func TestMain(m *testing.M) {
	retry.Redelivery = retry.Delays{First: time.Millisecond, Most: 20 * time.Millisecond}
	os.Exit(m.Run())
}

// Streams that hold a handful of jobs, and many documents: each stage waits for the next one, none for itself.
func TestTinyStreamsAndManyDocuments(t *testing.T) {
	h := workertest.Open(t, workertest.Config{StreamBytes: 8 << 10})
	const n = 200
	h.Start(nil)
	var put sync.WaitGroup
	put.Go(func() {
		for i := range n {
			key := fmt.Sprint(i, ".md")
			h.Store(workertest.Bucket, key, paper(2, map[int]string{0: key}))
			if err := h.Intake.Object(context.Background(), workertest.Bucket, key); err != nil {
				t.Error(err)
			}
		}
	})
	full := map[int]bool{}
	h.Until("all are full", func() bool {
		for i := range n {
			if !full[i] && h.Record(workertest.ID(fmt.Sprint(i, ".md"))).Level == doc.LevelFull {
				full[i] = true
			}
		}
		return len(full) == n
	})
	put.Wait()
}

// An embedder that breaks its contract is no server that is away: its document ends in the letters after its tries.
func TestABrokenEmbedderEndsInTheLetters(t *testing.T) {
	for name, broken := range map[string]func(*workertest.House){
		"too few": func(h *workertest.House) { h.Embed.Embedder = fewer{h.Embedder} },
		"an answer that is none": func(h *workertest.House) {
			h.Embed.Embedder = scripted.New(scripted.Failing(func(int, []string) error { return errors.New("no JSON") }))
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := workertest.Open(t, workertest.Config{})
			broken(h)
			id := h.Put("a.md", paper(3, nil))
			h.Start(nil)
			h.Until("it has failed", func() bool { return h.Record(id).State == doc.Failed })
			if r := h.Record(id); r.Class != doc.Upstream || !strings.Contains(r.Reason, "embedder") {
				t.Errorf("%s: %s", r.Class, r.Reason)
			}
			if l := h.Letters(); len(l) != 1 {
				t.Errorf("%d letters", len(l))
			}
		})
	}
}
