package minilm

import "github.com/fingerpost/fingerpost/pkg/embedding"

// scratch is the working memory of one forward pass, about 5 MB after 256 tokens.
type scratch struct {
	x, y, qkv, ctx, hidden []float32
	q                      []int16   // a matrix's inputs as integers
	rowScale               []float32 // one a row of q
	keys, values, scores   []float32 // of one head
	columns                []float32 // of the plain Go product
}

// grow makes *s n long without keeping what it held.
func grow[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n)
	}
	*s = (*s)[:n]
	return *s
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// forward gives a unit vector a sequence of ids. The sequences run as one tall matrix of rows
// (tokens) by dim numbers, padded to whole tiles; only attention sees their borders.
func (m *model) forward(s *scratch, seqs [][]int32) [][]float32 {
	rows := 0
	for _, ids := range seqs {
		rows += len(ids)
	}
	padded := roundUp(rows, tile)
	x, y, hidden := grow(&s.x, padded*m.dim), grow(&s.y, padded*m.dim), grow(&s.hidden, padded*m.ffn)
	// A sequence may start anywhere in a tile: attention reads and writes up to a tile further.
	qkv, ctx := grow(&s.qkv, (padded+tile)*3*m.dim), grow(&s.ctx, (padded+tile)*m.dim)
	m.lookup(x, seqs)
	for i := range m.layers {
		l := &m.layers[i]
		m.kernels.product(s, &l.qkv, qkv, x, padded)
		at := 0
		for _, ids := range seqs {
			m.attention(s, ctx[at*m.dim:], qkv[at*3*m.dim:], len(ids))
			at += len(ids)
		}
		m.kernels.product(s, &l.out, y, ctx, padded)
		m.kernels.addNormalise(x, y, l.norm1)
		m.kernels.product(s, &l.up, hidden, x, padded)
		m.kernels.gelu(hidden)
		m.kernels.product(s, &l.down, y, hidden, padded)
		m.kernels.addNormalise(x, y, l.norm2)
	}
	return pool(x, seqs, m.dim)
}

// lookup sums word and position vectors into x and normalises them; rows of padding become the
// normalised zero.
func (m *model) lookup(x []float32, seqs [][]int32) {
	at := 0
	for _, ids := range seqs {
		for p, id := range ids {
			row, w, pos := x[at:at+m.dim], m.word[int(id)*m.dim:], m.position[p*m.dim:]
			w, pos, scale := w[:len(row)], pos[:len(row)], m.wordScale[id]
			for i := range row {
				row[i] = float32(int8(w[i]))*scale + pos[i]
			}
			at += m.dim
		}
	}
	clear(x[at:])
	m.kernels.addNormalise(x, nil, m.embedNorm)
}

// pool averages the token vectors of each sequence and scales to length one.
func pool(x []float32, seqs [][]int32, dim int) [][]float32 {
	out := make([][]float32, len(seqs))
	for i, ids := range seqs {
		v := make([]float32, dim)
		for range ids {
			add(v, x[:dim])
			x = x[dim:]
		}
		embedding.Unit(v)
		out[i] = v
	}
	return out
}

// add is x += y for vectors of one size.
func add(x, y []float32) {
	y = y[:len(x)]
	for i := range x {
		x[i] += y[i]
	}
}
