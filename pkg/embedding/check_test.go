package embedding

import (
	"errors"
	"math"
	"testing"
)

func TestCheck(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		name string
		v    []float32
		dim  int
		want error
	}{
		{"sound", []float32{0.6, -0.8}, 2, nil},
		{"sound but for rounding", []float32{0.6003, -0.8}, 2, nil},
		{"none", nil, 0, nil},
		{"short", []float32{1}, 2, ErrSize},
		{"long", []float32{1, 0, 0}, 2, ErrSize},
		{"missing", nil, 2, ErrSize},
		{"one where none is wanted", []float32{1}, 0, ErrSize},
		{"NaN", []float32{1, nan}, 2, ErrNaN},
		{"infinity", []float32{-inf, 0}, 2, ErrNaN},
		{"zero", []float32{0, 0}, 2, ErrZero},
		{"not unit", []float32{1, 1}, 2, ErrNotUnit},
		{"half", []float32{0.5, 0}, 2, ErrNotUnit},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Check(c.v, c.dim); !errors.Is(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestUnit(t *testing.T) {
	v := []float32{3, 4}
	Unit(v)
	if Check(v, 2) != nil || Cosine(v, []float32{0.6, 0.8}) < 0.999999 {
		t.Errorf("got %v", v)
	}
	zero := []float32{0, 0}
	if Unit(zero); !errors.Is(Check(zero, 2), ErrZero) {
		t.Errorf("zero became %v", zero)
	}
}
