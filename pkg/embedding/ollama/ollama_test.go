package ollama

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/pkg/embedding/embeddingtest"
	"github.com/fingerpost/fingerpost/pkg/embedding/remote"
	"github.com/fingerpost/fingerpost/pkg/fault"
)

func TestSuiteOnFake(t *testing.T) {
	embeddingtest.Run(t, func(t testing.TB) embedding.Embedder { return open(t, newFake(t)) })
}

func TestRequest(t *testing.T) {
	f := newFake(t)
	e := open(t, f)
	f.seen()
	if _, err := e.Embed(t.Context(), []string{"“Net” revenue…", "café"}); err != nil {
		t.Fatal(err)
	}
	calls := f.seen()
	if len(calls) != 1 {
		t.Fatalf("%d calls for two short texts", len(calls))
	}
	c := calls[0]
	if c.Truncate == nil || *c.Truncate {
		t.Error("truncation is not off")
	}
	if c.Options["num_ctx"] != 512.0 {
		t.Errorf("options %v, want the model's window as num_ctx", c.Options)
	}
	if c.KeepAlive != "30m0s" {
		t.Errorf("keep_alive %q", c.KeepAlive)
	}
	if c.Input[0] != `"Net" revenue...` || c.Input[1] != "cafe" {
		t.Errorf("sent %q", c.Input)
	}
}

func TestFingerprint(t *testing.T) {
	f := newFake(t)
	want := embedding.Fingerprint{Model: "all-minilm", Digest: digest, Dimensions: 384, Normaliser: embedding.NormaliserVersion}
	if got := open(t, f).Fingerprint(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	e, err := Open(t.Context(), Config{URLs: []string{f.URL}, Model: "all-minilm:latest"})
	if err != nil || e.Fingerprint() != want {
		t.Errorf("another spelling of the name: %v", err)
	}
	if e.Limit() != 256 || !e.Exact() {
		t.Errorf("limit %d, exact %v", e.Limit(), e.Exact())
	}
	if e.Knows("Глава вторая") || !e.Knows("Chapter two") {
		t.Error("languages of an English model")
	}
}

// Every 400 is a 400; what it means stands in its words.
func TestErrorsOfTexts(t *testing.T) {
	for _, c := range []struct {
		name, body string
		status     int
	}{
		{"NaN as a 400", `{"error":"embedding contains NaN or Inf values"}`, 400},
		{"NaN as a 500", `{"error":"failed to encode response: json: unsupported value: NaN"}`, 500},
		{"runner crashed on it", `{"error":"do embedding request: Post \"http://127.0.0.1:4/embedding\": EOF"}`, 400},
		{"no JSON", `<html>`, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(t)
			e := open(t, f)
			f.set(func(f *fake) {
				f.answer = func(_ int, r sent) (int, string) {
					if r.holds("poison") {
						return c.status, c.body
					}
					return 0, ""
				}
			})
			_, err := e.Embed(t.Context(), []string{"sound", "poison", "sound too"})
			if !errors.Is(err, embedding.ErrText) || !embedding.Poison(err) {
				t.Errorf("got %v, want a fault of the texts", err)
			}
			if v, err := e.Embed(t.Context(), []string{"sound", "sound too"}); err != nil || len(v) != 2 {
				t.Errorf("after it: %v", err)
			}
		})
	}
}

// The server counts more than we do: the text is embedded in two parts, its neighbours as they are.
func TestKnown35ATextTooLongForTheServerIsHalved(t *testing.T) {
	f := newFake(t)
	e := open(t, f)
	long := strings.Repeat("dividend ", 40) + "and interest"
	f.set(func(f *fake) {
		f.answer = func(_ int, r sent) (int, string) {
			for _, text := range r.Input {
				if strings.Count(text, "dividend") > 25 {
					return 400, `{"error":"the input length exceeds the context length"}`
				}
			}
			return 0, ""
		}
	})
	v, err := e.Embed(t.Context(), []string{"cash", long, "equity"})
	if err != nil {
		t.Fatal(err)
	}
	want, err := f.model.Embed(t.Context(), []string{"cash", long, "equity"})
	if err != nil {
		t.Fatal(err)
	}
	for i, least := range []float64{.9999, .8, .9999} {
		if c := embedding.Cosine(v[i], want[i]); c < least {
			t.Errorf("text %d: cosine %.4f", i, c)
		}
	}
}

func TestKnown37SilentTruncationIsAnError(t *testing.T) {
	f := newFake(t)
	e := open(t, f)
	f.set(func(f *fake) {
		f.count = func(_ sent, tokens int) int { return min(tokens, 20) }
	})
	if _, err := e.Embed(t.Context(), []string{strings.Repeat("cash ", 40)}); !errors.Is(err, embedding.ErrText) {
		t.Errorf("the server has read half of a text: %v", err)
	}
	if _, err := e.Embed(t.Context(), []string{"cash"}); err != nil {
		t.Error(err)
	}
}

func TestKnown36AServerThatTakesLessIsFoundAtStart(t *testing.T) {
	f := newFake(t)
	f.answer = func(_ int, r sent) (int, string) {
		for _, text := range r.Input {
			if f.model.Count(text) > 130 {
				return 400, `{"error":"the input length exceeds the context length"}`
			}
		}
		return 0, ""
	}
	if e := open(t, f); e.Limit() != 128 {
		t.Errorf("limit %d on a server that takes 130 tokens", e.Limit())
	}
}

