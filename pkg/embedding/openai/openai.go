// Package openai embeds by servers that speak the OpenAI embeddings protocol: vLLM, TEI, LM Studio, llama.cpp,
// LocalAI, OpenAI itself.
//
// It is one request of three fields, so it is made with net/http: the official client would bring its own retries, which
// live in pkg/retry here, and decodes a null in a vector (which is how some servers write NaN) as 0.
//
// The protocol tells neither digest nor limit of a model. The digest is made of the model's name, its Revision if one
// is configured, and the hash of the weights where the server tells it (TEI); a server that swaps its model under the
// same name is found by its vectors while the program runs, not between two runs.
package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/fingerpost/fingerpost/pkg/embedding/minilm"
	"github.com/fingerpost/fingerpost/pkg/embedding/remote"
)

// Config names the servers and the model.
type Config struct {
	URLs       []string // "http://host:8000/v1", to which /embeddings is joined; several hold the same model
	Model      string
	Revision   string        // what tells this model from an earlier one of its name; any text
	APIKey     string        // "" sends none
	Dimensions int           // asks for shorter vectors of models that can; 0: the model's own
	Limit      int           // tokens of a text at most; 0: what the server tells, or 512
	Texts      int           // of one call at most; 0: 32, which every server takes
	Calls      int           // at once at most; 0: eight a server
	Patience   time.Duration // for one call; 0: ten minutes
	HTTP       *http.Client  // nil: http.DefaultTransport without a timeout of its own
	Log        *slog.Logger
}

// unknownLimit is the limit of a model that no one tells: the window of the small models.
const unknownLimit = 512

// Open finds the model, tests it and gives its embedder; an outage when no server answers.
func Open(ctx context.Context, c Config) (*remote.Embedder, error) {
	if c.Model == "" {
		return nil, errors.New("openai: no model is named")
	}
	var servers []remote.Server
	for _, address := range c.URLs {
		u, err := url.Parse(address)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, fmt.Errorf("openai: address %q is not like http://host:8000/v1", address)
		}
		plain := cmp.Or(c.HTTP, &http.Client{})
		bounded := *plain
		bounded.Transport = remote.Bounded(plain.Transport)
		servers = append(servers, &server{base: u, conf: c, http: &bounded})
	}
	own := minilm.New()
	readings := []remote.Reading{{Count: own.Count, Knows: own.Knows}}
	return remote.Open(ctx, remote.Config{Servers: servers, Readings: readings, Limit: c.Limit, Texts: cmp.Or(c.Texts, 32),
		Calls: c.Calls, Patience: c.Patience, Log: c.Log})
}

// server is one server.
type server struct {
	base *url.URL
	conf Config
	http *http.Client
}

// Name is the server's address.
func (s *server) Name() string { return s.base.Redacted() }

// request and reply are the protocol's, as far as they are used.
type request struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Format     string   `json:"encoding_format"`
	Dimensions int      `json:"dimensions,omitempty"`
}

type reply struct {
	Data []struct {
		Index     *int
		Embedding json.RawMessage
	}
	Usage struct {
		Prompt int `json:"prompt_tokens"`
	}
}

// Embed asks for the vectors of texts.
func (s *server) Embed(ctx context.Context, texts []string) (remote.Reply, error) {
	body, err := json.Marshal(request{Model: s.conf.Model, Input: texts, Format: "float", Dimensions: s.conf.Dimensions})
	if err != nil {
		return remote.Reply{}, err
	}
	var r reply
	if err := s.do(ctx, http.MethodPost, s.base.JoinPath("embeddings"), body, &r); err != nil {
		return remote.Reply{}, err
	}
	v, err := vectors(r, len(texts))
	return remote.Reply{Vectors: v, Tokens: r.Usage.Prompt}, err
}

// do sends a request and decodes the answer.
func (s *server) do(ctx context.Context, method string, u *url.URL, body []byte, to any) error {
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if s.conf.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+s.conf.APIKey)
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return away(err)
	}
	defer resp.Body.Close()
	var raw bytes.Buffer
	if _, err := raw.ReadFrom(resp.Body); err != nil {
		return away(err)
	}
	if resp.StatusCode != http.StatusOK {
		return classify(resp.StatusCode, raw.String())
	}
	if err := json.Unmarshal(raw.Bytes(), to); err != nil {
		return fmt.Errorf("answer that is not the protocol's: %w", err)
	}
	return nil
}

// Describe asks the list of models for the limit and, where there is one, TEI's description for the weights. Neither must
// exist: a gateway may offer embeddings only.
func (s *server) Describe(ctx context.Context) (remote.Model, error) {
	m := remote.Model{Name: s.conf.Model, Limit: s.conf.Limit}
	var list struct {
		Data []struct {
			ID     string
			MaxLen int `json:"max_model_len"` // vLLM
			Meta   struct {
				Window int `json:"n_ctx_train"` // llama.cpp
			}
		}
	}
	if err := s.optional(ctx, s.base.JoinPath("models"), &list); err != nil {
		return m, err
	}
	for _, d := range list.Data {
		if told := max(d.MaxLen, d.Meta.Window); d.ID == s.conf.Model && m.Limit == 0 {
			m.Limit = told
		}
	}
	var info struct {
		SHA    string `json:"model_sha"`
		MaxLen int    `json:"max_input_length"`
	}
	root := *s.base
	root.Path = strings.TrimSuffix(strings.TrimSuffix(root.Path, "/"), "/v1")
	if err := s.optional(ctx, root.JoinPath("info"), &info); err != nil {
		return m, err
	}
	m.Limit = cmp.Or(m.Limit, info.MaxLen, unknownLimit)
	m.Digest = s.digest(info.SHA)
	return m, nil
}

// optional reads what a server may not offer: only that it cannot be reached is an error.
func (s *server) optional(ctx context.Context, u *url.URL, to any) error {
	err := s.do(ctx, http.MethodGet, u, nil, to)
	if errors.Is(err, remote.ErrAway) || errors.Is(err, remote.ErrBusy) || ctx.Err() != nil {
		return err
	}
	return nil
}
