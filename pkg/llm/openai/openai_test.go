package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/llm"
	"github.com/fingerpost/fingerpost/pkg/llm/llmtest"
	"github.com/fingerpost/fingerpost/pkg/llm/scripted"
)

// serve is a server of the protocol whose model is m.
func serve(t testing.TB, m llm.Model) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"object": "list", "data": [{"id": "other"}, {"id": "clerk", "max_model_len": 4096}]}`)
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		var q request
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || r.Header.Get("Authorization") != "Bearer key" {
			http.Error(w, "bad request", http.StatusBadRequest)
			return
		}
		say(r.Context(), w, m, q)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// say streams the model's answer to q.
func say(ctx context.Context, w http.ResponseWriter, m llm.Model, q request) {
	r := llm.Request{Temperature: q.Temperature, Seed: q.Seed, MaxTokens: q.MaxTokens}
	for _, one := range q.Messages {
		if one.Role == "system" {
			r.System = one.Content
			continue
		}
		r.Messages = append(r.Messages, llm.Message{Role: llm.Role(one.Role), Text: one.Content})
	}
	if q.Format != nil {
		r.Schema = q.Format.Schema.Schema
	}
	w.Header().Set("Content-Type", "text/event-stream")
	event := func(v any) error {
		b, err := json.Marshal(v)
		if err == nil {
			_, err = fmt.Fprintf(w, ": alive\n\ndata: %s\n\n", b)
		}
		w.(http.Flusher).Flush()
		return err
	}
	choice := func(text, end string) any {
		return map[string]any{"model": "clerk-1", "choices": []any{map[string]any{"delta": map[string]any{"content": text}, "finish_reason": end}}}
	}
	a, err := m.Chat(ctx, r, func(text string) error { return event(choice(text, "")) })
	if err != nil {
		_ = event(map[string]any{"error": map[string]any{"message": err.Error()}})
		return
	}
	end := map[llm.End]string{llm.Done: "stop", llm.Length: "length"}[a.End]
	_ = event(choice("", end))
	_ = event(map[string]any{"choices": []any{}, "usage": map[string]any{"prompt_tokens": a.Prompt, "completion_tokens": a.Output}})
	fmt.Fprint(w, "data: [DONE]\n\n")
}

func open(t testing.TB, url string, window int) *Model {
	t.Helper()
	m, err := New(Config{URL: url + "/v1", Model: "clerk", APIKey: "key", Window: window})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestSuite(t *testing.T) {
	s := serve(t, scripted.Echo())
	llmtest.Run(t, func(t testing.TB) llm.Model { return open(t, s.URL, 4096) })
}

func TestAnswers(t *testing.T) {
	const ok = `{"choices": [{"message": {"content": "four"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 9, "completion_tokens": 1}}`
	for _, c := range []struct {
		name, kind, body string
		status           int
		want             error
		verdict          fault.Verdict
		text             string
	}{
		{"a server that does not stream", "application/json", ok, 200, nil, fault.Retry, "four"},
		{"carriage returns", "text/event-stream", "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\r\n\r\ndata: [DONE]\r\n\r\n", 200, nil, fault.Retry, "a"},
		{"no end mark, but a reason", "text/event-stream", `data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}` + "\n", 200, nil, fault.Retry, "a"},
		{"broken off", "text/event-stream", `data: {"choices":[{"delta":{"content":"a"}}]}` + "\n\n", 200, llm.ErrAway, fault.Outage, "a"},
		{"nothing at all", "text/event-stream", "", 200, llm.ErrAway, fault.Outage, ""},
		{"no JSON", "text/event-stream", "data: {\n\n", 200, llm.ErrAway, fault.Outage, ""},
		{"a page", "text/html", "<html>welcome</html>", 200, llm.ErrAway, fault.Outage, ""},
		{"an error within", "text/event-stream", `data: {"choices":[{"delta":{"content":"a"}}]}` + "\n\n" + `data: {"error": {"message": "engine died"}}` + "\n\n", 200, llm.ErrAway, fault.Outage, "a"},
		{"too long", "application/json", `{"error": {"message": "This model's maximum context length is 4096 tokens"}}`, 400, llm.ErrLong, fault.Fail, ""},
		{"read in part", "application/json", strings.Replace(ok, "9", "1", 1), 200, llm.ErrLong, fault.Fail, "four"},
		{"wrong key", "application/json", `{}`, 401, llm.ErrAway, fault.Outage, ""},
		{"busy", "application/json", `{}`, 429, llm.ErrBusy, fault.Outage, ""},
		{"no such model", "application/json", `{"error": {"message": "The model clerk does not exist"}}`, 404, llm.ErrModel, fault.Outage, ""},
		{"a proxy", "text/html", `bad gateway`, 502, llm.ErrAway, fault.Outage, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", c.kind)
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.body)
			}))
			defer s.Close()
			a, err := llm.Generate(t.Context(), llm.Bound(open(t, s.URL, 0), llm.Limits{}), "", "what is two and two")
			if verdict, _ := fault.Of(err); !errors.Is(err, c.want) || verdict != c.verdict || a.Text != c.text {
				t.Errorf("verdict %v, error %v, answer %q", verdict, err, a.Text)
			}
		})
	}
}

func TestServerAway(t *testing.T) {
	s := serve(t, scripted.Echo())
	m := open(t, s.URL, 0)
	s.Close()
	_, err := m.Describe(t.Context())
	_, chat := llm.Generate(t.Context(), m, "", "q")
	for _, err := range []error{err, chat} {
		if verdict, _ := fault.Of(err); verdict != fault.Outage || !errors.Is(err, llm.ErrAway) {
			t.Errorf("verdict %v, error %v", verdict, err)
		}
	}
}

func TestDescribe(t *testing.T) {
	s := serve(t, scripted.Echo())
	if c, err := open(t, s.URL, 0).Describe(t.Context()); err != nil || c.Window != 4096 {
		t.Errorf("card %+v, error %v", c, err)
	}
	m, err := New(Config{URL: s.URL + "/v1", Model: "nobody"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Describe(t.Context()); !errors.Is(err, llm.ErrModel) || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("error %v", err)
	}
}

func TestAddresses(t *testing.T) {
	for _, u := range []string{"", "localhost:8000", "ftp://host/v1", "http://", "://"} {
		if _, err := New(Config{URL: u, Model: "clerk"}); err == nil {
			t.Errorf("address %q is taken", u)
		}
	}
}
