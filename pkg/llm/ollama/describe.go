package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"

	"github.com/fingerpost/fingerpost/pkg/llm"
)

// Describe asks the server for the model.
func (m *Model) Describe(ctx context.Context) (llm.Card, error) {
	show, err := m.client.Show(ctx, &api.ShowRequest{Model: m.conf.Model})
	if ctx.Err() != nil {
		return llm.Card{}, ctx.Err()
	}
	if err != nil {
		return llm.Card{}, llm.Judge(m.classify(err))
	}
	if c := show.Capabilities; len(c) > 0 && !slices.Contains(c, model.CapabilityCompletion) {
		return llm.Card{}, llm.Judge(fmt.Errorf("%w for answers: %s can do %v only", llm.ErrModel, m.conf.Model, c))
	}
	card := llm.Card{Model: m.conf.Model, Digest: m.digest(ctx), Window: window}
	if m.conf.Window > 0 {
		card.Window = m.conf.Window
	}
	if own := length(show); own > 0 && own < card.Window {
		card.Window = own
	}
	m.known.Store(&card)
	return card, nil
}

// card is what is known of the model, asked for once.
func (m *Model) card(ctx context.Context) (llm.Card, error) {
	if c := m.known.Load(); c != nil {
		return *c, nil
	}
	return m.Describe(ctx)
}

// digest is of everything under the model's name; "" when the server does not tell.
func (m *Model) digest(ctx context.Context) string {
	all, err := m.client.List(ctx)
	if err != nil {
		return ""
	}
	for _, one := range all.Models {
		if one.Name == m.conf.Model || one.Name == m.conf.Model+":latest" {
			return strings.TrimPrefix(one.Digest, "sha256:")
		}
	}
	return ""
}

// length is the tokens that the model's weights take; 0 when the server does not tell.
func length(show *api.ShowResponse) int {
	for key, v := range show.ModelInfo {
		if n, ok := v.(float64); ok && strings.HasSuffix(key, ".context_length") {
			return int(n)
		}
	}
	return 0
}

// classify tells what an error of the client means.
func (m *Model) classify(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, llm.ErrAway) {
		return err
	}
	if auth, ok := errors.AsType[api.AuthorizationError](err); ok {
		return fmt.Errorf("%w: it refuses us (%s)", llm.ErrAway, auth.Status)
	}
	status, ok := errors.AsType[api.StatusError](err)
	text := status.ErrorMessage
	switch {
	case !ok && noAnswer(err):
		return fmt.Errorf("%w: answer that is not the protocol's: %.200s", llm.ErrAway, err.Error())
	case strings.Contains(strings.ToLower(err.Error()), "context length"), strings.Contains(err.Error(), "exceeds the available context"):
		return fmt.Errorf("%w: %.200s", llm.ErrLong, err.Error())
	case !ok:
		return fmt.Errorf("%w: %w", llm.ErrAway, err)
	case status.StatusCode == http.StatusNotFound:
		m.known.Store(nil)
		return fmt.Errorf("%w: %s; run `ollama pull %s` there", llm.ErrModel, text, m.conf.Model)
	case strings.Contains(text, "does not support chat"):
		return fmt.Errorf("%w for answers: %s", llm.ErrModel, text)
	case status.StatusCode == http.StatusServiceUnavailable, status.StatusCode == http.StatusTooManyRequests:
		return fmt.Errorf("%w: %s", llm.ErrBusy, text)
	case status.StatusCode >= http.StatusInternalServerError, status.StatusCode == http.StatusForbidden:
		return fmt.Errorf("%w: status %d: %.200s", llm.ErrAway, status.StatusCode, text)
	}
	return fmt.Errorf("status %d: %.200s", status.StatusCode, text)
}

// noAnswer reports an answer that came but is not what was asked for.
func noAnswer(err error) bool {
	_, syntax := errors.AsType[*json.SyntaxError](err)
	_, kind := errors.AsType[*json.UnmarshalTypeError](err)
	return syntax || kind
}
