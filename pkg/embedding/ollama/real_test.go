package ollama

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/pkg/embedding/embeddingtest"
	"github.com/fingerpost/fingerpost/pkg/embedding/openai"
	"github.com/fingerpost/fingerpost/pkg/embedding/remote"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/testenv"
)

// openReal opens an embedder over a real server, with one thread: test machines have few cores.
func openReal(t testing.TB, s *testenv.OllamaServer) *remote.Embedder {
	t.Helper()
	e, err := Open(t.Context(), Config{URLs: []string{s.URL}, Model: "all-minilm", Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestSuiteOnReal(t *testing.T) {
	s := testenv.Ollama(t)
	embeddingtest.Run(t, func(t testing.TB) embedding.Embedder { return openReal(t, s) })
}

// Ollama speaks the OpenAI protocol, too.
func TestSuiteOnRealByOpenAI(t *testing.T) {
	s := testenv.Ollama(t)
	embeddingtest.Run(t, func(t testing.TB) embedding.Embedder {
		e, err := openai.Open(t.Context(), openai.Config{URLs: []string{s.URL + "/v1"}, Model: "all-minilm", Limit: 256})
		if err != nil {
			t.Fatal(err)
		}
		return e
	})
}

// references are the texts of the built-in model's tests with the vectors that the published weights give them,
// normalised.
func references(t *testing.T) (texts []string, vectors [][]float32) {
	t.Helper()
	dir := filepath.Join(testenv.Root(), "pkg", "embedding", "minilm", "testdata")
	b, err := os.ReadFile(filepath.Join(dir, "texts.json"))
	if err == nil {
		err = json.Unmarshal(b, &texts)
	}
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "reference.bin"))
	if err != nil {
		t.Fatal(err)
	}
	const dim = 384
	if len(raw) != len(texts)*4*dim {
		t.Fatalf("%d texts and %d bytes of vectors", len(texts), len(raw))
	}
	for i := range texts {
		v := make([]float32, dim) // the second half of an entry is of the normalised text
		for k := range v {
			v[k] = float32(int16(binary.LittleEndian.Uint16(raw[i*4*dim+2*dim+2*k:]))) / 32767
		}
		embedding.Unit(v)
		vectors = append(vectors, v)
	}
	return texts, vectors
}

func TestRealAgreesWithReference(t *testing.T) {
	e := openReal(t, testenv.Ollama(t))
	if !e.Exact() {
		t.Error("the server's counts are not ours")
	}
	texts, want := references(t)
	got, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	var sum float64
	least, worst := 1.0, ""
	for i := range texts {
		c := embedding.Cosine(got[i], want[i])
		if sum += c; c < least {
			least, worst = c, texts[i]
		}
		if c < .999 {
			t.Logf("cosine %.4f: %.80q", c, texts[i])
		}
	}
	mean := sum / float64(len(texts))
	t.Logf("%d texts: mean cosine %.5f, least %.4f (%.60q)", len(texts), mean, least, worst)
	if mean < .999 {
		t.Errorf("mean cosine %.5f, want .999", mean)
	}
}

func TestRealGoesAndComesBack(t *testing.T) {
	s := testenv.Ollama(t)
	e := openReal(t, s)
	s.Stop()
	_, err := e.Embed(t.Context(), []string{"cash"})
	if verdict, _ := fault.Of(err); verdict != fault.Outage {
		t.Errorf("while it is away: verdict %v, error %v", verdict, err)
	}
	s.Start(t)
	if _, err := e.Embed(t.Context(), []string{"cash"}); err != nil {
		t.Errorf("after its return: %v", err)
	}
}

func TestRealRefusesChatModel(t *testing.T) {
	s := testenv.Ollama(t)
	if _, err := Open(t.Context(), Config{URLs: []string{s.URL}, Model: "smollm2:135m"}); err == nil {
		t.Error("a chat model is taken for embedding")
	} else {
		t.Log(err)
	}
}

// BenchmarkReal embeds the same 64 texts of about 190 tokens by the embedder and by bare requests of the client, turn
// and turn about, and reports the ratio of their times: what batching, counting and checking cost.
func BenchmarkReal(b *testing.B) {
	s := testenv.Ollama(b)
	e := openReal(b, s)
	u, err := url.Parse(s.URL)
	if err != nil {
		b.Fatal(err)
	}
	bare := api.NewClient(u, &http.Client{})
	texts := make([]string, 64)
	for i := range texts {
		texts[i] = fmt.Sprintf("Note %d. ", i) + strings.Repeat("The company leases offices and data centres under operating leases with terms of one to ten years. ", 9)
	}
	one := func(f func() error) time.Duration {
		start := time.Now()
		if err := f(); err != nil {
			b.Fatal(err)
		}
		return time.Since(start)
	}
	straight := func() error {
		for at := 0; at < len(texts); at += 16 {
			_, err := bare.Embed(b.Context(), &api.EmbedRequest{Model: "all-minilm", Input: texts[at : at+16], Options: map[string]any{"num_thread": 1, "num_ctx": 512}})
			if err != nil {
				return err
			}
		}
		return nil
	}
	ours := func() error { _, err := e.Embed(b.Context(), texts); return err }
	one(straight) // both are warm then
	one(ours)
	var ratios []float64
	for b.Loop() {
		before := one(straight)
		mid := one(ours)
		after := one(straight)
		ratios = append(ratios, 2*mid.Seconds()/(before+after).Seconds())
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "ratio")
	b.ReportMetric(float64(e.Count(texts[0])*len(texts))*float64(b.N)/b.Elapsed().Seconds()*3, "tokens/s")
}
