// Package rerank is the port to what looks at the first places once more, by their titles and paths: a language model, or
// a cross-encoder behind HTTP. It is optional, and it can only change an order: with any fault the places stay as they were.
package rerank

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/fingerpost/fingerpost/pkg/llm"
)

// Top is how many of the first places are looked at.
const Top = 20

// Reranker orders places for a question. Safe for concurrent use.
type Reranker interface {
	// Order gives the indices of paths, best first. Indices may be missing: those places follow in their old order. One
	// that is out of range or stands twice is passed over by Apply.
	Order(ctx context.Context, question string, paths []string) ([]int, error)
}

// Apply gives the order in which the first Top of n places are to stand, the others after them as they are; path names
// place i. With r nil, a fault, or nothing to choose, it is the order that is; the error is for the log alone.
func Apply(ctx context.Context, r Reranker, question string, n int, path func(i int) string) ([]int, error) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	if r == nil || n < 2 {
		return order, nil
	}
	paths := make([]string, min(n, Top))
	for i := range paths {
		paths[i] = llm.Clip(path(i), maxPath)
	}
	first, err := r.Order(ctx, question, paths)
	if err != nil {
		return order, fmt.Errorf("re-ranker: %w", err)
	}
	out := make([]int, 0, n)
	for _, i := range first {
		if i >= 0 && i < len(paths) && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	for _, i := range order {
		if i >= len(paths) || !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out, nil
}

// maxPath bounds what is told of one place, and maxQuestion the question, in characters.
const (
	maxPath     = 300
	maxQuestion = 1000
)

// Model lets a chat model choose by titles and paths.
type Model struct{ LLM llm.Model }

// chosenSchema is what the model answers.
var chosenSchema = json.RawMessage(`{"type":"object","properties":{"numbers":{"type":"array","items":{"type":"integer"},"maxItems":20}},"required":["numbers"],"additionalProperties":false}`)

const chooseOrder = "You are given a question and a numbered list of sections of documents by their paths of titles. " +
	"Answer with the numbers of the sections in which the answer is likeliest to stand, the likeliest first."

// Order asks the model.
func (m Model) Order(ctx context.Context, question string, paths []string) ([]int, error) {
	var text strings.Builder
	fmt.Fprintf(&text, "Question: %s\n\n", llm.Clip(question, maxQuestion))
	for i, p := range paths {
		fmt.Fprintf(&text, "%d. %s\n", i+1, p)
	}
	a, err := m.LLM.Chat(ctx, llm.Request{System: chooseOrder, Schema: chosenSchema, MaxTokens: 120,
		Messages: []llm.Message{{Role: llm.User, Text: text.String()}}}, nil)
	if err != nil {
		return nil, err
	}
	var c struct{ Numbers []int }
	if err := json.Unmarshal([]byte(a.Text), &c); err != nil {
		return nil, fmt.Errorf("answer of the model: %w", err)
	}
	for i := range c.Numbers {
		c.Numbers[i]--
	}
	return c.Numbers, nil
}

// CrossEncoder asks a server that rates texts for a query: POST {"query", "texts"}, answered by [{"index", "score"}],
// the form of text-embeddings-inference and its like.
type CrossEncoder struct {
	URL    string        // of the endpoint: http://host:8080/rerank
	Within time.Duration // of one request; 0: two seconds
	HTTP   *http.Client  // nil: http.DefaultClient
}

// maxReply bounds what is read of an answer, in bytes.
const maxReply = 1 << 20

// Order asks the server.
func (c CrossEncoder) Order(ctx context.Context, question string, paths []string) ([]int, error) {
	within, client := c.Within, c.HTTP
	if within <= 0 {
		within = 2 * time.Second
	}
	if client == nil {
		client = http.DefaultClient
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	body, err := json.Marshal(map[string]any{"query": llm.Clip(question, maxQuestion), "texts": paths})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	rep, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer rep.Body.Close()
	if rep.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server answers %s", rep.Status)
	}
	return rated(io.LimitReader(rep.Body, maxReply), len(paths))
}

// rating is that of one text.
type rating struct {
	Index int     `json:"index"`
	Score float64 `json:"score"`
}

// rated reads the ratings of n texts, best first.
func rated(r io.Reader, n int) (order []int, err error) {
	var all []rating
	if err := json.NewDecoder(r).Decode(&all); err != nil {
		return nil, fmt.Errorf("ratings: %w", err)
	}
	if len(all) == 0 && n > 0 {
		return nil, errors.New("ratings: none")
	}
	slices.SortStableFunc(all, func(a, b rating) int { return cmp.Compare(b.Score, a.Score) })
	for _, x := range all {
		order = append(order, x.Index)
	}
	return order, nil
}
