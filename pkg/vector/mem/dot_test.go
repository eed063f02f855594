package mem

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestDotEqualsTheSimpleLoop(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		a, b := make([]float32, n), make([]float32, n)
		want := 0.
		for i := range a {
			a[i], b[i] = r.Float32()-.5, r.Float32()-.5
			want += float64(a[i]) * float64(b[i])
		}
		for _, got := range []float32{dot(a, b), dotGo(a, b)} {
			if math.Abs(float64(got)-want) > 1e-5 {
				t.Errorf("%d numbers: %v, want %v", n, got, want)
			}
		}
	}
}

func TestDotBytesEqualsTheSimpleLoop(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		a, b := make([]int8, n), make([]int8, n)
		want := int32(0)
		for i := range a {
			a[i], b[i] = int8(r.IntN(255)-127), int8(r.IntN(255)-127)
			if n%3 == 0 {
				a[i], b[i] = -127, 127
			}
			want += int32(a[i]) * int32(b[i])
		}
		for _, got := range []int32{dotBytes(a, b), dotBytesGo(a, b)} {
			if got != want {
				t.Errorf("%d numbers: %v, want %v", n, got, want)
			}
		}
	}
}

// unit is a random vector of unit length; the steeper, the more of it lies in few numbers.
func unit(r *rand.Rand, dim int, steep float64) []float32 {
	v, sum := make([]float32, dim), 0.
	for i := range v {
		v[i] = float32(r.NormFloat64() * math.Exp(steep*r.NormFloat64()))
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

func TestCodesNeverPromiseTooLittle(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 20000 {
		dim, steep := 1+r.IntN(400), float64(i%4)
		q, x := unit(r, dim, steep), unit(r, dim, steep)
		if i%5 == 0 {
			copy(x, q)
		}
		c, code := newCodes(x, dim), newCoded(q)
		if most, exact := c.most(&code, 0), dot(q, x); most < exact || most > exact+.5 {
			t.Fatalf("%d dimensions: at most %v, but it is %v", dim, most, exact)
		}
	}
}

func BenchmarkDotBytes384(b *testing.B) {
	for name, f := range map[string]func(a, b []int8) int32{"go": dotBytesGo, "fast": dotBytes} {
		b.Run(name, func(b *testing.B) {
			x, all := make([]int8, 384), make([]int8, 384*100000)
			b.SetBytes(384)
			for i := range b.N {
				k := i % 100000 * 384
				f(x, all[k:k+384])
			}
		})
	}
}

func BenchmarkDot384(b *testing.B) {
	for name, f := range map[string]func(a, b []float32) float32{"go": dotGo, "fast": dot} {
		b.Run(name, func(b *testing.B) {
			x, all := make([]float32, 384), make([]float32, 384*100000)
			b.SetBytes(384 * 4)
			for i := range b.N {
				k := i % 100000 * 384
				f(x, all[k:k+384])
			}
		})
	}
}
