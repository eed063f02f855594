// Package ollama embeds by Ollama servers.
//
// Texts are normalised, then spelt so that the server's tokenizer reads them as the model's own would (see
// legible), sent in batches by tokens with truncation off, and counted here with the model's own vocabulary where it
// is BERT's. Package remote does the rest: batches, window, deadlines, several servers, self-test.
//
// A few marks (§, ¿, full stops and brackets of CJK) cannot be spelt for the server at all. Texts with them are embedded
// by the built-in model if the server's model is the same, all-MiniLM-L6-v2; for other models the nearest ASCII sign stands for
// the mark.
package ollama

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/pkg/embedding/minilm"
	"github.com/fingerpost/fingerpost/pkg/embedding/remote"
)

// Config names the servers and the model.
type Config struct {
	URLs      []string      // "http://host:11434"; several hold the same model
	Model     string        // "all-minilm"
	Threads   int           // of the server for one call; 0: it decides. More than the free cores make it many times slower
	KeepAlive time.Duration // how long the server keeps the model in memory; 0: half an hour
	Limit     int           // tokens of a text at most; 0: the model's, or remote.MaxLimit
	Calls     int           // at once at most; 0: eight a server
	Patience  time.Duration // for one call; 0: ten minutes
	HTTP      *http.Client  // nil: http.DefaultTransport without a timeout of its own
	Log       *slog.Logger
}

// Open finds the model, tests it and gives its embedder; an outage when no server has it.
func Open(ctx context.Context, c Config) (*remote.Embedder, error) {
	var servers []remote.Server
	for _, u := range c.URLs {
		s, err := newServer(u, c)
		if err != nil {
			return nil, err
		}
		servers = append(servers, s)
	}
	own := minilm.New()
	readings := []remote.Reading{{Prepare: legible, Count: func(t string) int { return own.Count(legible(embedding.Normalise(t))) },
		Knows: own.Knows, Here: own, Garbled: garbles}}
	if name, _, _ := strings.Cut(c.Model, ":"); strings.HasSuffix(name, "all-minilm") {
		readings[0].Limit = own.Limit()
	}
	return remote.Open(ctx, remote.Config{Servers: servers, Readings: readings, Limit: c.Limit, Calls: c.Calls, Patience: c.Patience, Log: c.Log})
}

// server is one Ollama server.
type server struct {
	name    string
	model   string
	threads int
	keep    time.Duration
	client  *api.Client
	context atomic.Int64 // tokens of the model's window, once described
}

func newServer(address string, c Config) (*server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("ollama: address %q is not like http://host:11434", address)
	}
	if c.Model == "" {
		return nil, errors.New("ollama: no model is named")
	}
	plain := cmp.Or(c.HTTP, &http.Client{})
	bounded := *plain
	bounded.Transport = remote.Bounded(plain.Transport)
	return &server{name: u.Redacted(), model: c.Model, threads: c.Threads, keep: cmp.Or(c.KeepAlive, 30*time.Minute), client: api.NewClient(u, &bounded)}, nil
}

// Name is the server's address.
func (s *server) Name() string { return s.name }

// Embed sends texts with truncation off and the model's whole window.
func (s *server) Embed(ctx context.Context, texts []string) (remote.Reply, error) {
	no := false
	options := map[string]any{}
	if n := s.context.Load(); n > 0 {
		options["num_ctx"] = n // without it some servers read only the beginning of a text
	}
	if s.threads > 0 {
		options["num_thread"] = s.threads
	}
	r, err := s.client.Embed(ctx, &api.EmbedRequest{Model: s.model, Input: texts, Truncate: &no,
		KeepAlive: &api.Duration{Duration: s.keep}, Options: options})
	if err != nil {
		return remote.Reply{}, s.classify(err)
	}
	return remote.Reply{Vectors: r.Embeddings, Tokens: r.PromptEvalCount}, nil
}
