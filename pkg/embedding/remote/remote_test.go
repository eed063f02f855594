package remote

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/pkg/embedding/embeddingtest"
	"github.com/fingerpost/fingerpost/pkg/fault"
)

func TestSuite(t *testing.T) {
	embeddingtest.Run(t, func(t testing.TB) embedding.Embedder {
		e, err := Open(t.Context(), Config{Servers: []Server{newServer("a")}})
		if err != nil {
			t.Fatal(err)
		}
		return e
	})
}

func TestNoServer(t *testing.T) {
	if _, err := Open(t.Context(), Config{}); err == nil {
		t.Error("no server is enough")
	}
}

// A server that hangs is left after a time that follows from its speed, and the caller is told of an outage; the next try
// has more time.
func TestHangingServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer("a")
		s.delay = func(int, int) time.Duration { return 10 * time.Millisecond }
		e := open(t, s)
		s.reset(func(s *server) { s.delay = func(int, int) time.Duration { return 24 * time.Hour } })
		start := time.Now()
		_, err := e.Embed(t.Context(), texts(3))
		took := time.Since(start)
		if verdict, _ := fault.Of(err); verdict != fault.Outage || !errors.Is(err, errLate) {
			t.Errorf("verdict %v, error %v", verdict, err)
		}
		if took < 20*time.Second || took > time.Minute {
			t.Errorf("given up after %v", took)
		}
	})
}

func TestPatienceBoundsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer("a")
		e, err := Open(t.Context(), Config{Servers: []Server{s}, Patience: 5 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		s.reset(func(s *server) { s.delay = func(int, int) time.Duration { return 24 * time.Hour } })
		start := time.Now()
		if _, err := e.Embed(t.Context(), texts(1)); err == nil || time.Since(start) > 6*time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}

// A full window must not keep the last word: when the server is well again, so is the embedder.
func TestBusyServerIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer("a")
		e := open(t, s)
		left := 2
		s.reset(func(s *server) {
			s.fail = func([]string) error {
				if left--; left >= 0 {
					return ErrBusy
				}
				return nil
			}
		})
		if _, err := e.Embed(t.Context(), texts(1)); err != nil {
			t.Error(err)
		}
	})
}

// Two servers share the work once the window is wider than one.
func TestKnown41LeastInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := newServer("a"), newServer("b")
		slow := func(calls, n int) time.Duration { return time.Duration(calls*n) * 20 * time.Millisecond }
		a.delay, b.delay = slow, slow
		e := open(t, a, b)
		for _, s := range []*server{a, b} {
			s.reset(func(*server) {})
		}
		var all sync.WaitGroup
		for range 40 {
			all.Go(func() {
				if _, err := e.Embed(t.Context(), texts(20)); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		na, _ := a.seen()
		nb, _ := b.seen()
		if na < nb/2 || nb < na/2 {
			t.Errorf("%d calls to one, %d to the other", na, nb)
		}
		if w := e.State().Window; w < 2 {
			t.Errorf("window %d with two servers", w)
		}
	})
}

// A server that failed is not asked for a while; then it is, and works again.
func TestServerComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := newServer("a"), newServer("b")
		e := open(t, a, b)
		a.reset(func(s *server) { s.fail = func([]string) error { return ErrAway } })
		for range 5 {
			if _, err := e.Embed(t.Context(), texts(1)); err != nil {
				t.Fatal(err)
			}
		}
		if n, _ := a.seen(); n != 1 {
			t.Errorf("%d calls to a server that is away", n)
		}
		a.reset(func(s *server) { s.fail = nil })
		time.Sleep(leaveMost)
		if _, err := e.Embed(t.Context(), texts(1)); err != nil {
			t.Fatal(err)
		}
		if e.State().Servers[0].Away != "" {
			t.Errorf("state %+v", e.State().Servers)
		}
	})
}

