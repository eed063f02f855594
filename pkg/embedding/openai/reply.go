package openai

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/pkg/embedding/remote"
)

// digest is what this model shares with itself and no other: as much of it as can be known.
func (s *server) digest(weights string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "openai\x00%s\x00%s\x00%s\x00%d", s.conf.Model, s.conf.Revision, weights, s.conf.Dimensions))
	return hex.EncodeToString(sum[:])
}

// vectors puts the vectors in the order of the texts: servers may answer in another one, and say so by the index.
func vectors(r reply, texts int) ([][]float32, error) {
	if len(r.Data) != texts {
		return nil, fmt.Errorf("%d vectors for %d texts", len(r.Data), texts)
	}
	out := make([][]float32, texts)
	for i, d := range r.Data {
		if d.Index != nil {
			i = *d.Index
		}
		if i < 0 || i >= texts || out[i] != nil {
			return nil, fmt.Errorf("vector %d of %d texts is missing or double", i, texts)
		}
		v, err := vector(d.Embedding)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

// vector decodes an array of numbers; a null among them is NaN.
func vector(raw json.RawMessage) ([]float32, error) {
	if !bytes.Contains(raw, []byte("null")) {
		v := []float32{}
		if err := json.Unmarshal(raw, &v); err != nil {
			return nil, fmt.Errorf("vector that is no array of numbers: %w", err)
		}
		return v, nil
	}
	var numbers []*float32
	if err := json.Unmarshal(raw, &numbers); err != nil {
		return nil, fmt.Errorf("vector that is no array of numbers: %w", err)
	}
	v := make([]float32, len(numbers))
	for i, n := range numbers {
		if v[i] = float32(math.NaN()); n != nil {
			v[i] = *n
		}
	}
	return v, nil
}

// away is a request that was not answered.
func away(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w: %w", remote.ErrAway, err)
}

// classify tells what a status and its words mean; what they do not tell stays open.
func classify(status int, body string) error {
	text := body[:min(len(body), 300)]
	lower := strings.ToLower(text)
	switch {
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
		return fmt.Errorf("%w: status %d: %s", remote.ErrBusy, status, text)
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return fmt.Errorf("%w: it refuses the API key (status %d)", remote.ErrAway, status)
	case status == http.StatusBadGateway, status == http.StatusGatewayTimeout:
		return fmt.Errorf("%w: status %d", remote.ErrAway, status)
	case status == http.StatusNotFound:
		return fmt.Errorf("%w: %s", remote.ErrModel, text)
	case status == http.StatusRequestEntityTooLarge && !strings.Contains(lower, "batch"), tooLong(lower):
		return fmt.Errorf("%w: %s", remote.ErrLong, text)
	case strings.Contains(lower, "nan ") || strings.Contains(lower, "not a number"):
		return fmt.Errorf("%w: %s", embedding.ErrText, text)
	}
	return fmt.Errorf("status %d: %s", status, text)
}

// tooLong knows the words by which servers refuse a long text.
func tooLong(lower string) bool {
	for _, words := range []string{"context length", "context size", "maximum context", "must have less than", "too many tokens", "too large to process", "input is too long"} {
		if strings.Contains(lower, words) {
			return true
		}
	}
	return false
}
