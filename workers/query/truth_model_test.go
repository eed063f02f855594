//go:build truth

package query_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/llm"
	"github.com/fingerpost/fingerpost/pkg/llm/ollama"
	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/workers/demo"
)

var digits = regexp.MustCompile(`\d[\d,.]*\d|\d`)

// A small real model over thirty questions: whatever it writes, each number of a shown statement stands in a quote that is
// cited there, letter by letter, or among the computed. This is judged here without package proof, and more strictly.
func TestTruthOfARealModel(t *testing.T) {
	s := testenv.Ollama(t)
	m, err := ollama.New(ollama.Config{URL: s.URL, Model: "smollm2:135m", Window: 4096, Threads: 1}) // two threads are slower where other work runs beside
	if err != nil {
		t.Fatal(err)
	}
	h := demoLibrary(t)
	h.Query.Limits.Deadline = 5 * time.Minute
	h.Query.LLM = llm.Bound(m, llm.Limits{})
	shown, dropped, byCode, spent := 0, 0, 0, 0.0
	for _, q := range demo.Quality()[:30] {
		rep := answerOf(t, h, q.Question)
		spent += rep.Spent.Seconds
		t.Logf("%.1f s, %d tokens, %s, %d statements: %s %s", rep.Spent.Seconds, rep.Spent.Tokens, rep.Form, len(rep.Statements), q.Question, rep.Note)
		if rep.Form != api.FormWritten {
			byCode++
		}
		for _, st := range rep.Statements {
			if !st.Proven {
				dropped++
				continue
			}
			shown++
			for _, n := range digits.FindAllString(regexp.MustCompile(`\[\d+\]`).ReplaceAllString(st.Text, ""), -1) {
				if !quoted(rep, st, n) {
					t.Errorf("%s: %q: %s stands in no quote", q.Question, st.Text, n)
				}
			}
		}
	}
	t.Logf("30 questions: %d statements shown as proven, %d dropped, %d answers built by code", shown, dropped, byCode)
}

func quoted(rep api.AskReply, st api.Statement, number string) bool {
	for _, n := range st.Citations {
		c := rep.Citations[n-1]
		if strings.Contains(c.Quote+" "+c.Shown+" "+strings.Join(c.Breadcrumb, " ")+" "+c.Key, number) {
			return true
		}
	}
	return false
}