// A model that is replaced under its name while the program runs is found within minutes.
func TestModelIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer("a")
		e := open(t, s)
		s.reset(func(s *server) { s.digest = "another" })
		time.Sleep(recheck + time.Second)
		_, err := e.Embed(t.Context(), texts(1))
		if verdict, _ := fault.Of(err); verdict != fault.Outage || !errors.Is(err, ErrModel) {
			t.Errorf("verdict %v, error %v", verdict, err)
		}
	})
}

func TestEmbedEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer("a")
		e := open(t, s)
		s.reset(func(s *server) { s.delay = func(int, int) time.Duration { return time.Hour } })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if _, err := e.Embed(ctx, texts(50)); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}

func TestSpeed(t *testing.T) {
	s := &speed{patience: 10 * time.Minute}
	if s.batch() != firstBatch || s.deadline(1000, false) < 6*time.Minute {
		t.Errorf("unmeasured: batch %d, deadline %v", s.batch(), s.deadline(1000, false))
	}
	s.took(1000, time.Second)
	if got := s.batch(); got != 1500 {
		t.Errorf("batch %d at 1,000 tokens a second", got)
	}
	if got := s.deadline(1000, false); got != 28*time.Second {
		t.Errorf("deadline %v", got)
	}
	if got := s.deadline(1000, true); got != 28*time.Second+2*time.Minute {
		t.Errorf("deadline %v with loading", got)
	}
	s.late(1000, 28*time.Second)
	if got := s.deadline(1000, false); got < 3*time.Minute {
		t.Errorf("deadline %v after a late call", got)
	}
	if got := s.deadline(1e9, true); got != 10*time.Minute {
		t.Errorf("deadline %v of a huge call", got)
	}
}

func TestKnown38TokensOfDenseText(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"", 2},
		{"a", 2 + 2},
		{"cash", 2 + 2},       // 1.6 letters' worth, a fifth more
		{"1,234.5", 2 + 9},    // seven signs
		{"Глава", 2 + 6},      // five letters
		{"年度", 2 + 5},         // two ideographs
		{"👍", 2 + 5},          // its bytes
		{"\n\n\n", 2 + 4},     // line breaks are tokens in some vocabularies
		{"a b", 2 + 3},        // two words
		{"é", 2 + 2},          // not ASCII
		{"-----", 2 + 6},      // five signs
		{"a        b", 5 + 2}, // a run of blanks
	} {
		if got := dense.Count(c.text); got != c.want {
			t.Errorf("%q: %d tokens, want %d", c.text, got, c.want)
		}
	}
}

func TestFitted(t *testing.T) {
	m := fitted(map[string]int{pureLatin: 22, pureOther: 60, pureHan: 0})
	if m.Latin != .2 || m.Other < .7 || m.Other > .9 || m.Han != dense.Han {
		t.Errorf("got %+v", m)
	}
}

func TestMiddle(t *testing.T) {
	for _, c := range []struct{ text, first string }{
		{"", ""}, {"a", ""}, {"ab", "a"}, {"one two three four", "one two"}, {"ééé", "éé"}, {"年度報告", "年度"},
	} {
		if at := middle(c.text); c.text[:at] != c.first {
			t.Errorf("%q is cut after %q", c.text, c.text[:at])
		}
	}
}

func TestBatchesFollowTheSpeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer("a")
		s.delay = func(_, n int) time.Duration { return time.Duration(n) * 500 * time.Millisecond } // about 120 tokens a second
		e := open(t, s)
		s.reset(func(*server) {})
		if _, err := e.Embed(t.Context(), texts(40)); err != nil {
			t.Fatal(err)
		}
		if n, _ := s.seen(); n < 6 {
			t.Errorf("%d calls: a question would wait long behind each", n)
		}
	})
}

func TestTooLongIsNotSent(t *testing.T) {
	s := newServer("a")
	e := open(t, s)
	s.reset(func(*server) {})
	_, err := e.Embed(t.Context(), []string{"a", strings.Repeat("1 ", 300)})
	long, ok := errors.AsType[*embedding.TooLongError](err)
	if n, _ := s.seen(); !ok || long.Index != 1 || n != 0 {
		t.Errorf("%d calls, error %v", n, err)
	}
}
