//go:build amd64 || arm64

package minilm

// A gemm multiplies 6 rows of int16 inputs by 16 (AVX2, NEON) or 64 (AVX-512) columns of weights and
// writes float32: c = sum * rowScale * colScale + bias.
//
// pairs is half of the inputs, even; a is [6][2*pairs], lda bytes from row to row; b holds panels
// [pairs][16][2] one after another; c has ldc bytes from row to row; rowScale has 6 numbers,
// colScale and bias one a column. No memory beyond these is touched.
type gemm func(pairs int, a *int16, lda int, b *byte, c *float32, ldc int, rowScale, colScale, bias *float32)

// integerKernel is a product with int16 inputs.
type integerKernel struct {
	cols int // that one call of a gemm makes
	// quantise writes src / scale, rounded, with the largest |src| at limit, and returns scale; the
	// length is a multiple of 16. A row of zeros has scale 0.
	quantise func(dst []int16, src []float32, limit float32) float32
	g8, g16  gemm // for weights of 8 and of 16 bits
}

// integerProduct makes the inputs int16, each row with its own scale: the products keep nearly all
// of float32's precision, and one instruction makes twice as many. The slices of each call say what
// the kernel may touch, so that a wrong shape is a panic here and never a stray write there.
func integerProduct(s *scratch, w *matrix, dst, a []float32, rows int, k integerKernel) {
	q, scale := grow(&s.q, rows*w.k), grow(&s.rowScale, rows)
	for r := range rows {
		scale[r] = k.quantise(q[r*w.k:(r+1)*w.k], a[r*w.k:(r+1)*w.k], w.limit)
	}
	multiply := k.g8
	if w.size == 2 {
		multiply = k.g16
	}
	for r0 := 0; r0 < rows; r0 += rowBlock {
		for p := 0; p < w.n; p += k.cols {
			b, colScale, bias := w.q[p*w.k*w.size:(p+k.cols)*w.k*w.size], w.scale[p:p+k.cols], w.bias[p:p+k.cols]
			for r := r0; r < min(rows, r0+rowBlock); r += tile {
				in, out, rowScale := q[r*w.k:(r+tile)*w.k], dst[r*w.n+p:(r+tile-1)*w.n+p+k.cols], scale[r:r+tile]
				multiply(w.k/2, &in[0], 2*w.k, &b[0], &out[0], 4*w.n, &rowScale[0], &colScale[0], &bias[0])
			}
		}
	}
}

// floatTile cuts the slices of a float32 tile to what it may touch.
func floatTile(k int, a []float32, lda int, b, c []float32, ldc int) (_, _, _ *float32) {
	a, b, c = a[:(tile-1)*lda+k], b[:pair*k], c[:(tile-1)*ldc+pair]
	return &a[0], &b[0], &c[0]
}
