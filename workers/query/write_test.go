package query_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/llm"
	"github.com/fingerpost/fingerpost/pkg/llm/scripted"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// pumps is the document that the models of these tests speak of.
const pumps = `# Pump Works annual report 2031

## Results of operations

Net revenue grew because pumps sold well in Asia. The company employed about 4,310 people.

(In millions)

| | 2031 | 2030 |
|---|---|---|
| Net revenue | 2,412.5 | 1,931.0 |
| Gross profit | 1,112.1 | 810.1 |

## Legal matters

A dispute about valves was settled in May 2031 for an amount that is not disclosed.
`

// written asks with a model over one document.
func written(t *testing.T, text, question string, m *scripted.Model) api.AskReply {
	t.Helper()
	h := workertest.Open(t, workertest.Config{NoVectors: true}) // scripted vectors mean nothing, and would choose section [1]
	h.Put("pumps.md", text)
	h.Settle()
	h.Query.LLM = llm.Bound(m, llm.Limits{First: 2 * time.Second, Between: 2 * time.Second})
	rep, err := ask[api.AskReply](t, h, api.Ask, api.AskRequest{Question: question})
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func TestWrittenAnswer(t *testing.T) {
	rep := written(t, pumps, "Why did net revenue grow in 2031?", scripted.Saying(
		"Net revenue grew because pumps sold well in Asia [1]. It was 2,412.5 in 2031 [1]. The report says “pumps sold well in Asia” [1]. It was 9,999.9 in 2029 [1]. The CEO resigned in anger over unicorns [1]."))
	if !rep.Found || rep.Form != api.FormWritten || len(rep.Statements) != 5 {
		t.Fatalf("%+v", rep)
	}
	for i, want := range []bool{true, true, true, false, false} {
		if rep.Statements[i].Proven != want || want && len(rep.Statements[i].Citations) == 0 {
			t.Errorf("%+v", rep.Statements[i])
		}
	}
	if strings.Contains(rep.Answer, "9,999.9") || strings.Contains(rep.Answer, "unicorns") || !strings.Contains(rep.Answer, "2,412.5") {
		t.Errorf("answer %q", rep.Answer)
	}
	for _, c := range rep.Citations {
		if !c.Verified || c.Key != "pumps.md" || c.Quote == "" {
			t.Errorf("%+v", c)
		}
	}
	if !strings.Contains(rep.Note, "2 of 5") {
		t.Errorf("note %q", rep.Note)
	}
}

// Whatever a model does, there is an answer, and it says how it was made.
func TestAFailingModelEndsInTheAnswerOfCode(t *testing.T) {
	for name, c := range map[string]struct {
		model *scripted.Model
		note  string
	}{
		"away":        {scripted.Absent(llm.ErrAway), "away"},
		"dead":        {scripted.New(scripted.Turn{Text: "Net revenue", Dead: true}), "in time"},
		"slow":        {scripted.New(scripted.Turn{Text: "Net revenue was", Before: time.Hour}), "in time"},
		"endless":     {scripted.New(scripted.Turn{Text: "Net revenue. ", Endless: true}), "does not stop"},
		"empty":       {scripted.Saying(""), "proven"},
		"broken JSON": {scripted.Saying(`{"answer": "Net revenue was 77"`), "proven"},
		"nonsense":    {scripted.Saying("Ja, Ente! 1 2 3 [7][8]"), "proven"},
	} {
		t.Run(name, func(t *testing.T) {
			rep := written(t, pumps, "What was net revenue in 2031?", c.model)
			if !rep.Found || rep.Form == api.FormWritten || !strings.Contains(rep.Answer, "2,412.5") {
				t.Errorf("%+v", rep)
			}
			if !strings.Contains(rep.Note, "Built by code") || !strings.Contains(rep.Note, c.note) {
				t.Errorf("note %q", rep.Note)
			}
		})
	}
}

func TestAbsentIsNotGuessed(t *testing.T) {
	rep := written(t, pumps, "Which dispute was settled and what do the lawyers of pumps say about it?", scripted.Saying("NOT IN THE DOCUMENTS"))
	if rep.Found && rep.Form == api.FormWritten || len(rep.Statements) != 0 {
		t.Errorf("%+v", rep)
	}
}

func TestCodeAloneAsksNoModel(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	h.Put("pumps.md", pumps)
	h.Settle()
	m := scripted.Echo()
	h.Query.LLM = m
	rep, err := ask[api.AskReply](t, h, api.Ask, api.AskRequest{Question: "What was net revenue in 2031?", Code: true})
	if err != nil || len(m.Requests()) != 0 || rep.Spent.Calls > 1 {
		t.Errorf("%v: %d requests, %+v", err, len(m.Requests()), rep.Spent)
	}
}

// The parts are told in order: first the answer of code, then each judged sentence; when nobody listens, the model is
// cancelled.
func TestPartsAreToldAsTheyCome(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	h.Put("pumps.md", pumps)
	h.Settle()
	h.Query.LLM = scripted.Saying("Net revenue was 2,412.5 in 2031 [1]. It was 7 in 2031 [1]. Pumps sold well in Asia [1].")
	var parts []api.AskPart
	rep, err := h.Query.AskInParts(t.Context(), workertest.Tenant, api.AskRequest{Question: "What was net revenue in 2031?"}, func(p api.AskPart) error {
		if p.Reply != nil || p.Statement != nil {
			parts = append(parts, p)
		}
		return nil
	})
	if err != nil || len(parts) != 3 || parts[0].Reply == nil || !strings.Contains(parts[0].Reply.Answer, "2,412.5") ||
		!parts[1].Statement.Proven || parts[2].Statement.Proven || len(rep.Statements) != 3 {
		t.Fatalf("%v: %+v, %+v", err, parts, rep)
	}
	gone := errors.New("gone")
	m := scripted.New(scripted.Turn{Text: "Net revenue. ", Endless: true, Between: time.Millisecond})
	h.Query.LLM = m
	n := 0
	_, err = h.Query.AskInParts(t.Context(), workertest.Tenant, api.AskRequest{Question: "What was net revenue in 2031?"}, func(api.AskPart) error {
		if n++; n > 5 {
			return gone
		}
		return nil
	})
	if !errors.Is(err, gone) || m.Open() != 0 {
		t.Errorf("%v, %d calls run", err, m.Open())
	}
}

func TestACancelledQuestionCancelsTheModel(t *testing.T) {
	h := workertest.Open(t, workertest.Config{})
	h.Put("pumps.md", pumps)
	h.Settle()
	m := scripted.New(scripted.Turn{Text: "Net revenue", Dead: true})
	h.Query.LLM = m
	ctx, cancel := context.WithCancel(t.Context())
	_, err := h.Query.AskInParts(ctx, workertest.Tenant, api.AskRequest{Question: "What was net revenue in 2031?"}, func(p api.AskPart) error {
		if p.Reply == nil {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || m.Open() != 0 {
		t.Errorf("%v, %d calls run", err, m.Open())
	}
}
