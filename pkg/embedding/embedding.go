// Package embedding is the port to embedding models.
//
// Contract, held by embeddingtest on every vendor: the same text gives the same vector (cosine > .999) alone
// and in a batch; vectors have unit length and Dimensions numbers, in the order of the texts;
// text is normalised (see Normalise) before it is counted or embedded; nothing is cut silently.
package embedding

import (
	"context"
	"fmt"
)

// Fingerprint says which vectors may be compared. It is part of a build's record.
type Fingerprint struct {
	Model      string `json:"model"`      // for people: "all-MiniLM-L6-v2"
	Digest     string `json:"digest"`     // hex SHA-256 of the weights; "" for none
	Dimensions int    `json:"dimensions"` // 0 for none
	Normaliser int    `json:"normaliser"` // NormaliserVersion
}

// Embedder turns texts into vectors. Safe for concurrent use.
type Embedder interface {
	Fingerprint() Fingerprint
	// Limit is the largest number of tokens of one text, special tokens included.
	Limit() int
	// Count is the number of tokens of a text after normalisation, special tokens included.
	Count(text string) int
	// Knows reports whether the model knows the language of the text (chunks it does not know are found by words only).
	Knows(text string) bool
	// Embed gives a vector a text. *TooLongError names a text over the limit (nothing is embedded then).
	// A vector may be poisoned (NaN, zero, wrong size): the caller checks each by Check.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// TooLongError says that texts[Index] has more tokens than the model takes.
type TooLongError struct{ Index, Tokens, Limit int }

func (e *TooLongError) Error() string {
	return fmt.Sprintf("text %d has %d tokens, over the model's limit of %d", e.Index, e.Tokens, e.Limit)
}
