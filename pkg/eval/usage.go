package eval

import (
	"context"
	"sync"
	"time"
)

// Usage is what language models cost: calls, tokens as the server counts them, seconds.
type Usage struct {
	Calls   int     `json:"calls"`
	Prompt  int     `json:"prompt_tokens"`
	Output  int     `json:"output_tokens"`
	Seconds float64 `json:"seconds"`
}

// Add adds.
func (u *Usage) Add(o Usage) {
	u.Calls += o.Calls
	u.Prompt += o.Prompt
	u.Output += o.Output
	u.Seconds += o.Seconds
}

// meter is the Usage of one question.
type meter struct {
	mu  sync.Mutex
	sum Usage
}

type meterKey struct{}

// metered is a context in which Spend counts.
func metered(ctx context.Context) (context.Context, *meter) {
	m := &meter{}
	return context.WithValue(ctx, meterKey{}, m), m
}

// Spend notes one call of a model in the question that ctx belongs to; finders call it. Without a run it does nothing.
func Spend(ctx context.Context, prompt, output int, took time.Duration) {
	if m, ok := ctx.Value(meterKey{}).(*meter); ok {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.sum.Add(Usage{1, prompt, output, took.Seconds()})
	}
}
