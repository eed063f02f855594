package ollama

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

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
