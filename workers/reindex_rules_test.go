package workers_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"syscall"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/source"
	"github.com/fingerpost/fingerpost/workers/admin"
	"github.com/fingerpost/fingerpost/workers/reindex"
)

// readBy is a reader of another version of the rules: it signs what it has read.
func readBy(rules string) func(context.Context, string, []byte) (source.Source, error) {
	return func(ctx context.Context, key string, raw []byte) (source.Source, error) {
		src, err := source.Parse(ctx, key, raw)
		src.Markdown = append(append([]byte(nil), src.Markdown...), signature(rules)...)
		return src, err
	}
}

func signature(rules string) string { return "\nRead by the rules " + rules + ".\n" }

// of reports whether a build shows the document of a word, signed by the rules ("": by none).
func (s *system) of(build uint32, key, word, rules string) error {
	s.t.Helper()
	var rep api.FindReply
	if err := s.ask("default", api.Find, api.FindRequest{Question: word, K: 1, Build: build}, &rep); err != nil {
		return err
	}
	if rep.Build != build || len(rep.Sections) != 1 || rep.Sections[0].Key != key || !strings.Contains(rep.Sections[0].Text, word) {
		return fmt.Errorf("asked of build %d for %s: build %d gives %+v", build, key, rep.Build, rep.Sections)
	}
	if text := rep.Sections[0].Text; strings.Contains(text, "Read by") != (rules != "") || !strings.Contains(text, strings.TrimSpace(signature(rules))) && rules != "" {
		return fmt.Errorf("build %d shows %s as %q, want rules %q", build, key, text, rules)
	}
	return nil
}

// A program whose rules of parsing are newer than the index goes on answering from it, says that a re-index is needed,
// writes changes to both builds, and no answer holds text of both rules. A program of the past is refused.
func TestKnown57NewRulesServeTheOldBuild(t *testing.T) {
	n := 30
	s := start(t, systemConfig{Config: testConfig(t), Scripted: true})
	key := func(i int) string { return fmt.Sprintf("%02d.md", i) }
	for i := range n {
		s.put(key(i), note(fmt.Sprint("Paper ", i), word(i), 4))
	}
	s.settled(n)
	made := s.status().Embeddings.Made
	s.kill(syscall.SIGTERM)
	s.conf.Rules = "p99"
	s.up()
	said := func() string { return s.reindex(admin.ReindexRequest{Do: "status"}).Needed }
	if why := said(); !strings.Contains(why, "re-index needed") || !strings.Contains(why, "p99") || !strings.Contains(s.log.String(), "re-index needed") {
		t.Errorf("status says %q", why)
	}
	for i := range n {
		if err := s.of(1, key(i), word(i), ""); err != nil {
			t.Error(err)
		}
	}
	if now := s.status().Embeddings.Made; now != made {
		t.Errorf("the start made %d embeddings", now-made)
	}
	s.put("new.md", note("New", word(500), 2)) // the old build takes what comes
	s.until("the new document in build 1", func() bool { return s.of(1, "new.md", word(500), "p99") == nil })

	task := s.reindex(admin.ReindexRequest{Do: "start"}).Task
	if task.From != reindex.FromParse || !strings.Contains(task.Why, "p99") {
		t.Errorf("from %s, because %q", task.From, task.Why)
	}
	s.put(key(0), note("Paper 0", word(600), 4)) // while it runs
	if err := s.blobs.Delete(t.Context(), "documents", key(1)); err != nil {
		t.Fatal(err)
	}
	for i := 2; i < n; i++ { // whatever has been made of build 2 by now
		if err := s.of(1, key(i), word(i), ""); err != nil {
			t.Error(err)
		}
	}
	s.isReady()
	for _, b := range []uint32{1, 2} {
		s.until(fmt.Sprint("the changes in build ", b), func() bool {
			return s.of(b, key(0), word(600), "p99") == nil && s.of(b, "new.md", word(500), "p99") == nil && s.of(b, key(1), word(1), "") != nil
		})
	}
	for i := 2; i < n; i++ {
		if err := s.of(1, key(i), word(i), ""); err != nil {
			t.Error(err)
		}
		if err := s.of(2, key(i), word(i), "p99"); err != nil {
			t.Error(err)
		}
	}
	s.reindex(admin.ReindexRequest{Do: "promote"})
	s.until("answers of build 2", func() bool { return s.find(word(2), 1).Build == 2 })
	var answer api.AskReply
	if err := s.ask("default", api.Ask, api.AskRequest{Question: "Where does the particular word " + word(2) + " stand?"}, &answer); err != nil || answer.Build != 2 || !answer.Found {
		t.Errorf("%v: answered %+v", err, answer)
	}
	if why := said(); why != "" {
		t.Errorf("after the promotion it says %q", why)
	}
	s.settled(n)
	s.sameAsClean(2)
	s.conf.Rules = ""
	if why := refused(t, s.conf); !strings.Contains(why, "newer program") || !strings.Contains(why, "p99") {
		t.Errorf("a program of the past is refused by %q", why)
	}
}

