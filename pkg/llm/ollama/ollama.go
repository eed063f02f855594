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
	"strings"
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
	start := time.Now()
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
	h := hearing{piece: piece, start: start}
	err = m.client.Chat(ctx, m.request(r, card), h.hear)
	if ctx.Err() != nil && h.own == nil {
		err = ctx.Err()
	}
	if err == nil && !h.done {
		err = fmt.Errorf("%w: its answer breaks off", llm.ErrAway)
	}
	if err != nil && h.own == nil {
		err = m.classify(err)
	}
	if err == nil {
		err = r.Whole(h.answer.Prompt, card.Window)
	}
	h.answer.Text, h.answer.Took = h.text.String(), time.Since(start)
	return h.answer, llm.Judge(err)
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

// hearing is an answer on its way.
type hearing struct {
	piece  func(string) error
	start  time.Time
	text   strings.Builder
	answer llm.Answer
	done   bool
	own    error // of piece
}

func (h *hearing) hear(a api.ChatResponse) error {
	text := a.Message.Content
	if text != "" && h.answer.First == 0 {
		h.answer.First = time.Since(h.start)
	}
	h.text.WriteString(text)
	h.answer.Model = a.Model
	if a.Done {
		h.done = true
		h.answer.Prompt, h.answer.Output = a.PromptEvalCount, a.EvalCount
		h.answer.End = llm.Done
		if a.DoneReason == "length" {
			h.answer.End = llm.Length
		}
	}
	if h.piece != nil {
		h.own = h.piece(text)
	}
	return h.own
}
