// Package minilm is the embedded model all-MiniLM-L6-v2: text to 384 numbers without a server.
//
// The weights lie in the program (minilm.bin, made by scripts/model: 8-bit integers, the widest
// matrix in 12 bits) and are used where they lie. Inputs of a matrix become int16 with a scale a
// row, products are summed in int32, everything else is float32. Kernels in assembly do the work on
// amd64 with AVX2 or AVX-512; plain Go gives the same vectors elsewhere, many times slower.
//
// The model knows English. It takes 256 tokens; a longer text is refused, never cut.
package minilm

import (
	"context"
	_ "embed" // for the weights
	"fmt"
	"runtime"
	"sync"

	"github.com/fingerpost/fingerpost/pkg/embedding"
)

//go:embed minilm.bin
var weights []byte

//go:embed minilm.bin.sha256
var digest string

// maxTokens is where the model's training ended (sentence-transformers cuts here).
const maxTokens = 256

// groupTokens is how many tokens of short texts pass the model together: a text of twenty tokens
// alone leaves a third of the last tile empty and reads all weights for itself.
const groupTokens = 64

// embedded is the model in the program, read once.
var embedded = sync.OnceValue(func() *model {
	m, err := load(weights)
	if err != nil {
		panic(err) // the program was built with a broken file; TestDigest guards it
	}
	return m
})

// Embedder is the embedded model. It is safe for concurrent use: a call uses one core, and no more
// texts are in the model at a time than there are cores.
type Embedder struct {
	m       *model
	scratch chan *scratch // one a core; nil until first used
}

// New opens the embedded model, which takes some milliseconds the first time.
func New() *Embedder { return newEmbedder(embedded(), runtime.GOMAXPROCS(0)) }

// Kernels names the ways this machine can compute the model, the one that New takes first:
// "AVX-512", "AVX2", and on every machine "generic".
func Kernels() (names []string) {
	for _, k := range available() {
		names = append(names, k.name)
	}
	return names
}

// NewWith opens the embedded model to be computed by the named kernels, for measuring and tests.
func NewWith(kernels string) (*Embedder, error) {
	for _, k := range available() {
		if k.name == kernels {
			m := *embedded()
			m.kernels = k
			return newEmbedder(&m, runtime.GOMAXPROCS(0)), nil
		}
	}
	return nil, fmt.Errorf("minilm: no kernels %q on this machine, only %q", kernels, Kernels())
}

// Kernels is the name of those that compute the vectors.
func (e *Embedder) Kernels() string { return e.m.kernels.name }

func newEmbedder(m *model, workers int) *Embedder {
	e := &Embedder{m: m, scratch: make(chan *scratch, workers)}
	for range workers {
		e.scratch <- nil
	}
	return e
}

// Fingerprint names the model by the digest of its file.
func (e *Embedder) Fingerprint() embedding.Fingerprint {
	return embedding.Fingerprint{
		Model: "all-MiniLM-L6-v2", Digest: digest, Dimensions: e.m.dim, Normaliser: embedding.NormaliserVersion,
	}
}

// Limit is 256 tokens, [CLS] and [SEP] included.
func (e *Embedder) Limit() int { return maxTokens }

// Count is the number of tokens of the normalised text, [CLS] and [SEP] included.
func (e *Embedder) Count(text string) int {
	_, n := e.m.tok.encode(embedding.Normalise(text), 0)
	return n
}

// Knows is false for a text most of whose letters are not Latin.
func (e *Embedder) Knows(text string) bool { return mostlyLatin(text) }

// Embed gives a unit vector a text; the empty text has one, too.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	tokens := make([][]int32, len(texts))
	for i, t := range texts {
		ids, n := e.m.tok.encode(embedding.Normalise(t), maxTokens)
		if n > maxTokens {
			return nil, &embedding.TooLongError{Index: i, Tokens: n, Limit: maxTokens}
		}
		tokens[i] = ids
	}
	return e.vectors(ctx, tokens)
}

func (e *Embedder) vectors(ctx context.Context, tokens [][]int32) ([][]float32, error) {
	out := make([][]float32, 0, len(tokens))
	for len(tokens) > 0 {
		n := group(tokens)
		v, err := e.forward(ctx, tokens[:n])
		if err != nil {
			return nil, err
		}
		out, tokens = append(out, v...), tokens[n:]
	}
	return out, ctx.Err()
}

// group is how many of the texts pass together: at least one.
func group(tokens [][]int32) int {
	n, sum := 1, len(tokens[0])
	for n < len(tokens) && sum+len(tokens[n]) <= groupTokens {
		sum += len(tokens[n])
		n++
	}
	return n
}

// forward waits for a free core's scratch memory. A call gives it back after each group, so that a
// question waits for one group of a long batch, not for the batch.
func (e *Embedder) forward(ctx context.Context, group [][]int32) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case s := <-e.scratch:
		if s == nil {
			s = new(scratch)
		}
		defer func() { e.scratch <- s }()
		return e.m.forward(s, group), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
