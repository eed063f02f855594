package embedding

import (
	"context"
	"time"
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
	spent(ctx, c)
	end(c)
	return vectors, err
}

// Spent is what calls of models took: their number, the tokens given to them, and seconds.
type Spent struct {
	Calls   int     `json:"calls"`
	Tokens  int     `json:"tokens"`
	Seconds float64 `json:"seconds"`
}

// Add adds.
func (s *Spent) Add(o Spent) {
	s.Calls, s.Tokens, s.Seconds = s.Calls+o.Calls, s.Tokens+o.Tokens, s.Seconds+o.Seconds
}

type spentKey struct{}

// WithSpent counts in s what metered calls under ctx take. Calls side by side must not share it.
func WithSpent(ctx context.Context, s *Spent) context.Context {
	return context.WithValue(ctx, spentKey{}, s)
}

func spent(ctx context.Context, c Call) {
	if s, ok := ctx.Value(spentKey{}).(*Spent); ok {
		s.Add(Spent{1, c.Tokens, c.Took.Seconds()})
	}
}
