// Package none is the embedder of an index without vectors: everything is found by words.
package none

import (
	"context"
	"math"
	"unicode"

	"github.com/fingerpost/fingerpost/pkg/embedding"
)

// Embedder makes no vectors. Its zero value is ready.
type Embedder struct{}

// New is the embedder that makes no vectors.
func New() *Embedder { return &Embedder{} }

// Fingerprint has no digest and no dimensions.
func (*Embedder) Fingerprint() embedding.Fingerprint {
	return embedding.Fingerprint{Model: "none", Normaliser: embedding.NormaliserVersion}
}

// Limit is as good as none: no text has so many tokens.
func (*Embedder) Limit() int { return math.MaxInt32 }

// Count estimates what a model of word pieces would count, so that chunks have the usual size:
// one token for every seven letters begun of a word, one for any other sign, two special ones.
func (*Embedder) Count(text string) int {
	const piece = 7
	n, word := 2, 0
	for _, r := range embedding.Normalise(text) {
		switch {
		case unicode.Is(unicode.Han, r):
			n, word = n+1, 0
		case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
			if word%piece == 0 {
				n++
			}
			word++
		case unicode.IsSpace(r):
			word = 0
		default:
			n, word = n+1, 0
		}
	}
	return n
}

// Knows is false: no text has a vector.
func (*Embedder) Knows(string) bool { return false }

// Embed gives an empty vector a text.
func (*Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return make([][]float32, len(texts)), ctx.Err()
}
