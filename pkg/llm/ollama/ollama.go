// Package ollama asks chat models of an Ollama server.
//
// Left to itself, Ollama gives a model a small window and cuts what does not fit without a word, at its beginning, where
// the instructions stand. So the window is set with every request, cutting and shifting are forbidden, and the tokens that
// the server has read are held against the words that it was sent: older servers ignore the prohibition.
package ollama

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/fingerpost/fingerpost/pkg/embedding/remote"
	"github.com/fingerpost/fingerpost/pkg/llm"
)

// Config names the server and the model.
type Config struct {
	URL       string        // "http://host:11434"
	Model     string        // "llama3.2:3b"
	Window    int           // tokens of request and answer together; 0: 8,192, or the model's own if that is less
	Threads   int           // of the server; 0: it decides. More than the free cores make it many times slower
	KeepAlive time.Duration // how long the server keeps the model in memory; 0: half an hour
	HTTP      *http.Client  // nil: http.DefaultTransport without a timeout of its own
}

// window is what is asked of a model that could do more: its memory grows with it.
const window = 8192

// Model is a model on a server.
type Model struct {
	conf   Config
	client *api.Client
	known  atomic.Pointer[llm.Card]
}

// New names a model on a server; nothing is asked yet.
func New(c Config) (*Model, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("ollama: address %q is not like http://host:11434", c.URL)
	}
	if c.Model == "" {
		return nil, errors.New("ollama: no chat model is named")
	}
	plain := cmp.Or(c.HTTP, &http.Client{})
	bounded := *plain
	bounded.Transport = remote.Bounded(plain.Transport)
	return &Model{conf: c, client: api.NewClient(u, &bounded)}, nil
}

// Chat answers r by the server's chat.
func (m *Model) Chat(ctx context.Context, r llm.Request, piece func(string) error) (llm.Answer, error) {
	h := llm.Hear(piece)
	r, err := r.Complete()
	if err != nil {
		return llm.Answer{}, err
	}
	card, err := m.card(ctx)
	if err == nil {
		err = r.Fits(card.Window)
	}
	if err != nil {
		return llm.Answer{}, llm.Judge(err)
	}
	err = m.client.Chat(ctx, m.request(r, card), func(a api.ChatResponse) error { return heard(h, a) })
	if ctx.Err() != nil && h.Own == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = h.Whole()
	}
	if err != nil && h.Own == nil {
		err = m.classify(err)
	}
	if err == nil {
		err = r.Whole(h.Answer.Prompt, card.Window)
	}
	return h.End(), llm.Judge(err)
}

// request is r in the server's words.
func (m *Model) request(r llm.Request, card llm.Card) *api.ChatRequest {
	no := false
	options := map[string]any{"num_ctx": card.Window, "temperature": r.Temperature, "seed": r.Seed, "num_predict": r.MaxTokens}
	if m.conf.Threads > 0 {
		options["num_thread"] = m.conf.Threads
	}
	q := &api.ChatRequest{Model: m.conf.Model, Format: r.Schema, Options: options, Truncate: &no, Shift: &no,
		KeepAlive: &api.Duration{Duration: cmp.Or(m.conf.KeepAlive, 30*time.Minute)}}
	if r.System != "" {
		q.Messages = append(q.Messages, api.Message{Role: "system", Content: r.System})
	}
	for _, t := range r.Messages {
		q.Messages = append(q.Messages, api.Message{Role: string(t.Role), Content: t.Text})
	}
	return q
}

// heard takes one event.
func heard(h *llm.Hearing, a api.ChatResponse) error {
	h.Answer.Model = a.Model
	if a.Done {
		h.Done = true
		h.Answer.Prompt, h.Answer.Output = a.PromptEvalCount, a.EvalCount
		h.Answer.End = llm.Done
		if a.DoneReason == "length" {
			h.Answer.End = llm.Length
		}
	}
	return h.Piece(a.Message.Content)
}
