package embedding

import (
	"context"
	"time"

	"github.com/fingerpost/fingerpost/pkg/cost"
)

// Call is one call of a model.
type Call struct {
	Texts, Tokens int
	Took          time.Duration
	Err           error
}

// Metered tells of each call of an embedder.
type Metered struct {
	Embedder
	// Begin is called before each call and returns what is called with it when it has ended.
	Begin func(ctx context.Context) (context.Context, func(Call))
}

// Embed embeds.
func (m Metered) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	ctx, end := m.Begin(ctx)
	start := time.Now()
	vectors, err := m.Embedder.Embed(ctx, texts)
	c := Call{Texts: len(texts), Took: time.Since(start), Err: err}
	for _, t := range texts {
		c.Tokens += m.Count(t)
	}
	cost.Add(ctx, cost.Spent{Calls: 1, Tokens: c.Tokens, Seconds: c.Took.Seconds()})
	end(c)
	return vectors, err
}
