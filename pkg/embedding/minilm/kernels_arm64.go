package minilm

import "math"

// available lists the kernels of this machine, best first. Every arm64 has NEON.
func available() []*kernels { return []*kernels{neon, generic} }

var best = neon

// neon has the products in assembly; the rest is a small part and stays in plain Go.
var neon = &kernels{"NEON", productNEON, tileNEON, softmaxGo, geluGo, addNormaliseGo}

//go:noescape
func gemm8NEON(pairs int, a *int16, lda int, b *byte, c *float32, ldc int, rowScale, colScale, bias *float32)

//go:noescape
func gemm16NEON(pairs int, a *int16, lda int, b *byte, c *float32, ldc int, rowScale, colScale, bias *float32)

// floatNEON is c = ab for 6 rows of k inputs and one panel b of [k][16]; lda and ldc are bytes.
//
//go:noescape
func floatNEON(k int, a *float32, lda int, b, c *float32, ldc int)

func productNEON(s *scratch, w *matrix, dst, a []float32, rows int) {
	integerProduct(s, w, dst, a, rows, integerKernel{panel, quantiseGo, gemm8NEON, gemm16NEON})
}

func tileNEON(k int, a []float32, lda int, b, c []float32, ldc int) {
	in, weights, out := floatTile(k, a, lda, b, c, ldc)
	floatNEON(k, in, 4*lda, weights, out, 4*ldc)
	floatNEON(k, in, 4*lda, &b[panel*k], &c[panel], 4*ldc)
}

func quantiseGo(dst []int16, src []float32, limit float32) float32 {
	var most float32
	for _, x := range src {
		most = max(most, x, -x)
	}
	if most == 0 {
		clear(dst)
		return 0
	}
	up := limit / most
	for i, x := range src {
		dst[i] = int16(math.RoundToEven(float64(x * up)))
	}
	return most / limit
}
