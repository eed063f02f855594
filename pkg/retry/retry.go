// Package retry says when to try again, and is the only place that does. There are two kinds: Do repeats a call
// to an outside client within seconds; Delay is how long a message waits for its next delivery, up to minutes.
// A worker never loops by itself.
//
// Both are bounded and neither spins: every wait is at least a millisecond, every Do ends.
package retry

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v4"

	"github.com/fingerpost/fingerpost/pkg/fault"
)

// Policy bounds the tries of one call. The zero Policy is 5 tries, the waits between them 0.2, 0.4, 0.8 and
// 1.6 s, each 30 % shorter or longer by chance.
type Policy struct {
	Tries int           // calls at most, the first included; 0: 5; at most 100
	First time.Duration // before the second try; doubles; 0: 200 ms; at least 1 ms
	Most  time.Duration // of a single wait before the chance; 0: 5 s
	Total time.Duration // no further try begins after it; 0: 1 minute
}

// Client is the policy round an outside client: the zero Policy, under a name that reads well.
var Client = Policy{}

const (
	tries     = 5
	triesMost = 100
	first     = 200 * time.Millisecond
	most      = 5 * time.Second
	total     = time.Minute
	shortest  = time.Millisecond
	chance    = .3
)

// Do calls f until it returns nil, a fault that no try can mend (any verdict of package fault but Retry),
// or the policy or ctx ends. The error is the last one of f, with the number of tries when there were
// several; when ctx ended it is in the chain as well.
func Do(ctx context.Context, p Policy, f func() error) error {
	n := 0
	var last error
	call := func() error {
		if ctx.Err() != nil && last != nil {
			return backoff.Permanent(ctx.Err())
		}
		n++
		last = f()
		if hopeless(last) {
			return backoff.Permanent(last)
		}
		return last
	}
	err := backoff.Retry(call, backoff.WithContext(p.waits(), ctx))
	switch {
	case err == nil:
		return nil
	case last == nil:
		return err // ctx had ended before the first try
	case ctx.Err() != nil && !errors.Is(last, ctx.Err()):
		return fmt.Errorf("%w after %d tries: %w", ctx.Err(), n, last)
	case n > 1 && !hopeless(last):
		return fmt.Errorf("%d tries: %w", n, last)
	}
	return last
}

// hopeless reports whether err stays what it is: a verdict, or the end of the caller's own context.
func hopeless(err error) bool {
	if err == nil {
		return false
	}
	verdict, _ := fault.Of(err)
	return verdict != fault.Retry || errors.Is(err, context.Canceled)
}

func (p Policy) waits() backoff.BackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval = max(or(p.First, first), shortest)
	b.MaxInterval = max(or(p.Most, most), b.InitialInterval)
	b.MaxElapsedTime = max(or(p.Total, total), shortest)
	b.Multiplier, b.RandomizationFactor = 2, chance
	b.Reset()
	n := p.Tries
	if n <= 0 {
		n = tries
	}
	if n == 1 {
		return &backoff.StopBackOff{}
	}
	return backoff.WithMaxRetries(b, uint64(min(n, triesMost)-1))
}

func or(d, otherwise time.Duration) time.Duration {
	if d == 0 {
		return otherwise
	}
	return d
}
