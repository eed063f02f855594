package retry

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
)

var errAway = errors.New("connection refused")

func TestDo(t *testing.T) {
	corrupt := fault.Failf(doc.Corrupt, "no pages")
	outage := fault.Outagef("server away")
	for name, c := range map[string]struct {
		policy Policy
		errs   []error // of the calls; the last repeats
		calls  int
		want   error
	}{
		"at once":      {Policy{}, []error{nil}, 1, nil},
		"third time":   {Policy{}, []error{errAway, errAway, nil}, 3, nil},
		"zero policy":  {Policy{}, []error{errAway}, 5, errAway},
		"one try":      {Policy{Tries: 1}, []error{errAway}, 1, errAway},
		"corrupt":      {Policy{}, []error{errAway, corrupt}, 2, corrupt},
		"outage":       {Policy{}, []error{outage}, 1, outage},
		"cancelled":    {Policy{}, []error{context.Canceled}, 1, context.Canceled},
		"total passed": {Policy{Tries: 100, First: time.Second, Most: time.Second, Total: 3 * time.Second}, []error{errAway}, 0, errAway},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				err := Do(t.Context(), c.policy, func() error {
					calls++
					return c.errs[min(calls, len(c.errs))-1]
				})
				if !errors.Is(err, c.want) || (c.want == nil) != (err == nil) {
					t.Errorf("error %v, want %v", err, c.want)
				}
				if c.calls > 0 && calls != c.calls {
					t.Errorf("%d calls, want %d", calls, c.calls)
				}
			})
		})
	}
}

func TestDoKeepsTheLastErrorWhenTheContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		err := Do(ctx, Policy{}, func() error { return errAway })
		if !errors.Is(err, errAway) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, want both the last error and the context's", err)
		}
		if !strings.Contains(err.Error(), "tries") {
			t.Errorf("%v does not count", err)
		}
	})
}

func TestDoWithAnEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	calls := 0
	err := Do(ctx, Policy{}, func() error { calls++; return errAway })
	if !errors.Is(err, context.Canceled) || calls > 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
}

// Whatever the policy, ten seconds hold few rounds: the first waits are a millisecond at the least and double.
func TestKnown55NoSpin(t *testing.T) {
	r := rand.New(rand.NewPCG(55, 1))
	for range 500 {
		p := Policy{Tries: r.IntN(300) - 50, First: wild(r), Most: wild(r), Total: wild(r)}
		synctest.Test(t, func(t *testing.T) {
			began, calls := time.Now(), 0
			err := Do(t.Context(), p, func() error { calls++; return errAway })
			if !errors.Is(err, errAway) {
				t.Fatalf("%+v: %v", p, err)
			}
			if calls < 1 || calls > triesMost {
				t.Fatalf("%+v: %d calls", p, calls)
			}
			if took := time.Since(began); calls > 1 && took < time.Duration(calls-1)*shortest/2 {
				t.Fatalf("%+v: %d calls within %v", p, calls, took)
			}
		})
	}
}

func wild(r *rand.Rand) time.Duration {
	return []time.Duration{0, -time.Second, 1, time.Microsecond, time.Millisecond, 3 * time.Second, time.Hour}[r.IntN(7)]
}

func TestKnown55DelayIsBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(55, 2))
	for range 20_000 {
		d := Delays{First: wild(r), Most: wild(r), Chance: 3*r.Float64() - 1, Rand: r}
		attempt := r.IntN(1<<20) - 5
		got := d.Delay(attempt)
		if most := max(d.Most, d.First, shortest); got < shortest || got > most {
			t.Fatalf("%+v, attempt %d: %v, want %v to %v", d, attempt, got, shortest, most)
		}
	}
}

func TestDelayGrows(t *testing.T) {
	d := Delays{First: 5 * time.Second, Most: 10 * time.Minute}
	for attempt, want := range map[int]time.Duration{-1: 5 * time.Second, 0: 5 * time.Second, 1: 5 * time.Second, 2: 10 * time.Second,
		3: 20 * time.Second, 7: 320 * time.Second, 8: 10 * time.Minute, 1 << 30: 10 * time.Minute} {
		if got := d.Delay(attempt); got != want {
			t.Errorf("attempt %d: %v, want %v", attempt, got, want)
		}
	}
}

func TestDelayIsRepeatableWithASeed(t *testing.T) {
	seeded := func() Delays {
		d := Redelivery
		d.Rand = rand.New(rand.NewPCG(1, 2))
		return d
	}
	a, b := seeded(), seeded()
	spread := map[time.Duration]bool{}
	for attempt := range 10 {
		x, y := a.Delay(attempt), b.Delay(attempt)
		if x != y {
			t.Errorf("attempt %d: %v and %v from one seed", attempt, x, y)
		}
		spread[x] = true
	}
	if len(spread) < 8 {
		t.Errorf("only %d different waits of 10", len(spread))
	}
}
