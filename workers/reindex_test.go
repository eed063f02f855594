package workers_test

import (
	"fmt"
	"maps"
	"strings"
	"syscall"
	"testing"

	"github.com/fingerpost/fingerpost/workers/admin"
	"github.com/fingerpost/fingerpost/workers/reindex"
)

// reindex asks for a step of a re-index.
func (s *system) reindex(req admin.ReindexRequest) (rep admin.ReindexReply) {
	s.t.Helper()
	s.operate("reindex", req, &rep)
	return rep
}

// isReady waits until the re-index is ready.
func (s *system) isReady() (task reindex.Task) {
	s.t.Helper()
	s.until("a re-index that is ready", func() bool {
		task = *s.reindex(admin.ReindexRequest{Do: "status"}).Task
		return task.State == reindex.Ready
	})
	return task
}

// The same model and text: a new build costs no embedding and is the old one, entry by entry. Turning to it and back
// is seen by the next question; changes come to both; what is dropped is gone.
func TestKnown56ReindexBesideTheLiveBuild(t *testing.T) {
	n := 60
	s := start(t, systemConfig{Config: testConfig(t), Scripted: true})
	for i := range n {
		s.put(fmt.Sprintf("%02d.md", i), note(fmt.Sprint("Paper ", i), word(i), 6))
	}
	s.settled(n)
	made := s.status().Embeddings.Made
	s.reindex(admin.ReindexRequest{Do: "start"})
	task := s.isReady()
	if now := s.status().Embeddings.Made; now != made || task.From != "embed" || task.Why != "" {
		t.Errorf("%d embeddings were made again, from %s, because %q", now-made, task.From, task.Why)
	}
	if b := s.find(word(3), 1).Build; b != 1 {
		t.Errorf("build %d answers before it is promoted", b)
	}
	c := s.reindex(admin.ReindexRequest{Do: "promote"}).Compare
	if !c.AuditOK || c.LiveCounts != c.BuildCounts || c.BuildCounts.Indexed != n {
		t.Errorf("compared %+v", c)
	}
	s.until("answers of build 2", func() bool { return s.find(word(3), 1).Build == 2 })
	s.put("00.md", note("Paper 0", word(1000), 6))
	s.put("new.md", note("New", word(1001), 2))
	if err := s.blobs.Delete(t.Context(), "documents", "01.md"); err != nil {
		t.Fatal(err)
	}
	shown := func(build uint32) bool {
		a, b, c := s.find(word(1000), 1), s.find(word(1001), 1), s.find(word(1), 1)
		return a.Build == build && len(a.Sections) > 0 && a.Sections[0].Key == "00.md" && len(b.Sections) > 0 && b.Sections[0].Key == "new.md" &&
			(len(c.Sections) == 0 || c.Sections[0].Key != "01.md")
	}
	s.until("the changes in build 2", func() bool { return shown(2) })
	s.settled(n)
	s.reindex(admin.ReindexRequest{Do: "rollback"})
	s.until("the changes in build 1", func() bool { return shown(1) })
	s.reindex(admin.ReindexRequest{Do: "promote"})
	s.until("answers of build 2 again", func() bool { return shown(2) })
	s.settled(n)
	s.kill(syscall.SIGTERM)
	if one, two := dumpBuild(t, s.conf.Config.Data, 1), dumpBuild(t, s.conf.Config.Data, 2); !maps.Equal(one, two) {
		t.Errorf("the builds differ: %s", difference(two, one))
	}
	s.up()
	if !shown(2) {
		t.Error("after a restart build 2 is not what answers")
	}
	s.reindex(admin.ReindexRequest{Do: "drop", Build: 1})
	s.until("one build", func() bool { return len(s.reindex(admin.ReindexRequest{Do: "status"}).Builds) == 1 })
	s.put("last.md", note("Last", word(1002), 2))
	s.settled(n + 1)
	var rep struct{ Differences []any }
	s.operate("audit", admin.AuditRequest{}, &rep)
	if len(rep.Differences) > 0 {
		t.Errorf("audit: %v", rep.Differences)
	}
}

// Another size of chunks makes only the embeddings of chunks whose text is new; another model makes all of them, is
// refused by a start that would mix it in, and is finished in a build of its own.
func TestKnown57OtherChunksAndOtherModels(t *testing.T) {
	n := 20
	c := testConfig(t)
	s := start(t, systemConfig{Config: c, Scripted: true, Second: true})
	long := strings.Repeat("A sentence of a long section goes on for some words more. ", 60)
	for i := range n {
		s.put(fmt.Sprintf("%02d.md", i), note(fmt.Sprint("Paper ", i), word(i), 6)+"\n## Long\n\n"+long+word(i)+"\n")
	}
	s.settled(n)
	first := s.status().Embeddings.Made
	s.kill(syscall.SIGTERM)
	s.conf.Config.Chunk.Target = 100 // the live build keeps its own size
	s.up()
	if now := s.status().Embeddings.Made; now != first {
		t.Errorf("a start with another size made %d embeddings", now-first)
	}
	s.reindex(admin.ReindexRequest{Do: "start"})
	task := s.isReady()
	made := s.status().Embeddings.Made - first
	if task.From != "chunk" || made == 0 || made >= first {
		t.Errorf("from %s because %q: %d embeddings, at first %d", task.From, task.Why, made, first)
	}
	s.reindex(admin.ReindexRequest{Do: "promote"})
	s.until("build 2", func() bool { return s.find(word(3), 1).Build == 2 })

	before := s.status().Embeddings.Made
	s.reindex(admin.ReindexRequest{Do: "start", Embedder: "second"})
	task = s.isReady()
	if all := s.status().Embeddings.Made - before; task.From != "chunk" || !strings.Contains(task.Why, "model") || all < first {
		t.Errorf("from %s because %q: %d embeddings of the other model", task.From, task.Why, all)
	}
	s.reindex(admin.ReindexRequest{Do: "promote"})
	s.until("build 3", func() bool { return s.find(word(3), 1).Build == 3 && s.status().Embedder == "second" })
	s.settled(n)
	s.kill(syscall.SIGTERM)
	s.conf.Second = false
	if said := refused(t, s.conf); !strings.Contains(said, "re-index needed") {
		t.Errorf("a start without the build's model says %q", said)
	}
}
