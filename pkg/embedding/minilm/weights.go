package minilm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// model is read-only after load; any number of goroutines may share it.
type model struct {
	tok                 *tokenizer
	kernels             *kernels
	dim, heads, ffn     int       // 384, 12, 1536
	position, wordScale []float32 // [positions][dim], one a word
	word                []byte    // int8 [words][dim]
	embedNorm           layerNorm
	layers              []layer
}

// layer is one of the model's six.
type layer struct {
	qkv, out, up, down matrix
	norm1, norm2       layerNorm
}

// matrix holds y = xW + b for k inputs and n outputs.
type matrix struct {
	k, n, size  int       // size: bytes of a weight, 1 or 2
	limit       float32   // the largest int16 input that cannot overflow the int32 sums
	scale, bias []float32 // one of each an output
	q           []byte    // weights as [n/16][k/2][16][2], where the file lies
}

type layerNorm struct{ weight, bias []float32 }

var errShort = errors.New("minilm: weights are cut short")

// load reads a file that scripts/minilm/pack.py describes. It keeps data and copies only the small
// tables.
func load(data []byte) (*model, error) {
	r := &reader{b: data}
	if string(r.bytes(4)) != "MLM1" {
		return nil, errors.New("minilm: not a file of weights")
	}
	words, dim, layers, heads, ffn, positions, vocab := r.u32(), r.u32(), r.u32(), r.u32(), r.u32(), r.u32(), r.u32()
	m := &model{dim: dim, heads: heads, ffn: ffn, kernels: best}
	if err := m.checkShape(words, layers, positions); err != nil {
		return nil, err
	}
	text := string(r.bytes(vocab))
	m.position, m.embedNorm = r.floats(positions*dim), r.norm(dim)
	m.wordScale, m.word = r.floats(words), r.bytes(words*dim)
	for range layers {
		m.layers = append(m.layers, r.layer(dim, ffn))
	}
	if r.short {
		return nil, errShort
	}
	if len(r.b) > 0 {
		return nil, fmt.Errorf("minilm: %d bytes after the weights", len(r.b))
	}
	var err error
	m.tok, err = newTokenizer(text, words)
	return m, err
}

// checkShape refuses what the kernels were not made for: they count on whole blocks of columns.
func (m *model) checkShape(words, layers, positions int) error {
	const most = 1 << 20
	for _, n := range []int{words, m.dim, layers, m.heads, m.ffn, positions} {
		if n < 1 || n > most {
			return fmt.Errorf("minilm: weights say a size of %d", n)
		}
	}
	if m.dim%block != 0 || m.ffn%block != 0 || m.dim != m.heads*headSize || positions < maxTokens {
		return fmt.Errorf("minilm: weights of %d numbers, %d heads, %d inner, %d positions", m.dim, m.heads, m.ffn, positions)
	}
	return nil
}

// reader walks the file. Past its end it gives nothing and remembers.
type reader struct {
	b     []byte
	short bool
}

func (r *reader) bytes(n int) []byte {
	if n > len(r.b) {
		r.short, r.b = true, nil
		return nil
	}
	b := r.b[:n:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) u32() int {
	b := r.bytes(4)
	if b == nil {
		return 0
	}
	return int(binary.LittleEndian.Uint32(b))
}

// floats are copied, so that the file needs no alignment.
func (r *reader) floats(n int) []float32 {
	b := r.bytes(4 * n)
	out := make([]float32, len(b)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return out
}

func (r *reader) norm(n int) layerNorm { return layerNorm{weight: r.floats(n), bias: r.floats(n)} }

func (r *reader) matrix(k, n int) matrix {
	m := matrix{k: k, n: n, size: r.u32()}
	if m.size != 1 && m.size != 2 {
		r.short = true
		return m
	}
	if limit := r.floats(1); len(limit) == 1 {
		m.limit = limit[0]
	}
	m.scale, m.bias, m.q = r.floats(n), r.floats(n), r.bytes(k*n*m.size)
	return m
}

func (r *reader) layer(dim, ffn int) (l layer) {
	l.qkv = r.matrix(dim, 3*dim)
	l.out, l.norm1 = r.matrix(dim, dim), r.norm(dim)
	l.up = r.matrix(dim, ffn)
	l.down, l.norm2 = r.matrix(ffn, dim), r.norm(dim)
	return l
}
