// Package openai asks chat models of servers that speak the OpenAI chat protocol: vLLM, LM Studio, llama.cpp, LocalAI,
// Ollama, OpenAI itself.
//
// It is one streamed request, made with net/http as package embedding/openai makes its own. What a server does not tell
// (tokens, digest, window) stays unknown; a stream that ends without its end mark is an error, for half an answer looks
// like a whole one.
package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/fingerpost/fingerpost/pkg/embedding/remote"
	"github.com/fingerpost/fingerpost/pkg/llm"
)

// Config names the server and the model.
type Config struct {
	URL    string // "http://host:8000/v1", to which /chat/completions is joined
	Model  string
	APIKey string       // "" sends none
	Window int          // tokens of request and answer together; 0: what the server tells
	HTTP   *http.Client // nil: http.DefaultTransport without a timeout of its own
}

// Model is a model on a server.
type Model struct {
	base *url.URL
	conf Config
	http *http.Client
}

// New names a model on a server; nothing is asked yet.
func New(c Config) (*Model, error) {
	if c.Model == "" {
		return nil, errors.New("openai: no chat model is named")
	}
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("openai: address %q is not like http://host:8000/v1", c.URL)
	}
	plain := cmp.Or(c.HTTP, &http.Client{})
	bounded := *plain
	bounded.Transport = remote.Bounded(plain.Transport)
	return &Model{base: u, conf: c, http: &bounded}, nil
}

// Describe asks for the list of models, which a gateway may not have: then only an answer shows whether the model is there.
func (m *Model) Describe(ctx context.Context) (llm.Card, error) {
	card := llm.Card{Model: m.conf.Model, Window: m.conf.Window}
	resp, err := m.send(ctx, http.MethodGet, m.base.JoinPath("models"), nil)
	if err != nil {
		return card, llm.Judge(err)
	}
	defer resp.Body.Close()
	if s := resp.StatusCode; s == http.StatusNotFound || s == http.StatusMethodNotAllowed || s == http.StatusNotImplemented {
		return card, nil
	}
	if resp.StatusCode != http.StatusOK {
		return card, llm.Judge(m.refused(resp))
	}
	var list struct {
		Data []struct {
			ID     string
			MaxLen int `json:"max_model_len"` // vLLM
			Meta   struct {
				Window int `json:"n_ctx"` // llama.cpp
			}
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&list); err != nil {
		return card, llm.Judge(fmt.Errorf("%w: list of models that is not the protocol's: %w", llm.ErrAway, err))
	}
	for _, d := range list.Data {
		if d.ID == m.conf.Model {
			card.Window = cmp.Or(card.Window, d.MaxLen, d.Meta.Window)
			return card, nil
		}
	}
	return card, llm.Judge(fmt.Errorf("%w: %s is not in its list of %d", llm.ErrModel, m.conf.Model, len(list.Data)))
}

// Chat answers r by a streamed completion.
func (m *Model) Chat(ctx context.Context, r llm.Request, piece func(string) error) (llm.Answer, error) {
	h := hearing{llm.Hear(piece)}
	r, err := r.Complete()
	if err == nil {
		err = r.Fits(m.conf.Window)
	}
	if err != nil {
		return llm.Answer{}, llm.Judge(err)
	}
	body, err := json.Marshal(m.request(r))
	if err != nil {
		return llm.Answer{}, err
	}
	resp, err := m.send(ctx, http.MethodPost, m.base.JoinPath("chat", "completions"), body)
	if err != nil {
		return llm.Answer{}, llm.Judge(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return llm.Answer{}, llm.Judge(m.refused(resp))
	}
	err = h.all(resp)
	if ctx.Err() != nil && h.Own == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = r.Whole(h.Answer.Prompt, m.conf.Window)
	}
	return h.End(), llm.Judge(err)
}

// send makes a request; an error is ErrAway or the context's.
func (m *Model) send(ctx context.Context, method string, u *url.URL, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if m.conf.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+m.conf.APIKey)
	}
	resp, err := m.http.Do(req)
	if ctx.Err() != nil {
		if err == nil {
			resp.Body.Close()
		}
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", llm.ErrAway, err)
	}
	return resp, nil
}
