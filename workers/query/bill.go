package query

import (
	"context"
	"sync"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/cost"
	"github.com/fingerpost/fingerpost/pkg/doc"
)

// bills is what the questions of each tenant took of models since the start.
type bills struct {
	mu  sync.Mutex
	sum map[doc.Tenant]api.Questions
}

// bill counts what models take for a request; what is returned writes it into the reply of a question.
func (w *Worker) bill(ctx context.Context, t doc.Tenant) (context.Context, func(reply any)) {
	tally := new(cost.Tally)
	return tally.With(ctx), func(reply any) {
		q, ok := reply.(interface{ SetSpent(cost.Spent) })
		if !ok {
			return
		}
		s := tally.Spent()
		q.SetSpent(s)
		w.bills.add(t, s)
	}
}

func (b *bills) add(t doc.Tenant, s cost.Spent) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.sum == nil {
		b.sum = map[doc.Tenant]api.Questions{}
	}
	q := b.sum[t]
	b.sum[t] = api.Questions{Asked: q.Asked + 1, Spent: q.Spent.Plus(s)}
}

func (b *bills) of(t doc.Tenant) api.Questions {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sum[t]
}
