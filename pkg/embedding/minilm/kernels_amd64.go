package minilm

import "golang.org/x/sys/cpu"

// available lists the kernels of this machine, best first.
func available() (all []*kernels) {
	x := &cpu.X86
	if x.HasAVX2 && x.HasFMA && x.HasAVX512F && x.HasAVX512BW && x.HasAVX512VNNI {
		all = append(all, avx512)
	}
	if x.HasAVX2 && x.HasFMA {
		all = append(all, avx2)
	}
	return append(all, generic)
}

var best = available()[0]

var avx2 = &kernels{"AVX2", productAVX2, tileAVX2, softmaxAVX2, geluAVX2, addNormaliseAVX2}

// avx512 needs VNNI, too. Exponentials and norms are a small part: they stay in AVX2.
var avx512 = &kernels{"AVX-512", productAVX512, tileAVX512, softmaxAVX2, geluAVX2, addNormaliseAVX2}

//go:noescape
func gemm8AVX2(pairs int, a *int16, lda int, b *byte, c *float32, ldc int, rowScale, colScale, bias *float32)

//go:noescape
func gemm16AVX2(pairs int, a *int16, lda int, b *byte, c *float32, ldc int, rowScale, colScale, bias *float32)

//go:noescape
func gemm8AVX512(pairs int, a *int16, lda int, b *byte, c *float32, ldc int, rowScale, colScale, bias *float32)

//go:noescape
func gemm16AVX512(pairs int, a *int16, lda int, b *byte, c *float32, ldc int, rowScale, colScale, bias *float32)

// floatAVX2 is c = ab for 6 rows of k inputs and one panel b of [k][16]; lda and ldc are bytes.
//
//go:noescape
func floatAVX2(k int, a *float32, lda int, b, c *float32, ldc int)

// floatAVX512 is the same for two panels [2][k][16].
//
//go:noescape
func floatAVX512(k int, a *float32, lda int, b, c *float32, ldc int)

// quantiseRow writes src / scale, rounded, with the largest |src| at limit, and returns scale; n is
// a multiple of 16. A row of zeros has scale 0.
//
//go:noescape
func quantiseRow(dst *int16, src *float32, n int, limit float32) float32

// softmaxRow and geluRow work in place; n is a multiple of 8, at least 8.
//
//go:noescape
func softmaxRow(x *float32, n int)

//go:noescape
func geluRow(x *float32, n int)

// normaliseRow is LayerNorm of x + y in place; n is a multiple of 32, at least 32. y may be nil.
//
//go:noescape
func normaliseRow(x, y, weight, bias *float32, n int)

func productAVX2(s *scratch, w *matrix, dst, a []float32, rows int) {
	integerProduct(s, w, dst, a, rows, integerKernel{panel, quantiseAVX2, gemm8AVX2, gemm16AVX2})
}

func productAVX512(s *scratch, w *matrix, dst, a []float32, rows int) {
	integerProduct(s, w, dst, a, rows, integerKernel{block, quantiseAVX2, gemm8AVX512, gemm16AVX512})
}

func tileAVX2(k int, a []float32, lda int, b, c []float32, ldc int) {
	in, weights, out := floatTile(k, a, lda, b, c, ldc)
	floatAVX2(k, in, 4*lda, weights, out, 4*ldc)
	floatAVX2(k, in, 4*lda, &b[panel*k], &c[panel], 4*ldc)
}

func tileAVX512(k int, a []float32, lda int, b, c []float32, ldc int) {
	in, weights, out := floatTile(k, a, lda, b, c, ldc)
	floatAVX512(k, in, 4*lda, weights, out, 4*ldc)
}

func quantiseAVX2(dst []int16, src []float32, limit float32) float32 {
	return quantiseRow(&dst[0], &src[0], len(dst), limit)
}

func softmaxAVX2(x []float32) { softmaxRow(&x[0], len(x)) }

func geluAVX2(x []float32) { geluRow(&x[0], len(x)) }

func addNormaliseAVX2(x, y []float32, n layerNorm) {
	d := len(n.weight)
	for o := 0; o < len(x); o += d {
		row, bias := x[o:o+d], n.bias[:d]
		var other *float32
		if y != nil {
			other = &y[o : o+d][0]
		}
		normaliseRow(&row[0], other, &n.weight[0], &bias[0], d)
	}
}
