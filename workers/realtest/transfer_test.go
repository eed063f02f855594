package realtest

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/workers"
	"github.com/fingerpost/fingerpost/workers/demo"
)

// A site moves from the embedded servers to real ones, whose bucket holds the objects before any worker runs: an import
// first, and the new site embeds nothing and answers with the same places. From there it moves on to a third site.
func TestASiteMovesToRealServers(t *testing.T) {
	testenv.Slow(t, "the system on real servers")
	on := servers{nats: []*testenv.NATSServer{testenv.NATS(t)}}
	on.s3, on.weaviate = testenv.Versitygw(t, on.nats[0].URL, events), testenv.Weaviate(t)
	builtin := func(c *workers.Config) { c.Embedder = "builtin" }
	corpus := slices.DeleteFunc(demo.Corpus(), func(d demo.Document) bool { return strings.HasPrefix(d.Key, "larkmoor") }) // the quick ones
	own := embedded(t, "default", builtin)
	for _, d := range corpus {
		own.put(d.Key, d.Bytes)
	}
	own.settled(len(corpus))
	file, again := filepath.Join(t.TempDir(), "own.fpx"), filepath.Join(t.TempDir(), "real.fpx")
	own.command("export", file)

	s := real(t, on, "default", builtin)
	if err := s.blobs.MakeBucket(t.Context(), "default"); err != nil {
		t.Fatal(err)
	}
	for _, d := range corpus {
		s.put(d.Key, d.Bytes)
	}
	s.command("import", file)
	s.work(oneBuild)
	s.moved(own, corpus)
	s.command("export", again)

	third := embedded(t, "default", builtin)
	third.command("import", again)
	for _, d := range corpus {
		third.put(d.Key, d.Bytes)
	}
	third.moved(own, corpus)
	third.stop()
	own.stop()
	s.stop()
}

// command runs one on the site.
func (s *system) command(verb, file string) {
	s.t.Helper()
	out, err := exec.CommandContext(s.t.Context(), program(s.t, oneBuild), verb, file, "--config", s.file).CombinedOutput()
	if err != nil {
		s.t.Fatalf("%s: %v: %s", verb, err, out)
	}
	s.t.Logf("%s: %s", verb, out)
}

// moved holds that the site has all documents, embedded nothing, has nothing left over, and leads where the first one does.
func (s *system) moved(own *system, corpus []demo.Document) {
	s.t.Helper()
	s.settled(len(corpus))
	var st api.StatusReply
	if err := s.ask(api.Status, struct{}{}, &st); err != nil || st.Embeddings.Made != 0 || st.Embeddings.Saved == 0 {
		s.t.Errorf("embeddings %+v, %v", st.Embeddings, err)
	}
	for _, q := range demo.Questions() {
		if want, got := own.places(q.Question), s.places(q.Question); !slices.Equal(got, want) {
			s.t.Errorf("%s leads to\n%s\nat first to\n%s", q.Question, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	s.once(len(corpus))
	for info, err := range s.blobs.List(s.t.Context(), "fingerpost-derived", "_import/", "") {
		if err != nil {
			s.t.Fatal(err)
		}
		s.t.Errorf("%s is left on the shelf", info.Key)
	}
}
