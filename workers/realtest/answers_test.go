package realtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/workers/demo"
)

// TestRealServers starts one of each server and goes through what the whole must do on them.
func TestRealServers(t *testing.T) {
	testenv.Slow(t, "the system on real servers")
	on := servers{nats: []*testenv.NATSServer{testenv.NATS(t)}}
	on.s3, on.weaviate, on.ollama = testenv.Versitygw(t, on.nats[0].URL, events), testenv.Weaviate(t), testenv.Ollama(t)
	s := real(t, on, "default", nil)
	s.work(oneBuild)
	t.Run("the same answers", func(t *testing.T) { sameAnswers(t, s) })
	t.Run("outages", func(t *testing.T) { outages(t, s, on) })
	s.t = t
	s.stop()
	t.Run("a node of three is lost, and another build takes over", func(t *testing.T) { cluster(t, on) })
}

// sameAnswers asks the demo's questions of this system and of the embedded default: the same pointers, the first in its place (see alike).
func sameAnswers(t *testing.T, s *system) {
	s.t = t
	own := embedded(t, "default", nil)
	start := time.Now()
	for _, d := range demo.Corpus() {
		own.put(d.Key, d.Bytes)
		s.put(d.Key, d.Bytes)
	}
	own.settled(len(demo.Corpus()))
	t.Logf("the embedded default has all vectors after %v", time.Since(start).Round(time.Millisecond))
	s.settled(len(demo.Corpus()))
	t.Logf("the real servers have them after %v", time.Since(start).Round(time.Millisecond))
	for _, q := range demo.Questions() {
		want, got := own.places(q.Question), s.places(q.Question)
		if !alike(got, want) {
			t.Errorf("%s %s: the real servers give\n%s\nthe embedded ones\n%s", q.ID, q.Question, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	s.agree(own)
	s.once(len(demo.Corpus()))
	own.stop()
}

// alike reports whether two lists are the same, but for neighbours behind the first place: scores of two indexes, whose
// vectors are made by two programs, differ in the third digit, so that places with nearly one score may change.
func alike(got, want []string) bool {
	if len(got) != len(want) || len(got) == 0 || got[0] != want[0] {
		return false
	}
	for i, p := range got {
		if j := slices.Index(want, p); j < i-1 || j > i+1 {
			return false
		}
	}
	return true
}

// agree holds that of the quality questions the best place is the same, of all but one: scores of two indexes are near each
// other, not equal, so that two places with nearly the same score may change places.
func (s *system) agree(own *system) {
	s.t.Helper()
	first, whole := 0, 0
	for _, q := range demo.Quality() {
		want, got := own.places(q.Question), s.places(q.Question)
		if len(got) > 0 && len(want) > 0 && got[0] == want[0] {
			first++
		}
		if slices.Equal(got, want) {
			whole++
		}
	}
	n := len(demo.Quality())
	s.t.Logf("of %d further questions %d have the same first place, %d all five and the same answer", n, first, whole)
	if first < n-1 || whole < n*3/4 {
		s.t.Errorf("of %d questions only %d have the same first place, %d all", n, first, whole)
	}
}

// places is where find leads to, best first, and what ask cites.
func (s *system) places(question string) (out []string) {
	var found api.FindReply
	var asked api.AskReply
	if s.ask(api.Find, api.FindRequest{Question: question, K: 5}, &found) != nil || s.ask(api.Ask, api.AskRequest{Question: question}, &asked) != nil {
		return nil
	}
	for _, x := range found.Sections {
		out = append(out, "find "+x.Pointer)
	}
	out = append(out, fmt.Sprintf("ask found %v: %s", asked.Found, asked.Answer))
	for _, c := range append(asked.Citations, asked.Nearest...) {
		out = append(out, "ask "+c.Pointer)
	}
	return out
}
