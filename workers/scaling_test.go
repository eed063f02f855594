package workers_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/workers"
)

// gated is an embedder whose calls wait for a file: so that workers in several processes begin at one moment.
type gated struct {
	embedding.Embedder
	file string
}

// Embed implements embedding.Embedder.
func (g gated) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for _, err := os.Stat(g.file); err != nil; _, err = os.Stat(g.file) {
		select {
		case <-look.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return g.Embedder.Embed(ctx, texts)
}

// The same documents by one embed worker and by four, each a process, whose model takes 50 ms a call of a fixed size. The
// calls are what takes the time, several a document, so that four workers are four times as fast but for what they wait
// for each other. Must: 3.6 times; aim: 3.8. Where other work fills the machine one more measurement is allowed.
func TestFourEmbedWorkersAreFourTimesAsFast(t *testing.T) {
	testenv.Slow(t, "a minute of calls")
	const must, documents = 3.6, 100
	c := testConfig(t)
	s := start(t, systemConfig{Config: c, Scripted: true, Roles: []workers.Role{"intake", "parse", "chunk", "index", "query", "reconcile"}})
	put := 0
	measure := func(hands int) time.Duration {
		gate := filepath.Join(t.TempDir(), "open")
		var all []*system
		for range hands {
			all = append(all, start(t, systemConfig{Config: c, Scripted: true, Call: 50 * time.Millisecond, Gate: gate, Join: true, Roles: []workers.Role{"embed"}}))
		}
		before := s.status().Embeddings.Made
		for range documents {
			s.put(fmt.Sprintf("%04d.md", put), manyCalls(put))
			put++
		}
		s.until("all are found by words", func() bool { st := s.status(); return st.Documents.Pending == 0 && st.Documents.Indexed == put })
		begin := time.Now()
		writeFile(t, gate, "")
		s.settled(put)
		took := time.Since(begin)
		for _, h := range all {
			h.kill(syscall.SIGTERM)
		}
		t.Logf("%d workers: %d documents, %d texts, %v", hands, documents, s.status().Embeddings.Made-before, took.Round(time.Millisecond))
		return took
	}
	for try := 1; ; try++ {
		one, four := measure(1), measure(4)
		ratio := one.Seconds() / four.Seconds()
		t.Logf("four workers are %.2f times as fast as one", ratio)
		if ratio >= must {
			return
		}
		if try == 2 {
			t.Fatalf("four workers are %.2f times as fast as one, want %.1f", ratio, must)
		}
	}
}

// manyCalls is a document of one section, whose pieces fill several calls.
func manyCalls(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Paper %d\n\n", n)
	for i := range 200 {
		for k := range 12 {
			fmt.Fprintf(&b, "word%d ", (n*31+i*7+k)%500)
		}
		b.WriteString("ends here.\n\n")
	}
	return b.String()
}
