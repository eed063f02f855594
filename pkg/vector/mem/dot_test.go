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
