package embedding

import (
	"errors"
	"fmt"
	"math"
)

// What Check finds wrong with a vector.
var (
	ErrSize    = errors.New("vector has the wrong size")
	ErrNaN     = errors.New("vector holds NaN or infinity")
	ErrZero    = errors.New("vector is zero")
	ErrNotUnit = errors.New("vector has not unit length")
)

// unitSlack is how far a vector's length may be from one: float32 rounding over thousands of
// numbers stays far below it, a vector that was never normalised does not.
const unitSlack = 1e-3

// Check reports why v must not enter an index of dim numbers a vector: it wraps ErrSize, ErrNaN,
// ErrZero or ErrNotUnit; nil when v is sound.
func Check(v []float32, dim int) error {
	if len(v) != dim {
		return fmt.Errorf("%w: %d numbers, not %d", ErrSize, len(v), dim)
	}
	var sum float64
	for i, f := range v {
		if f := float64(f); math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("%w: number %d is %v", ErrNaN, i, f)
		}
		sum += float64(f) * float64(f)
	}
	switch length := math.Sqrt(sum); {
	case dim == 0:
		return nil
	case length == 0:
		return ErrZero
	case math.Abs(length-1) > unitSlack:
		return fmt.Errorf("%w: length is %.6g", ErrNotUnit, length)
	}
	return nil
}

// Unit scales v to length one where it lies. A zero vector, or one with NaN or infinity, stays bad.
func Unit(v []float32) {
	var sum float64
	for _, f := range v {
		sum += float64(f) * float64(f)
	}
	if sum == 0 {
		return
	}
	inv := 1 / math.Sqrt(sum)
	for i := range v {
		v[i] = float32(float64(v[i]) * inv)
	}
}

// Cosine is the cosine between two unit vectors of one size, from -1 to 1.
func Cosine(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
