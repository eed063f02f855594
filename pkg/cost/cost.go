// Package cost counts what models take for a document or a question: calls, tokens and seconds. Whoever calls a model adds to
// the tally of the context; whoever answers for the work reads it.
package cost

import (
	"context"
	"sync"
)

// Spent is what calls of models took: their number, the tokens given to them and written by them, and seconds.
type Spent struct {
	Calls   int     `json:"calls"`
	Tokens  int     `json:"tokens"`
	Seconds float64 `json:"seconds"`
}

// Plus is both together.
func (s Spent) Plus(o Spent) Spent {
	return Spent{s.Calls + o.Calls, s.Tokens + o.Tokens, s.Seconds + o.Seconds}
}

// Minus is s without o.
func (s Spent) Minus(o Spent) Spent {
	return Spent{s.Calls - o.Calls, s.Tokens - o.Tokens, s.Seconds - o.Seconds}
}

// Tally sums. Safe for concurrent use; the zero value is ready.
type Tally struct {
	mu  sync.Mutex
	sum Spent
}

type key struct{}

// With counts in the tally what is added under ctx.
func (t *Tally) With(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, t) }

// Add adds.
func (t *Tally) Add(s Spent) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sum = t.sum.Plus(s)
}

// Spent is the sum.
func (t *Tally) Spent() Spent {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sum
}

// Take is the sum since the last Take.
func (t *Tally) Take() Spent {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.sum
	t.sum = Spent{}
	return s
}

// Add adds to the tally of ctx, if it has one.
func Add(ctx context.Context, s Spent) {
	if t, ok := ctx.Value(key{}).(*Tally); ok {
		t.Add(s)
	}
}
