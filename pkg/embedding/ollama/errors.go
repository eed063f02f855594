package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/ollama/ollama/api"

	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/pkg/embedding/remote"
)

// classify tells what an error of the client means. One status stands for many causes here: a 400 may be a text, or
// a runner that has crashed; what the words do not tell stays open.
func (s *server) classify(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if auth, ok := errors.AsType[api.AuthorizationError](err); ok {
		return fmt.Errorf("%w: it refuses us (%s)", remote.ErrAway, auth.Status)
	}
	status, ok := errors.AsType[api.StatusError](err)
	if !ok {
		if noAnswer(err) {
			return err
		}
		return fmt.Errorf("%w: %w", remote.ErrAway, err)
	}
	text := status.ErrorMessage
	switch {
	case status.StatusCode == http.StatusNotFound:
		return fmt.Errorf("%w: %s; run `ollama pull %s` there", remote.ErrModel, text, s.model)
	case strings.Contains(text, "does not support embeddings"):
		return fmt.Errorf("%w for embedding: %s", remote.ErrModel, text)
	case status.StatusCode == http.StatusServiceUnavailable, status.StatusCode == http.StatusTooManyRequests:
		return fmt.Errorf("%w: %s", remote.ErrBusy, text)
	case status.StatusCode == http.StatusForbidden, status.StatusCode == http.StatusBadGateway, status.StatusCode == http.StatusGatewayTimeout:
		return fmt.Errorf("%w: status %d", remote.ErrAway, status.StatusCode)
	case strings.Contains(text, "context length"):
		return fmt.Errorf("%w: %s", remote.ErrLong, text)
	case strings.Contains(text, "NaN"):
		return fmt.Errorf("%w: %s", embedding.ErrText, text)
	}
	return fmt.Errorf("status %d: %.200s", status.StatusCode, text)
}

// noAnswer reports an answer that came but is not what was asked for.
func noAnswer(err error) bool {
	_, syntax := errors.AsType[*json.SyntaxError](err)
	_, kind := errors.AsType[*json.UnmarshalTypeError](err)
	return syntax || kind
}
