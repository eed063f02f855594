//go:build truth

package query_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/cost"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/llm"
	"github.com/fingerpost/fingerpost/pkg/llm/ollama"
	"github.com/fingerpost/fingerpost/pkg/llm/scripted"
	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/workers/demo"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// truth is what became of one question: counts only.
type truth struct {
	Question   int    `json:"question"`
	Form       string `json:"form"`
	Shown      int    `json:"shown"`      // statements shown as proven
	Numbers    int    `json:"numbers"`    // in them
	Unverified int    `json:"unverified"` // of those, that stand in no cited line
	Dropped    int    `json:"dropped"`
	ByCode     int    `json:"by_code"` // answered by code after all
	Refused    int    `json:"refused"`
	// What is said once more by a scripted model that cites every section behind every sentence: a small model forgets to cite,
	// and what cites nothing is never shown.
	CitedShown      int     `json:"cited_shown"`
	CitedUnverified int     `json:"cited_unverified"`
	CitedDropped    int     `json:"cited_dropped"`
	Failed          int     `json:"failed"` // calls that ended with an error: slow, endless, too long
	Prompt          int     `json:"prompt"` // tokens
	Output          int     `json:"output"`
	Seconds         float64 `json:"seconds"`
}

// A small real model over thirty questions: whatever it writes, each number of a shown statement stands in the lines of
// the stored Source that it cites, but for scale and rounding, or is among the computed. This is judged by code that
// knows nothing of package proof. The results are counts, one line a question, in testdata/smollm.jsonl, as they come.
func TestTruthOfARealModel(t *testing.T) {
	s := testenv.Ollama(t)
	m, err := ollama.New(ollama.Config{URL: s.URL, Model: "smollm2:135m", Window: 1024, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	h := demoLibrary(t)
	h.Query.Limits.Deadline = 5 * time.Minute
	c := &counting{Model: llm.Bound(m, llm.Limits{})}
	h.Query.LLM = c
	out, err := os.Create(filepath.Join("testdata", "smollm.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	for i, q := range demo.Quality()[:30] {
		*c = counting{Model: c.Model}
		start := time.Now()
		rep := answerOf(t, h, q.Question)
		r := truth{Question: i + 1, Form: string(rep.Form), Failed: c.failed, Prompt: c.prompt, Output: c.output, Seconds: math.Round(10*time.Since(start).Seconds()) / 10}
		weigh(t, h, rep, &r)
		again := truth{}
		h.Query.LLM = scripted.Saying(citing(c.said))
		weigh(t, h, answerOf(t, h, q.Question), &again)
		h.Query.LLM = c
		r.CitedShown, r.CitedUnverified, r.CitedDropped = again.Shown, again.Unverified, again.Dropped
		b, _ := json.Marshal(r)
		fmt.Fprintf(out, "%s\n", b)
		fmt.Fprintf(os.Stderr, "%s %q %s\n", b, c.said, rep.Note)
	}
}

// citing cites the first three sections behind each sentence and line.
func citing(said string) string {
	return regexp.MustCompile(`([.!?])(\s|$)|(\n)`).ReplaceAllString(said+"\n", " [1][2][3]$1$2$3")
}

// weigh counts the statements, and judges the numbers of those that are shown.
func weigh(t *testing.T, h *workertest.House, rep api.AskReply, r *truth) {
	if rep.Form != api.FormWritten {
		r.ByCode = 1
	}
	if !rep.Found {
		r.Refused = 1
	}
	for _, st := range rep.Statements {
		if !st.Proven {
			r.Dropped++
			continue
		}
		r.Shown++
		for _, n := range digits.FindAllString(regexp.MustCompile(`\[\d+\]`).ReplaceAllString(st.Text, ""), -1) {
			if r.Numbers++; !standsCited(t, h, rep, st, n) {
				r.Unverified++
				t.Errorf("%s: %q: %s stands in no cited line", rep.Question, st.Text, n)
			}
		}
	}
}

var digits = regexp.MustCompile(`\d[\d,.]*\d|\d`)

// standsCited reports whether a number stands in a line that the statement cites, in its heading or its key, as it is, in
// another scale or rounded; or is computed. A year may stand elsewhere in the document: in the head of the table.
func standsCited(t *testing.T, h *workertest.House, rep api.AskReply, st api.Statement, number string) bool {
	texts := []string{}
	for _, n := range st.Citations {
		c := rep.Citations[n-1]
		lines, whole := stored(t, h, c.Pointer)
		if year.MatchString(number) {
			lines = whole
		}
		texts = append(texts, lines, strings.Join(c.Breadcrumb, " "), c.Key)
	}
	for _, c := range rep.Computed {
		texts = append(texts, c.Value, c.Number)
	}
	for _, have := range digits.FindAllString(strings.Join(texts, "\n"), -1) {
		if have == number || sameAmount(number, have) {
			return true
		}
	}
	return false
}

// sameAmount reports whether a said number is another one in a scale of thousands or hundredths, rounded to the digits
// that it is said with.
func sameAmount(said, have string) bool {
	x, err1 := strconv.ParseFloat(strings.ReplaceAll(said, ",", ""), 64)
	y, err2 := strconv.ParseFloat(strings.ReplaceAll(have, ",", ""), 64)
	if err1 != nil || err2 != nil {
		return false
	}
	places := 0
	if at := strings.IndexByte(said, '.'); at >= 0 {
		places = len(said) - at - 1
	}
	for _, by := range []float64{1, 1e3, 1e6, 1e9, 1e-3, 1e-6, 1e-9, 100, .01} {
		if math.Abs(x-y*by) <= .5*math.Pow10(-places)+1e-9 && (by == 1 || x != 0) {
			return true
		}
	}
	return false
}

var year = regexp.MustCompile(`^(19|20)\d\d$`)

// stored is the lines that a pointer names, and the whole Source that they are read from.
func stored(t *testing.T, h *workertest.House, pointer string) (lines, whole string) {
	t.Helper()
	p, err := doc.ParsePointer(pointer)
	if err != nil {
		t.Fatal(err)
	}
	r := h.Record(p.Doc)
	src, err := h.Query.Artefacts.Source(t.Context(), artefact.Ref{Tenant: r.Tenant, Doc: r.DocID, Generation: r.Current})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Split(string(src), "\n")[p.Lines.Start-1:p.Lines.End], "\n"), string(src)
}

// counting keeps what calls took.
type counting struct {
	llm.Model
	failed, prompt, output int
	said                   string
}

func (c *counting) Chat(ctx context.Context, r llm.Request, piece func(string) error) (llm.Answer, error) {
	a, err := c.Model.Chat(ctx, r, piece)
	if err != nil {
		c.failed++
	}
	c.prompt, c.output, c.said = c.prompt+a.Prompt, c.output+a.Output, a.Text
	cost.Add(ctx, cost.Spent{Calls: 1, Tokens: a.Prompt + a.Output, Seconds: a.Took.Seconds()})
	return a, err
}
