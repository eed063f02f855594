package workers

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/workers/gateway"
)

// TokenFile holds the word that opens a tenant's questions over HTTP, mode 0600; it is made at the first start.
func TokenFile(data string, t doc.Tenant) string {
	return filepath.Join(data, "http", string(t)+".token")
}

// asking is the route of questions over HTTP; without tokens it opens to nobody.
func (s *System) asking() gateway.Route {
	tokens := map[string]doc.Tenant{}
	for _, t := range s.Config.Tenants() {
		token, err := token(TokenFile(s.Config.Data, t))
		if err != nil {
			s.Log.Error("no questions over HTTP", "tenant", t, "err", err)
			continue
		}
		tokens[token] = t
	}
	return gateway.Ask(tokens, func(ctx context.Context, subject string, data []byte, send func([]byte) error) ([]byte, error) {
		return s.query.Load().Parts(ctx, subject, data, send)
	})
}

// token reads the word of a file, and makes it when it is not there.
func token(path string) (string, error) {
	b, err := os.ReadFile(path)
	if word := strings.TrimSpace(string(b)); err == nil && len(word) >= 20 {
		return word, nil
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	word := rand.Text()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return "", errors.New(path + " holds no word of 20 letters, or is being made; delete it and start again")
	}
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(word + "\n")
	return word, errors.Join(err, f.Close())
}