// sameAsClean ends the system and holds a build of its index against that of a system which has only ever seen the
// bucket as it is now.
func (s *system) sameAsClean(build uint32) {
	s.t.Helper()
	conf := s.conf
	conf.Config = testConfig(s.t)
	clean := start(s.t, conf)
	n := 0
	for info, err := range s.blobs.List(s.t.Context(), "documents", "", "") {
		if err != nil {
			s.t.Fatal(err)
		}
		clean.put(info.Key, s.object(info.Key))
		n++
	}
	clean.settled(n)
	clean.kill(syscall.SIGTERM)
	s.kill(syscall.SIGTERM)
	got, want := dumpBuild(s.t, s.conf.Config.Data, build), dumpBuild(s.t, clean.conf.Config.Data, 1)
	if len(want) == 0 || !maps.Equal(got, want) {
		s.t.Errorf("build %d is not what a clean system has (%d entries, %d): %s", build, len(got), len(want), difference(got, want))
	}
}

// object is what the bucket holds under a key.
func (s *system) object(key string) string {
	s.t.Helper()
	b, _, err := blob.ReadAll(s.t.Context(), s.blobs, "documents", key, blob.GetOptions{}, 1<<20)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

// A re-index that was begun by other rules is not gone on with: it pauses and says so; dropped and begun anew it is
// finished.
func TestKnown57ReindexOfOtherRulesIsBegunAnew(t *testing.T) {
	n := 12
	s := start(t, systemConfig{Config: testConfig(t), Scripted: true})
	for i := range n {
		s.put(fmt.Sprintf("%02d.md", i), note(fmt.Sprint("Paper ", i), word(i), 4))
	}
	s.settled(n)
	s.reindex(admin.ReindexRequest{Do: "start", From: reindex.FromParse})
	s.reindex(admin.ReindexRequest{Do: "pause"})
	s.kill(syscall.SIGTERM)
	s.conf.Rules = "p99"
	s.up()
	s.reindex(admin.ReindexRequest{Do: "resume"})
	var task reindex.Task
	s.until("a pause that says why", func() bool {
		task = *s.reindex(admin.ReindexRequest{Do: "status"}).Task
		return task.State == reindex.Paused && strings.Contains(task.Note, "re-index needed from the beginning")
	})
	s.reindex(admin.ReindexRequest{Do: "drop"})
	s.reindex(admin.ReindexRequest{Do: "start"})
	s.isReady()
	s.reindex(admin.ReindexRequest{Do: "promote"})
	s.until("build 3", func() bool { return s.find(word(3), 1).Build == 3 })
	for i := range n {
		if err := s.of(3, fmt.Sprintf("%02d.md", i), word(i), "p99"); err != nil {
			t.Error(err)
		}
	}
}
