package openai

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/llm"
)

// request, message, format and delta are the protocol's, as far as they are used.
type request struct {
	Model       string        `json:"model"`
	Messages    []message     `json:"messages"`
	Stream      bool          `json:"stream"`
	Options     streamOptions `json:"stream_options"`
	Temperature float64       `json:"temperature"`
	Seed        int           `json:"seed"`
	MaxTokens   int           `json:"max_tokens"`
	Format      *format       `json:"response_format,omitempty"`
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type streamOptions struct {
	Usage bool `json:"include_usage"`
}

type format struct {
	Type   string     `json:"type"`
	Schema jsonSchema `json:"json_schema"`
}

type jsonSchema struct {
	Name   string          `json:"name"`
	Strict bool            `json:"strict"`
	Schema json.RawMessage `json:"schema"`
}

type delta struct {
	Model   string
	Choices []struct {
		Delta, Message struct{ Content string }
		Finish         string `json:"finish_reason"`
	}
	Usage struct {
		Prompt int `json:"prompt_tokens"`
		Output int `json:"completion_tokens"`
	}
	Error json.RawMessage
}

// request is r in the server's words.
func (m *Model) request(r llm.Request) request {
	q := request{Model: m.conf.Model, Stream: true, Options: streamOptions{true}, Temperature: r.Temperature, Seed: r.Seed, MaxTokens: r.MaxTokens}
	if r.System != "" {
		q.Messages = append(q.Messages, message{"system", r.System})
	}
	for _, t := range r.Messages {
		q.Messages = append(q.Messages, message{string(t.Role), t.Text})
	}
	if r.Schema != nil {
		q.Format = &format{"json_schema", jsonSchema{"answer", true, r.Schema}}
	}
	return q
}

// hearing is an answer on its way.
type hearing struct{ *llm.Hearing }

// mostLine is the bytes of one event.
const mostLine = 4 << 20

// all reads the answer: a stream of events, or one object from a server that does not stream.
func (h hearing) all(resp *http.Response) error {
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "application/json" {
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			return fmt.Errorf("%w: %w", llm.ErrAway, err)
		}
		return cmp.Or(h.event(b), h.Whole())
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, mostLine)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:"))
		if !ok { // a blank line, a comment that keeps the connection, another field
			continue
		}
		if data = bytes.TrimSpace(data); string(data) == "[DONE]" {
			break
		}
		if err := h.event(data); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%w: %w", llm.ErrAway, err)
	}
	return h.Whole()
}

// event takes one event.
func (h hearing) event(raw []byte) error {
	var d delta
	if err := json.Unmarshal(raw, &d); err != nil {
		return fmt.Errorf("%w: answer that is not the protocol's: %w", llm.ErrAway, err)
	}
	if len(d.Error) > 0 && string(d.Error) != "null" {
		return classify(http.StatusInternalServerError, string(d.Error))
	}
	if d.Model != "" {
		h.Answer.Model = d.Model
	}
	h.Answer.Prompt, h.Answer.Output = max(h.Answer.Prompt, d.Usage.Prompt), max(h.Answer.Output, d.Usage.Output)
	if len(d.Choices) == 0 {
		return nil
	}
	c := d.Choices[0]
	switch c.Finish {
	case "":
	case "length":
		h.Done, h.Answer.End = true, llm.Length
	default:
		h.Done, h.Answer.End = true, llm.Done
	}
	return h.Piece(c.Delta.Content + c.Message.Content)
}

// refused is a status that is not OK.
func (m *Model) refused(resp *http.Response) error {
	b, err := io.ReadAll(io.LimitReader(resp.Body, 4096))
	if err != nil {
		return fmt.Errorf("%w: status %d", llm.ErrAway, resp.StatusCode)
	}
	return classify(resp.StatusCode, string(b))
}

// classify tells what a status and its words mean.
func classify(status int, body string) error {
	text := strings.TrimSpace(body[:min(len(body), 300)])
	lower := strings.ToLower(text)
	switch {
	case tooLong(lower):
		return fmt.Errorf("%w: %s", llm.ErrLong, text)
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
		return fmt.Errorf("%w: status %d: %s", llm.ErrBusy, status, text)
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return fmt.Errorf("%w: it refuses the API key (status %d)", llm.ErrAway, status)
	case status == http.StatusNotFound:
		return fmt.Errorf("%w: %s", llm.ErrModel, text)
	case status >= http.StatusInternalServerError:
		return fmt.Errorf("%w: status %d: %s", llm.ErrAway, status, text)
	}
	return fmt.Errorf("the model's server: status %d: %s", status, text)
}

// tooLong knows the words by which servers refuse a long request.
func tooLong(lower string) bool {
	for _, words := range []string{"context length", "context size", "context window", "maximum context", "too many tokens", "prompt is too long", "input is too long"} {
		if strings.Contains(lower, words) {
			return true
		}
	}
	return false
}
