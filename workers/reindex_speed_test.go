package workers_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/workers/admin"
	"github.com/fingerpost/fingerpost/workers/reindex"
)

// essay is a document of `parts` sections of about 150 words, each of which says other things.
func essay(n, parts int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Essay %d\n\n", n)
	for p := range parts {
		fmt.Fprintf(&b, "## Part %d\n\n", p+1)
		for i := range 10 {
			k := (n*parts+p)*10 + i
			fmt.Fprintf(&b, "In the year %d the committee of district %d weighed %d proposals about water, roads and schools. ", 1700+k%300, k, 3+k%17)
		}
		b.WriteString("\n\n")
	}
	return b.String()
}

// An unchanged model: no embedding is made, and the re-index is at least twenty times as fast as the first ingest with the
// real built-in model, on the same machine in the same minute. By hand: FINGERPOST_MANY=200.
func TestKnown56ReindexIsTwentyTimesAsFast(t *testing.T) {
	testenv.Slow(t, "an ingest with the real model")
	n := many(t, 16)
	s := start(t, systemConfig{Config: testConfig(t)})
	if got := s.status().Embedder; got != "all-MiniLM-L6-v2" {
		t.Fatalf("the embedder is %s", got)
	}
	begin := time.Now()
	for i := range n {
		s.put(fmt.Sprintf("%03d.md", i), essay(i, 12))
	}
	s.settled(n)
	first, made := time.Since(begin), s.status().Embeddings.Made
	again := func() (took time.Duration) {
		begin := time.Now()
		s.reindex(admin.ReindexRequest{Do: "start"})
		s.isReady()
		return time.Since(begin)
	}
	second := again()
	if now := s.status().Embeddings.Made; now != made {
		t.Errorf("%d embeddings were made again", now-made)
	}
	t.Logf("%d documents, %d embeddings: first ingest %v, re-index %v: %.0f times as fast", n, made, first.Round(time.Millisecond), second.Round(time.Millisecond), first.Seconds()/second.Seconds())
	if first < 20*second { // one more try: something else may have had the machine
		s.reindex(admin.ReindexRequest{Do: "drop"})
		if second = again(); first < 20*second {
			t.Errorf("first ingest %v, re-index %v: %.1f times as fast, want 20", first, second, first.Seconds()/second.Seconds())
		}
	}
}

// texts are the hashes of what a folder's chunks of a document have the model read.
func (s *system) texts(folder string, id doc.ID, g doc.Generation) map[[32]byte]bool {
	s.t.Helper()
	chunks, err := artefact.Store{Blobs: s.blobs, Folder: folder}.Chunks(s.t.Context(), artefact.Ref{Tenant: "default", Doc: id, Generation: g})
	if err != nil {
		s.t.Fatal(err)
	}
	out := map[[32]byte]bool{}
	for _, c := range chunks {
		if c.Kind == doc.KindChunk {
			out[embedding.TextHash(c.EmbedText())] = true
		}
	}
	return out
}

// Another size of chunks: as many embeddings are made as there are texts that no chunk of the document had before, one
// each; and no document that is cut as before costs any.
func TestKnown57ExactlyTheChangedChunksAreEmbedded(t *testing.T) {
	n := 12
	s := start(t, systemConfig{Config: testConfig(t), Scripted: true})
	for i := range n {
		text := note(fmt.Sprint("Paper ", i), word(i), 4)
		if i%2 == 0 { // half of them have a section that is cut otherwise
			text += essay(i, 1)[len("# Essay 0"):]
		}
		s.put(fmt.Sprintf("%02d.md", i), text)
	}
	s.settled(n)
	s.kill(syscall.SIGTERM)
	s.conf.Config.Chunk.Target = 60
	s.up()
	before := s.status().Embeddings.Made
	s.reindex(admin.ReindexRequest{Do: "start"})
	task := s.isReady()
	want, kept := 0, 0
	for i := range n {
		id := doc.NewID("default", "documents", fmt.Sprintf("%02d.md", i))
		old, fresh := s.texts(artefact.Pipeline, id, 1), 0
		for h := range s.texts(fmt.Sprintf("%s-b%d", artefact.Pipeline, task.Build), id, 1) {
			if old[h] {
				kept++
			} else {
				fresh++
			}
		}
		if i%2 == 1 && fresh > 0 {
			t.Errorf("document %d is not cut as before", i)
		}
		want += fresh
	}
	if made := s.status().Embeddings.Made - before; made != want || want == 0 || kept < 4*n || task.From != reindex.FromChunk {
		t.Errorf("%d embeddings were made, from %s; %d texts are new and %d as before", made, task.From, want, kept)
	}
}
