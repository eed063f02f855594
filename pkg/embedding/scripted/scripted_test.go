package scripted_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/pkg/embedding/embeddingtest"
	"github.com/fingerpost/fingerpost/pkg/embedding/scripted"
)

func TestSuite(t *testing.T) {
	embeddingtest.Run(t, func(testing.TB) embedding.Embedder { return scripted.New() })
}

func TestPoison(t *testing.T) {
	for _, c := range []struct {
		poison scripted.Poison
		want   error
	}{{scripted.NaN, embedding.ErrNaN}, {scripted.Zero, embedding.ErrZero}, {scripted.Short, embedding.ErrSize}} {
		e := scripted.New(scripted.Dimensions(8), scripted.Poisoned("bad", c.poison))
		v, err := e.Embed(t.Context(), []string{"good", "a bad one"})
		if err != nil {
			t.Fatal(err)
		}
		if err := embedding.Check(v[0], 8); err != nil {
			t.Errorf("the good text: %v", err)
		}
		if err := embedding.Check(v[1], 8); !errors.Is(err, c.want) {
			t.Errorf("the bad text: %v, want %v", err, c.want)
		}
	}
}

func TestCounters(t *testing.T) {
	e := scripted.New()
	for _, texts := range [][]string{{"a", "“b”"}, {"c"}} {
		if _, err := e.Embed(t.Context(), texts); err != nil {
			t.Fatal(err)
		}
	}
	if got := e.Texts(); e.Calls() != 2 || !slices.Equal(got, []string{"a", `"b"`, "c"}) {
		t.Errorf("%d calls, texts %q", e.Calls(), got)
	}
	if e.Reset(); e.Calls() != 0 || len(e.Texts()) != 0 {
		t.Error("counters survive Reset")
	}
}

func TestDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, start := scripted.New(scripted.Delay(time.Minute)), time.Now()
		if _, err := e.Embed(t.Context(), []string{"a"}); err != nil || time.Since(start) != time.Minute {
			t.Errorf("took %v, error %v", time.Since(start), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := e.Embed(ctx, []string{"a"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want the context's", err)
		}
	})
}

func TestFailing(t *testing.T) {
	broken := errors.New("broken")
	e := scripted.New(scripted.Failing(func(call int, _ []string) error {
		if call == 1 {
			return broken
		}
		return nil
	}))
	if _, err := e.Embed(t.Context(), []string{"a"}); !errors.Is(err, broken) {
		t.Errorf("first call: %v", err)
	}
	if _, err := e.Embed(t.Context(), []string{"a"}); err != nil {
		t.Errorf("second call: %v", err)
	}
}

func TestSharedWordsAreNear(t *testing.T) {
	v, err := scripted.New().Embed(t.Context(), []string{
		"net revenue of the data center segment", "data center segment revenue", "dividends declared by the board",
	})
	if err != nil {
		t.Fatal(err)
	}
	if near, far := embedding.Cosine(v[0], v[1]), embedding.Cosine(v[0], v[2]); near < far+0.2 {
		t.Errorf("near %.3f, far %.3f", near, far)
	}
}

func TestKnowsAndModel(t *testing.T) {
	e := scripted.New(scripted.Unknown("Глава"), scripted.Model("other"))
	if e.Knows("Глава 2") || !e.Knows("Chapter 2") {
		t.Error("Unknown does not decide Knows")
	}
	if e.Fingerprint().Digest == scripted.New().Fingerprint().Digest {
		t.Error("two models have one digest")
	}
}
