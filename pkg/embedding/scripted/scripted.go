// Package scripted is an embedder for tests: its vectors come from hashes, its faults from a script.
//
// Texts that share words have vectors near each other, so a test may search with it. Options make
// it slow, wrong or failing; counters say what it was asked.
package scripted

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/pkg/embedding/none"
	"github.com/fingerpost/fingerpost/pkg/retry"
)

// Poison is what is wrong with a vector.
type Poison int

// The poisons.
const (
	NaN   Poison = iota // one number is not a number
	Zero                // every number is zero
	Short               // one number is missing
)

// Embedder is safe for concurrent use.
type Embedder struct {
	dim, limit int
	model      string
	delay      time.Duration
	poison     map[string]Poison
	unknown    string
	forget     bool
	fail       func(call int, texts []string) error

	mu    sync.Mutex
	calls int
	texts []string
}

// An Option changes one thing about an Embedder.
type Option func(*Embedder)

// Dimensions sets the size of the vectors; 32 without it.
func Dimensions(n int) Option { return func(e *Embedder) { e.dim = n } }

// Limit sets the most tokens a text may have; 256 without it.
func Limit(n int) Option { return func(e *Embedder) { e.limit = n } }

// Model names the model and so the digest; other models have other vectors. "scripted" without it.
func Model(name string) Option { return func(e *Embedder) { e.model = name } }

// Delay makes every call of Embed last d, or until its context ends.
func Delay(d time.Duration) Option { return func(e *Embedder) { e.delay = d } }

// Poisoned spoils the vector of every text that holds part.
func Poisoned(part string, p Poison) Option { return func(e *Embedder) { e.poison[part] = p } }

// Unknown makes texts that hold part of a language the model does not know.
func Unknown(part string) Option { return func(e *Embedder) { e.unknown = part } }

// Failing asks f before every call (they count from 1); its error is the call's.
func Failing(f func(call int, texts []string) error) Option { return func(e *Embedder) { e.fail = f } }

// Forgetful keeps no texts, so that its memory does not grow.
func Forgetful() Option { return func(e *Embedder) { e.forget = true } }

// New makes an Embedder.
func New(options ...Option) *Embedder {
	e := &Embedder{dim: 32, limit: 256, model: "scripted", poison: map[string]Poison{}}
	for _, o := range options {
		o(e)
	}
	return e
}

// Calls is how often Embed was called.
func (e *Embedder) Calls() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.calls
}

// Texts are all texts that Embed was given, normalised, in the order of the calls; none of a Forgetful one.
func (e *Embedder) Texts() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string(nil), e.texts...)
}

// Reset sets the counters to zero.
func (e *Embedder) Reset() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls, e.texts = 0, nil
}

// Fingerprint has a digest made of the model's name.
func (e *Embedder) Fingerprint() embedding.Fingerprint {
	sum := sha256.Sum256([]byte(e.model))
	return embedding.Fingerprint{
		Model: e.model, Digest: hex.EncodeToString(sum[:]), Dimensions: e.dim, Normaliser: embedding.NormaliserVersion,
	}
}

// Limit is the most tokens a text may have.
func (e *Embedder) Limit() int { return e.limit }

// Count estimates as package none does.
func (e *Embedder) Count(text string) int { return (*none.Embedder)(nil).Count(text) }

// Knows is true but for texts with the part that Unknown named.
func (e *Embedder) Knows(text string) bool {
	return e.unknown == "" || !strings.Contains(text, e.unknown)
}

// Embed counts the call, waits, then fails or answers as scripted.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	normal := make([]string, len(texts))
	for i, t := range texts {
		normal[i] = embedding.Normalise(t)
	}
	call := e.count(normal)
	if err := retry.Wait(ctx, e.delay); err != nil {
		return nil, err
	}
	if e.fail != nil {
		if err := e.fail(call, texts); err != nil {
			return nil, err
		}
	}
	for i, t := range texts {
		if n := e.Count(t); n > e.limit {
			return nil, &embedding.TooLongError{Index: i, Tokens: n, Limit: e.limit}
		}
	}
	out := make([][]float32, len(texts))
	for i, t := range normal {
		out[i] = e.spoil(texts[i], e.vector(t))
	}
	return out, nil
}

func (e *Embedder) count(texts []string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls++
	if !e.forget {
		e.texts = append(e.texts, texts...)
	}
	return e.calls
}

// vector sums a direction for every word and a small one for the whole text, so that the same
// words in another order have a vector near by, not the same.
func (e *Embedder) vector(text string) []float32 {
	v := make([]float32, e.dim)
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		e.addDirection(v, "w"+word, 1)
	}
	e.addDirection(v, "t"+text, 0.2)
	embedding.Unit(v)
	return v
}

func (e *Embedder) addDirection(v []float32, key string, weight float64) {
	sum := sha256.Sum256([]byte(e.model + "\x00" + key))
	r := rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:8]), binary.LittleEndian.Uint64(sum[8:16])))
	for i := range v {
		v[i] += float32(weight * r.NormFloat64())
	}
}

func (e *Embedder) spoil(text string, v []float32) []float32 {
	for part, p := range e.poison {
		if !strings.Contains(text, part) {
			continue
		}
		switch p {
		case NaN:
			v[0] = float32(math.NaN())
		case Zero:
			clear(v)
		case Short:
			v = v[:len(v)-1]
		}
	}
	return v
}
