package ollama_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/llm"
	"github.com/fingerpost/fingerpost/pkg/llm/llmtest"
	"github.com/fingerpost/fingerpost/pkg/llm/ollama"
	"github.com/fingerpost/fingerpost/pkg/llm/openai"
	"github.com/fingerpost/fingerpost/pkg/testenv"
)

const model = "smollm2:135m"

func open(t testing.TB, url, name string) *ollama.Model {
	t.Helper()
	m, err := ollama.New(ollama.Config{URL: url, Model: name, Window: 1024, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// One server for the suites and what only a real one shows: it takes seconds to load a model.
func TestReal(t *testing.T) {
	s := testenv.Ollama(t)
	t.Run("suite", func(t *testing.T) {
		llmtest.Run(t, func(t testing.TB) llm.Model { return open(t, s.URL, model) })
	})
	t.Run("by the OpenAI protocol", func(t *testing.T) { byOpenAI(t, s) })
	t.Run("long by tokens, not by words", func(t *testing.T) {
		_, err := llm.Generate(t.Context(), open(t, s.URL, model), "", strings.Repeat("9017352846 ", 400))
		if verdict, _ := fault.Of(err); verdict != fault.Fail || !errors.Is(err, llm.ErrLong) {
			t.Errorf("verdict %v, error %v", verdict, err)
		}
	})
	t.Run("model missing", func(t *testing.T) {
		_, err := llm.Generate(t.Context(), open(t, s.URL, "nobody:7b"), "", "q")
		outage(t, err, llm.ErrModel, "ollama pull nobody:7b")
	})
	t.Run("a model that only embeds", func(t *testing.T) {
		_, err := llm.Generate(t.Context(), open(t, s.URL, "all-minilm"), "", "q")
		outage(t, err, llm.ErrModel, "all-minilm")
	})
	t.Run("killed while it speaks, then back", func(t *testing.T) { killed(t, s) })
}

func killed(t *testing.T, s *testenv.OllamaServer) {
	m := llm.Bound(open(t, s.URL, model), llm.Limits{})
	r := llm.Request{Messages: []llm.Message{{Role: llm.User, Text: strings.Repeat("Count from one to one thousand. ", 4)}}, MaxTokens: 800}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var once bool
	_, err := m.Chat(ctx, r, func(string) error {
		if !once {
			once = true
			s.Stop()
		}
		return nil
	})
	outage(t, err, llm.ErrAway, "")
	_, err = llm.Generate(ctx, m, "", "q")
	outage(t, err, llm.ErrAway, s.URL[len("http://"):])
	s.Start(t)
	r.MaxTokens = 4
	if a, err := m.Chat(ctx, r, nil); err != nil || a.Text == "" {
		t.Errorf("after its return: answer %+v, error %v", a, err)
	}
}

func outage(t *testing.T, err, want error, words string) {
	t.Helper()
	verdict, _ := fault.Of(err)
	if verdict != fault.Outage || !errors.Is(err, want) || !strings.Contains(err.Error(), words) {
		t.Errorf("verdict %v, error %v; want %v with %q", verdict, err, want, words)
	}
}

// byOpenAI holds a real stream of the other protocol to what the made-up server of its package does.
func byOpenAI(t *testing.T, s *testenv.OllamaServer) {
	m, err := openai.New(openai.Config{URL: s.URL + "/v1", Model: model})
	if err != nil {
		t.Fatal(err)
	}
	if c, err := m.Describe(t.Context()); err != nil || c.Model != model {
		t.Errorf("card %+v, error %v", c, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	r := llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "Is snow white? Answer in JSON."}}, MaxTokens: 60,
		Schema: []byte(`{"type": "object", "properties": {"white": {"type": "boolean"}}, "required": ["white"]}`)}
	a, err := llm.Bound(m, llm.Limits{}).Chat(ctx, r, nil)
	if err != nil || a.Prompt == 0 || a.Output == 0 || a.End != llm.Done {
		t.Errorf("answer %+v, error %v", a, err)
	}
	gone, err := openai.New(openai.Config{URL: s.URL + "/v1", Model: "nobody"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = gone.Describe(ctx)
	outage(t, err, llm.ErrModel, "nobody")
	_, err = llm.Generate(ctx, gone, "", "q")
	outage(t, err, llm.ErrModel, "nobody")
}
