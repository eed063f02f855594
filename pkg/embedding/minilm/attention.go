package minilm

// headSize is the numbers of one attention head: 384 over 12.
const headSize = 32

// minusInf is a score whose share after softmax is zero, and no NaN.
const minusInf = -1e30

// attention fills ctx (rows of dim numbers) for one sequence of n tokens from its rows of q|k|v
// (3*dim numbers each). Both products run on the float32 kernel, so keys and values are copied into
// its panel order, padded to whole panels. Up to a tile of rows after the sequence are overwritten
// in ctx; the next sequence's attention, which comes later, makes them good.
func (m *model) attention(s *scratch, ctx, qkv []float32, n int) {
	wide, tall := roundUp(n, pair), roundUp(n, tile)
	keys, values := grow(&s.keys, wide*headSize), grow(&s.values, wide*headSize)
	scores := grow(&s.scores, tall*wide)
	stride := 3 * m.dim
	for at := 0; at < m.dim; at += headSize {
		packKeys(keys, qkv[m.dim+at:], n, stride)
		packValues(values, qkv[2*m.dim+at:], n, wide, stride)
		for r := 0; r < n; r += tile {
			for p := 0; p < wide; p += pair {
				m.kernels.tile(headSize, qkv[r*stride+at:], stride, keys[p*headSize:], scores[r*wide+p:], wide)
			}
		}
		for r := range n {
			row := scores[r*wide : (r+1)*wide]
			for j := n; j < wide; j++ {
				row[j] = minusInf
			}
			m.kernels.softmax(row)
		}
		for r := 0; r < n; r += tile {
			m.kernels.tile(wide, scores[r*wide:], wide, values, ctx[r*m.dim+at:], m.dim)
		}
	}
}

// packKeys writes n keys as [wide/16][headSize][16], zero where no key is.
func packKeys(dst, src []float32, n, stride int) {
	clear(dst)
	for j := range n {
		row, out := src[j*stride:j*stride+headSize], dst[j/panel*panel*headSize+j%panel:]
		for i, v := range row {
			out[i*panel] = v
		}
	}
}

// packValues writes n values as [headSize/16][wide][16], zero where no value is.
func packValues(dst, src []float32, n, wide, stride int) {
	clear(dst)
	for j := range n {
		for p := 0; p < headSize; p += panel {
			copy(dst[p*wide+j*panel:][:panel], src[j*stride+p:])
		}
	}
}
