package ollama

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"

	"github.com/fingerpost/fingerpost/pkg/embedding/remote"
)

// Describe asks for the model: its digest and the tokens it takes.
func (s *server) Describe(ctx context.Context) (remote.Model, error) {
	show, err := s.client.Show(ctx, &api.ShowRequest{Model: s.model})
	if err != nil {
		return remote.Model{}, s.classify(err)
	}
	if c := show.Capabilities; len(c) > 0 && !slices.Contains(c, model.CapabilityEmbedding) {
		return remote.Model{}, fmt.Errorf("%w for embedding: %s can do %v only; name an embedding model such as all-minilm", remote.ErrModel, s.model, c)
	}
	m := remote.Model{Name: strings.TrimSuffix(s.model, ":latest"), Digest: weights(show.Modelfile), Limit: window(show)}
	if m.Digest == "" {
		m.Digest, err = s.manifest(ctx)
	}
	s.context.Store(int64(min(m.Limit, remote.MaxLimit)))
	return m, err
}

// from is the line of a model's recipe that names its weights by their hash.
var from = regexp.MustCompile(`(?m)^FROM .*sha256[-:]([0-9a-f]{64})\s*$`)

// weights is the digest of the model's weights; "" when they are not one file. A model pulled again with another
// template or licence has the same weights, and so the same vectors.
func weights(recipe string) string {
	found := from.FindAllStringSubmatch(recipe, -1)
	if len(found) != 1 || strings.Contains(recipe, "\nADAPTER ") {
		return ""
	}
	return found[0][1]
}

// manifest is the digest of everything under the model's name.
func (s *server) manifest(ctx context.Context) (string, error) {
	all, err := s.client.List(ctx)
	if err != nil {
		return "", s.classify(err)
	}
	for _, m := range all.Models {
		if m.Name == s.model || m.Name == s.model+":latest" {
			return strings.TrimPrefix(m.Digest, "sha256:"), nil
		}
	}
	return "", fmt.Errorf("%w: %s is not in the server's list", remote.ErrModel, s.model)
}

// numCtx is the line of a model's parameters that sets its window.
var numCtx = regexp.MustCompile(`(?m)^num_ctx\s+(\d+)`)

// window is how many tokens the model takes: what its weights say, or less when its parameters do; 0 when
// neither tells.
func window(show *api.ShowResponse) int {
	limit := 0
	for key, v := range show.ModelInfo {
		if n, ok := v.(float64); ok && strings.HasSuffix(key, ".context_length") {
			limit = int(n)
		}
	}
	if m := numCtx.FindStringSubmatch(show.Parameters); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil && n > 0 && (limit == 0 || n < limit) {
			limit = n
		}
	}
	return limit
}
