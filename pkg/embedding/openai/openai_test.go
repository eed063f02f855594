package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/pkg/embedding/embeddingtest"
	"github.com/fingerpost/fingerpost/pkg/embedding/minilm"
	"github.com/fingerpost/fingerpost/pkg/embedding/remote"
	"github.com/fingerpost/fingerpost/pkg/embedding/scripted"
	"github.com/fingerpost/fingerpost/pkg/fault"
)

// fake speaks the protocol with an embedder behind it.
type fake struct {
	*httptest.Server
	model embedding.Embedder

	mu      sync.Mutex
	counts  bool // tells usage
	paths   []string
	keys    []string
	texts   int
	answer  func(texts []string) (status int, body string) // status 0 goes on as usual
	reverse bool
}

func newFake(t testing.TB, model embedding.Embedder) *fake {
	t.Helper()
	f := &fake{model: model, counts: true}
	f.Server = httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(f.Close)
	return f
}

func (f *fake) set(change func(*fake)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}

func (f *fake) serve(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.paths = append(f.paths, r.Method+" "+r.URL.Path)
	f.keys = append(f.keys, r.Header.Get("Authorization"))
	if r.URL.Path != "/v1/embeddings" {
		http.NotFound(w, r)
		return
	}
	var req request
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	f.texts += len(req.Input)
	if f.answer != nil {
		if status, body := f.answer(req.Input); status != 0 {
			w.WriteHeader(status)
			fmt.Fprint(w, body)
			return
		}
	}
	v, err := f.model.Embed(r.Context(), req.Input)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error":{"message":"This model's maximum context length is 256 tokens."}}`)
		return
	}
	type item struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	var data []item
	tokens := 0
	for i := range v {
		data = append(data, item{i, v[i]})
		tokens += f.model.Count(req.Input[i])
	}
	if f.reverse {
		slices.Reverse(data)
	}
	if !f.counts {
		tokens = 0
	}
	json.NewEncoder(w).Encode(map[string]any{"data": data, "usage": map[string]int{"prompt_tokens": tokens}})
}

func open(t testing.TB, f *fake, change ...func(*Config)) *remote.Embedder {
	t.Helper()
	c := Config{URLs: []string{f.URL + "/v1"}, Model: "m", APIKey: "k"}
	for _, ch := range change {
		ch(&c)
	}
	e, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestSuite(t *testing.T) {
	for _, c := range []struct {
		name   string
		model  func() embedding.Embedder
		counts bool
	}{
		{"vocabulary that we know", func() embedding.Embedder { return minilm.New() }, true},
		{"vocabulary that we do not know", func() embedding.Embedder { return scripted.New(scripted.Dimensions(64)) }, true},
		{"no counts", func() embedding.Embedder { return minilm.New() }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			embeddingtest.Run(t, func(t testing.TB) embedding.Embedder {
				f := newFake(t, c.model())
				f.counts = c.counts
				return open(t, f)
			})
		})
	}
}

func TestCountsOfKnownVocabulary(t *testing.T) {
	e := open(t, newFake(t, minilm.New()))
	if !e.Exact() || e.Limit() != 256 {
		t.Errorf("exact %v, limit %d", e.Exact(), e.Limit())
	}
}

// Without counts, with dense texts: an estimate must not be below the truth.
func TestEstimateIsNotTooLow(t *testing.T) {
	f := newFake(t, minilm.New())
	f.counts = false
	e, own := open(t, f), minilm.New()
	for _, text := range []string{
		"The company leases offices and data centres under operating leases.",
		"Статья 15. Порядок исчисления и уплаты налога на прибыль организаций",
		"| Cash | 1,234.5 | (678) |\n|---|---|---|\n| Debt | 12,000.25 | 11,999.75 |",
		"---\nkey_a: [1, 2, 3]\nkey-b: {x: 0x1F, y: \"z\"}\n...",
		"年度報告書 二〇二二年",
		strings.Repeat("=", 200),
	} {
		if got, want := e.Count(text), own.Count(text); got < want {
			t.Errorf("%.40q: estimate %d, true %d", text, got, want)
		}
	}
}

func TestOrderByIndex(t *testing.T) {
	f := newFake(t, minilm.New())
	f.reverse = true
	e := open(t, f)
	v, err := e.Embed(t.Context(), []string{"cash", "a lawyer in court"})
	if err != nil {
		t.Fatal(err)
	}
	want, _ := f.model.Embed(t.Context(), []string{"cash", "a lawyer in court"})
	for i := range v {
		if c := embedding.Cosine(v[i], want[i]); c < .9999 {
			t.Errorf("text %d: cosine %.4f", i, c)
		}
	}
}