func TestKnown40ABatchThatDiffersFallsBackToSingleTexts(t *testing.T) {
	f := newFake(t)
	f.spoil = func(r sent, v [][]float32) {
		for i := 1; i < len(v); i++ {
			v[i] = v[0]
		}
	}
	e := open(t, f).(*remote.Embedder)
	if !e.State().Single {
		t.Fatal("the self-test has not found it")
	}
	f.seen()
	if _, err := e.Embed(t.Context(), []string{"a", "b", "c"}); err != nil {
		t.Fatal(err)
	}
	if n := len(f.seen()); n != 3 {
		t.Errorf("%d calls for three texts", n)
	}
}

func TestBatchesByTokens(t *testing.T) {
	f := newFake(t)
	e := open(t, f)
	f.seen()
	texts := make([]string, 60)
	for i := range texts {
		texts[i] = strings.Repeat("revenue from contracts with customers ", 20+i%10)
	}
	if _, err := e.Embed(t.Context(), texts); err != nil {
		t.Fatal(err)
	}
	for _, c := range f.seen() {
		tokens := 0
		for _, text := range c.Input {
			tokens += f.model.Count(text)
		}
		if tokens > 16384 || len(c.Input) > 128 {
			t.Errorf("a call of %d texts and %d tokens", len(c.Input), tokens)
		}
	}
}

func TestOutages(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		body   string
		want   error
	}{
		{"full queue", 503, `{"error":"server busy, please try again.  maximum pending requests exceeded"}`, remote.ErrBusy},
		{"model gone", 404, `{"error":"model 'all-minilm' not found"}`, remote.ErrModel},
		{"not allowed", 401, `{"error":"unauthorized"}`, remote.ErrAway},
		{"proxy", 502, `bad gateway`, remote.ErrAway},
		{"all texts fail", 500, `{"error":"llama runner process has terminated"}`, remote.ErrAway},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(t)
			e := open(t, f)
			f.set(func(f *fake) { f.answer = func(int, sent) (int, string) { return c.status, c.body } })
			_, err := e.Embed(t.Context(), []string{"cash"})
			if verdict, _ := fault.Of(err); verdict != fault.Outage || !errors.Is(err, c.want) || embedding.Poison(err) {
				t.Errorf("got verdict %v, error %v", verdict, err)
			}
			f.set(func(f *fake) { f.answer = nil })
			if _, err := e.Embed(t.Context(), []string{"cash"}); err != nil {
				t.Errorf("after the outage: %v", err)
			}
		})
	}
}

func TestServerAway(t *testing.T) {
	f := newFake(t)
	e := open(t, f)
	f.Close()
	_, err := e.Embed(t.Context(), []string{"cash"})
	if verdict, _ := fault.Of(err); verdict != fault.Outage || !strings.Contains(err.Error(), f.URL) {
		t.Errorf("got verdict %v, error %v", verdict, err)
	}
	_, err = Open(t.Context(), Config{URLs: []string{f.URL}, Model: "all-minilm"})
	if verdict, _ := fault.Of(err); verdict != fault.Outage {
		t.Errorf("open: verdict %v, error %v", verdict, err)
	}
}

func TestModelMissing(t *testing.T) {
	_, err := Open(t.Context(), Config{URLs: []string{newFake(t).URL}, Model: "nomic"})
	if !errors.Is(err, remote.ErrModel) || !strings.Contains(err.Error(), "ollama pull nomic") {
		t.Errorf("got %v", err)
	}
}

func TestAnotherServerTakesOver(t *testing.T) {
	a, b := newFake(t), newFake(t)
	e := open(t, a, b).(*remote.Embedder)
	a.Close()
	for range 3 {
		if _, err := e.Embed(t.Context(), []string{"cash"}); err != nil {
			t.Fatal(err)
		}
	}
	st := e.State().Servers
	if st[0].Away == "" || st[1].Away != "" {
		t.Errorf("state %+v", st)
	}
}

// A server that holds another model under the same name must not mix its vectors in.
func TestServerWithAnotherModelIsNotUsed(t *testing.T) {
	a, b := newFake(t), newFake(t)
	b.digest = strings.Repeat("0", 64)
	e := open(t, a, b)
	a.Close()
	_, err := e.Embed(t.Context(), []string{"cash"})
	if verdict, _ := fault.Of(err); verdict != fault.Outage || !errors.Is(err, remote.ErrModel) {
		t.Errorf("verdict %v, error %v", verdict, err)
	}
}

func TestCancelledWhileWaiting(t *testing.T) {
	f := newFake(t)
	e := open(t, f)
	ctx, cancel := context.WithCancel(t.Context())
	f.set(func(f *fake) {
		f.answer = func(int, sent) (int, string) { cancel(); return 503, "" }
	})
	if _, err := e.Embed(ctx, []string{"cash"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestAddresses(t *testing.T) {
	for _, u := range []string{"", "localhost:11434", "ftp://host", "http://", "://"} {
		if _, err := Open(t.Context(), Config{URLs: []string{u}, Model: "all-minilm"}); err == nil {
			t.Errorf("address %q is taken", u)
		}
	}
}

// An answer without end must not fill the memory.
func TestEndlessAnswer(t *testing.T) {
	f := newFake(t)
	e := open(t, f)
	var endless atomic.Bool
	endless.Store(true)
	inner := f.Config.Handler
	f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/embed" || !endless.Load() {
			inner.ServeHTTP(w, r)
			return
		}
		block := []byte(strings.Repeat(" ", 1<<20))
		for {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	})
	_, err := e.Embed(t.Context(), []string{"cash"})
	if verdict, _ := fault.Of(err); verdict != fault.Outage {
		t.Errorf("verdict %v, error %v", verdict, err)
	}
}
