package ollama

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/pkg/embedding/minilm"
)

// digest is that of the model which a fake holds.
const digest = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

// sent is a request to embed, as a fake received it.
type sent struct {
	Model     string
	Input     []string
	Truncate  *bool
	KeepAlive string `json:"keep_alive"`
	Options   map[string]any
}

// fake is an Ollama server with the built-in model behind it.
type fake struct {
	*httptest.Server
	model *minilm.Embedder

	mu     sync.Mutex
	calls  []sent
	digest string
	window int
	// answer, if set, is asked before a call (they count from 1); status 0 goes on as usual.
	answer func(call int, r sent) (status int, body string)
	// spoil, if set, changes the vectors of a call.
	spoil func(r sent, vectors [][]float32)
	// count, if set, is the count that is told instead of the true one.
	count func(r sent, tokens int) int
}

func newFake(t testing.TB) *fake {
	t.Helper()
	f := &fake{model: minilm.New(), digest: digest, window: 512}
	m := http.NewServeMux()
	m.HandleFunc("POST /api/show", f.show)
	m.HandleFunc("POST /api/embed", f.embed)
	f.Server = httptest.NewServer(m)
	t.Cleanup(f.Close)
	return f
}

// set changes the fake while it serves.
func (f *fake) set(change func(*fake)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}

// seen is what was asked since the last call of seen.
func (f *fake) seen() []sent {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.calls
	f.calls = nil
	return s
}

func (f *fake) show(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var req struct{ Model string }
	_ = json.NewDecoder(r.Body).Decode(&req)
	if !strings.HasPrefix(req.Model, "all-minilm") {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprintf(w, `{"error":"model '%s' not found"}`, req.Model)
		return
	}
	json.NewEncoder(w).Encode(map[string]any{
		"modelfile":    "# Modelfile\nFROM /models/blobs/sha256-" + f.digest + "\nTEMPLATE {{ .Prompt }}\n",
		"model_info":   map[string]any{"general.architecture": "bert", "bert.context_length": f.window},
		"capabilities": []string{"embedding"},
	})
}

func (f *fake) embed(w http.ResponseWriter, r *http.Request) {
	var req sent
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	f.mu.Lock()
	f.calls = append(f.calls, req)
	call, answer, spoil, count := len(f.calls), f.answer, f.spoil, f.count
	f.mu.Unlock()
	if answer != nil {
		if status, body := answer(call, req); status != 0 {
			w.WriteHeader(status)
			fmt.Fprint(w, body)
			return
		}
	}
	tokens := 0
	for _, t := range req.Input {
		n := f.model.Count(t)
		if tokens += n; n > f.model.Limit() {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":"the input length exceeds the context length"}`)
			return
		}
	}
	v, err := f.model.Embed(r.Context(), req.Input)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if spoil != nil {
		spoil(req, v)
	}
	if count != nil {
		tokens = count(req, tokens)
	}
	json.NewEncoder(w).Encode(map[string]any{"model": req.Model, "embeddings": v, "prompt_eval_count": tokens})
}

// holds reports whether one of the texts has the part.
func (s sent) holds(part string) bool {
	for _, t := range s.Input {
		if strings.Contains(t, part) {
			return true
		}
	}
	return false
}

// open opens an embedder over fakes.
func open(t testing.TB, fakes ...*fake) embedding.Embedder {
	t.Helper()
	c := Config{Model: "all-minilm"}
	for _, f := range fakes {
		c.URLs = append(c.URLs, f.URL)
	}
	e, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
