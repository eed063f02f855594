package realtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/eval"
	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/workers"
	"github.com/fingerpost/fingerpost/workers/reindex"
)

// said is what a command of the program printed, and its exit code.
func (s *system) said(args ...string) (out, err string, code int) {
	s.t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(s.t.Context(), program(s.t, oneBuild), append(args, "--data", s.conf.Data)...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if e := cmd.Run(); e != nil {
		if _, ok := errors.AsType[*exec.ExitError](e); !ok {
			s.t.Fatal(e)
		}
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

// asked is a file with a question about each of the first n papers.
func asked(t *testing.T, n int) string {
	t.Helper()
	var b bytes.Buffer
	for i := range n {
		name := fmt.Sprintf("%03d.md", i)
		line, err := json.Marshal(eval.Question{ID: fmt.Sprint("q", i), Question: fmt.Sprintf("Where does the particular word zq%dxv stand?", i), Kind: "factual", Answer: "here",
			Docs: []string{name}, Gold: []eval.Gold{{Doc: name, Start: 23, End: 23, SectionStart: 21, SectionEnd: 23, Must: []string{fmt.Sprintf("zq%dxv", i)}}}})
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	file := filepath.Join(t.TempDir(), "papers.jsonl")
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// A re-index that nobody attends: begun, waited for, compared by audit and questions, and promoted or not, as the exit code
// and a report say.
func TestReindexUnattended(t *testing.T) {
	testenv.Slow(t, "the program's commands on a system of its own")
	s := embedded(t, "default", func(c *workers.Config) { c.Embedder = "none" })
	n := 40
	for i := range n {
		s.put(fmt.Sprintf("papers/%03d.md", i), paper(i))
	}
	s.settled(n)
	file := asked(t, 10)
	start := func(more ...string) (string, string, int) {
		return s.said(append([]string{"reindex", "start"}, more...)...)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--promote-if", "audit ok"}, 2, "needs --wait"},
		{[]string{"--wait", "--promote-if", "audit fine"}, 2, "is not known"},
		{[]string{"--wait", "--promote-if", "any@5 drop <= .01"}, 2, "needs --questions"},
		{[]string{"--from", "index"}, 2, "parse, chunk, embed"},
	} {
		if _, err, code := start(c.args...); code != c.code || !strings.Contains(err, c.says) {
			t.Errorf("%v: exit code %d, %s", c.args, code, err)
		}
	}
	if _, err, code := s.said("reindex", "rollback"); code != 1 || !strings.Contains(err, "no build to go back to") {
		t.Errorf("rollback: exit code %d, %s", code, err)
	}
	if _, err, code := start("--wait", "--from", "parse", "--timeout", "200ms"); code != 4 {
		t.Errorf("a time that is over: exit code %d, %s", code, err)
	}
	s.until("an end of that one", func() bool { _, _, code := s.said("reindex", "drop"); return code == 0 })

	s.promoted(start, file)
	s.notPromoted(start, file)
}

// promoted: every condition holds.
func (s *system) promoted(start func(...string) (string, string, int), file string) {
	s.t.Helper()
	out, err, code := start("--wait", "--json", "--promote-if", "audit ok, any@5 drop <= .01", "--questions", file)
	var rep struct {
		Reindex struct {
			Live    uint32
			Compare reindex.Comparison
		}
		Before, After eval.Score
		Verdicts      []reindex.Verdict
		Promoted      bool
	}
	if e := json.Unmarshal([]byte(out), &rep); e != nil || code != 0 {
		s.t.Fatalf("exit code %d, %v: %s %s", code, e, out, err)
	}
	c := rep.Reindex.Compare
	if !rep.Promoted || len(rep.Verdicts) != 3 || rep.Before.N != 10 || rep.Before.Any[2] != 10 || rep.After.Any[2] != 10 || !c.AuditOK || c.Build != rep.Reindex.Live ||
		c.BuildCounts != c.LiveCounts || c.BuildCounts.Indexed != 40 {
		s.t.Errorf("report %s", out)
	}
	s.until("answers of the new build", func() bool {
		var found api.FindReply
		return s.ask(api.Find, api.FindRequest{Question: "zq1xv"}, &found) == nil && found.Build == rep.Reindex.Live
	})
}

// notPromoted: in the derived bucket lies what belongs to no version of any document, which the audit says.
func (s *system) notPromoted(start func(...string) (string, string, int), file string) {
	s.t.Helper()
	for info, err := range s.blobs.List(s.t.Context(), "fingerpost-derived", "", "") {
		if err != nil {
			s.t.Fatal(err)
		}
		if key := strings.Replace(info.Key, "/g1/", "/g9/", 1); strings.HasSuffix(key, "/source.md") {
			if _, err := s.blobs.Put(s.t.Context(), "fingerpost-derived", key, strings.NewReader("stray"), 5, blob.PutOptions{}); err != nil {
				s.t.Fatal(err)
			}
			break
		}
	}
	live := s.live()
	out, err, code := start("--wait", "--promote-if", "audit ok, any@5 drop <= .01", "--questions", file)
	if code != 5 || !strings.Contains(out, "NO   audit ok") || !strings.Contains(out, "ok   any@5 drop <= .01: 10 and then 10 of 10") || !strings.Contains(err, "not promoted") {
		s.t.Errorf("exit code %d: %s %s", code, out, err)
	}
	if now := s.live(); now != live {
		s.t.Errorf("build %d is live, and was %d", now, live)
	}
	if _, err, code := s.said("reindex", "promote"); code != 1 || !strings.Contains(err, "is not promoted") {
		s.t.Errorf("promote: exit code %d, %s", code, err)
	}
	if out, err, code := s.said("reindex", "compare", "--questions", file); code != 0 || !strings.Contains(out, "audit ok: false") || !strings.Contains(out, "any@") {
		s.t.Errorf("compare: exit code %d, %s %s", code, out, err)
	}
}

// live is the build that answers.
func (s *system) live() uint32 {
	s.t.Helper()
	out, err, code := s.said("reindex", "status", "--json")
	var rep struct{ Live uint32 }
	if e := json.Unmarshal([]byte(out), &rep); e != nil || code != 0 {
		s.t.Fatalf("status: exit code %d, %v: %s %s", code, e, out, err)
	}
	return rep.Live
}
