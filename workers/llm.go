package workers

import (
	"context"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/llm"
	"github.com/fingerpost/fingerpost/pkg/llm/ollama"
	"github.com/fingerpost/fingerpost/pkg/llm/openai"
)

// openLLM names the model that writes answers, for the role that answers. Its server is not asked: without it answers
// are built by code, and say so.
func (s *System) openLLM(_ context.Context, own Own) error {
	if !s.has(RoleQuery) {
		return nil
	}
	m, err := own.LLM, error(nil)
	if m == nil {
		m, err = s.Config.Writer()
	}
	if m != nil && err == nil {
		s.LLM = writer{llm.Bound(m, llm.Limits{}), s.metrics}
	}
	return err
}

// Writer is the chat model of the settings, not asked yet; nil for none.
func (c Config) Writer() (llm.Model, error) {
	first, _, _ := strings.Cut(c.Servers.Ollama.URL, ",")
	switch v := c.Servers.OpenAI; c.LLM {
	case "ollama":
		return ollama.New(ollama.Config{URL: first, Model: c.Servers.Ollama.Chat, Window: c.Servers.Ollama.Window})
	case "openai":
		url, _, _ := strings.Cut(v.URL, ",")
		return openai.New(openai.Config{URL: url, Model: v.Chat, APIKey: v.APIKey, Window: v.Window})
	}
	return nil, nil
}