func TestKeyIsSentAndHidden(t *testing.T) {
	f := newFake(t, minilm.New())
	e := open(t, f, func(c *Config) { c.APIKey = "very-secret" })
	for i, k := range f.keys {
		if k != "Bearer very-secret" {
			t.Errorf("%s: key %q", f.paths[i], k)
		}
	}
	f.set(func(f *fake) { f.answer = func([]string) (int, string) { return 401, `{"error":"bad key"}` } })
	_, err := e.Embed(t.Context(), []string{"cash"})
	if verdict, _ := fault.Of(err); verdict != fault.Outage || strings.Contains(err.Error(), "very-secret") {
		t.Errorf("verdict %v, error %v", verdict, err)
	}
}

func TestVectorsThatAreNone(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       error // of the check of the vector; nil: the call must end in ErrText
	}{
		{"null is NaN", `{"data":[{"index":0,"embedding":[null` + strings.Repeat(",0.05", 383) + `]}]}`, embedding.ErrNaN},
		{"zero", `{"data":[{"index":0,"embedding":[` + strings.TrimSuffix(strings.Repeat("0,", 384), ",") + `]}]}`, embedding.ErrZero},
		{"short", `{"data":[{"index":0,"embedding":[1]}]}`, embedding.ErrSize},
		{"none", `{"data":[]}`, nil},
		{"index beyond", `{"data":[{"index":7,"embedding":[1]}]}`, nil},
		{"words", `{"data":[{"index":0,"embedding":["a"]}]}`, nil},
		{"base64", `{"data":[{"index":0,"embedding":"AAAA"}]}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(t, minilm.New())
			e := open(t, f)
			f.set(func(f *fake) {
				f.answer = func(texts []string) (int, string) {
					if texts[0] == "poison" {
						return 200, c.body
					}
					return 0, ""
				}
			})
			v, err := e.Embed(t.Context(), []string{"poison"})
			if c.want == nil {
				if !errors.Is(err, embedding.ErrText) {
					t.Errorf("error %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := embedding.Check(v[0], 384); !errors.Is(err, c.want) {
				t.Errorf("check says %v, want %v", err, c.want)
			}
		})
	}
}

// TEI takes 32 texts a call unless told otherwise.
func TestTextsOfACall(t *testing.T) {
	f := newFake(t, scripted.New())
	e := open(t, f)
	var most atomic.Int64
	f.set(func(f *fake) {
		f.answer = func(texts []string) (int, string) {
			most.Store(max(most.Load(), int64(len(texts))))
			return 0, ""
		}
	})
	texts := make([]string, 100)
	for i := range texts {
		texts[i] = fmt.Sprint("row ", i)
	}
	if _, err := e.Embed(t.Context(), texts); err != nil {
		t.Fatal(err)
	}
	if n := most.Load(); n > 32 || n < 20 {
		t.Errorf("%d texts in one call", n)
	}
}

func TestDigest(t *testing.T) {
	f := newFake(t, minilm.New())
	a := open(t, f).Fingerprint().Digest
	if b := open(t, f).Fingerprint().Digest; a != b {
		t.Error("digest is not the same twice")
	}
	if b := open(t, f, func(c *Config) { c.Revision = "2" }).Fingerprint().Digest; a == b {
		t.Error("a revision does not change the digest")
	}
}

func TestClassify(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		body   string
		want   error // nil: open
	}{
		{"vLLM", 400, `{"message":"This model's maximum context length is 512 tokens. However, you requested 600 tokens"}`, remote.ErrLong},
		{"TEI", 413, `{"error":"Input validation error: ` + "`inputs`" + ` must have less than 512 tokens. Given: 600","error_type":"Validation"}`, remote.ErrLong},
		{"llama.cpp", 500, `{"error":{"message":"input is too large to process. increase the physical batch size"}}`, remote.ErrLong},
		{"busy", 429, `{"error":"Model is overloaded"}`, remote.ErrBusy},
		{"key", 401, `{}`, remote.ErrAway},
		{"model", 404, `{"message":"The model does not exist."}`, remote.ErrModel},
		{"proxy", 502, `<html>`, remote.ErrAway},
		{"unknown", 500, `internal`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := classify(c.status, c.body)
			for _, e := range []error{remote.ErrLong, remote.ErrBusy, remote.ErrAway, remote.ErrModel, embedding.ErrText} {
				if errors.Is(err, e) != (e == c.want) {
					t.Errorf("%v", err)
				}
			}
		})
	}
}

func TestServerThatIsNoneIsAnOutage(t *testing.T) {
	f := newFake(t, minilm.New())
	f.Close()
	_, err := Open(t.Context(), Config{URLs: []string{f.URL + "/v1"}, Model: "m"})
	if verdict, _ := fault.Of(err); verdict != fault.Outage {
		t.Errorf("verdict %v, error %v", verdict, err)
	}
}
