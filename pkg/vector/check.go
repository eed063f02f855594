package vector

import (
	"fmt"
	"math"
)

// MaxDimensions is the largest number of dimensions an index takes.
const MaxDimensions = 8192

// CheckVector is an ErrVector that says what is wrong with v, or nil: it must have dim numbers
// (any number when dim is 0), all finite, and be of unit length within one hundredth.
func CheckVector(v []float32, dim int) error {
	if dim != 0 && len(v) != dim {
		return fmt.Errorf("%w: it has %d dimensions, the build has %d", ErrVector, len(v), dim)
	}
	if len(v) == 0 || len(v) > MaxDimensions {
		return fmt.Errorf("%w: it has %d dimensions, not 1 to %d", ErrVector, len(v), MaxDimensions)
	}
	sum := 0.
	for i, x := range v {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return fmt.Errorf("%w: number %d of it is %v", ErrVector, i, x)
		}
		sum += float64(x) * float64(x)
	}
	if n := math.Sqrt(sum); n < .99 || n > 1.01 {
		return fmt.Errorf("%w: its length is %.3g, not 1", ErrVector, n)
	}
	return nil
}
