package minilm

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/embedding"
)

// randomly fills n numbers of normal distribution and the given spread.
func randomly(r *rand.Rand, n int, spread float64) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64() * spread)
	}
	return x
}

// randomMatrix has k inputs, n outputs and weights up to top, as pack.py would write it.
func randomMatrix(r *rand.Rand, k, n, top int) *matrix {
	w := &matrix{k: k, n: n, size: 1, scale: randomly(r, n, 0.01), bias: randomly(r, n, 1)}
	if top > 127 {
		w.size = 2
	}
	w.q = make([]byte, k*n*w.size)
	largest := 1
	for c := range n {
		sum := 0
		for i := range k {
			v := r.IntN(2*top+1) - top
			if c%7 == 3 {
				v = top - 2*top*(r.IntN(2)) // every weight at an end: the worst for overflow
			}
			sum += max(v, -v)
			w.set(c, i, v)
		}
		largest = max(largest, sum)
	}
	w.limit = float32(min(32767, math.MaxInt32/largest))
	return w
}

// set writes the weight of output c and input i.
func (w *matrix) set(c, i, v int) {
	at := c/panel*panel*w.k + i/2*2*panel + c%panel*2 + i%2
	if w.size == 1 {
		w.q[at] = byte(int8(v))
		return
	}
	binary.LittleEndian.PutUint16(w.q[2*at:], uint16(int16(v)))
}

// each runs a test with every kernel but plain Go on some random shapes.
func each(t *testing.T, test func(t *testing.T, k *kernels, r *rand.Rand)) {
	for _, k := range available() {
		if k == generic {
			continue
		}
		for seed := range uint64(12) {
			t.Run(fmt.Sprintf("%s/%d", k.name, seed), func(t *testing.T) { test(t, k, rand.New(rand.NewPCG(seed, 7))) })
		}
	}
}

// apart is the largest difference between two slices, as a share of the largest number of want.
func apart(got, want []float32) float64 {
	var off, size float64
	for i, w := range want {
		d := math.Abs(float64(got[i]) - float64(w))
		if math.IsNaN(d) {
			return math.Inf(1)
		}
		off, size = max(off, d), max(size, math.Abs(float64(w)))
	}
	if size == 0 {
		return off
	}
	return off / size
}

func TestProductEqualsGeneric(t *testing.T) {
	each(t, func(t *testing.T, k *kernels, r *rand.Rand) {
		rows, in, out := tile*(1+r.IntN(9)), 16*(1+r.IntN(24)), block*(1+r.IntN(3))
		for _, top := range []int{127, 2047} {
			w := randomMatrix(r, in, out, top)
			a := randomly(r, rows*in, 1)
			clear(a[in : 2*in]) // a row of zeros
			got, want := make([]float32, rows*out), make([]float32, rows*out)
			k.product(new(scratch), w, got, a, rows)
			productGo(new(scratch), w, want, a, rows)
			if d := apart(got, want); d > 4/float64(w.limit) { // what rounding the inputs may cost
				t.Errorf("%d rows, %d inputs, %d outputs, weights to %d: %.2g apart", rows, in, out, top, d)
			}
			if d := apart(got, exactProduct(w, a, rows)); d > 1e-6 {
				t.Errorf("%d rows, %d inputs, %d outputs, weights to %d: %.2g from the exact sums", rows, in, out, top, d)
			}
		}
	})
}

// exactProduct is what the integer kernels compute, with sums that cannot overflow.
func exactProduct(w *matrix, a []float32, rows int) []float32 {
	dst, q := make([]float32, rows*w.n), make([]int64, w.k)
	for r := range rows {
		var most float32
		for _, x := range a[r*w.k : (r+1)*w.k] {
			most = max(most, x, -x)
		}
		for i, x := range a[r*w.k : (r+1)*w.k] {
			if q[i] = 0; most > 0 {
				q[i] = int64(math.RoundToEven(float64(x * (w.limit / most))))
			}
		}
		for c := range w.n {
			var sum int64
			for i, x := range q {
				sum += x * int64(w.integer(c/panel*panel*w.k+i/2*2*panel+c%panel*2+i%2))
			}
			dst[r*w.n+c] = float32(float64(sum)*float64(w.scale[c])*float64(most/w.limit) + float64(w.bias[c]))
		}
	}
	return dst
}

// Every input at the limit and of the weight's sign: the largest sum there can be.
func TestProductDoesNotOverflow(t *testing.T) {
	each(t, func(t *testing.T, k *kernels, r *rand.Rand) {
		in := 16 * (1 + r.IntN(96))
		for _, top := range []int{127, 2047} {
			w := randomMatrix(r, in, block, top)
			a := make([]float32, tile*in)
			for i := range a {
				a[i] = 3
				if w.integer(3/panel*panel*w.k+i%in/2*2*panel+3*2+i%in%2) < 0 {
					a[i] = -3
				}
			}
			got, want := make([]float32, tile*block), make([]float32, tile*block)
			k.product(new(scratch), w, got, a, tile)
			productGo(new(scratch), w, want, a, tile)
			if d := apart(got, want); d > 1e-4 {
				t.Errorf("%d inputs at the limit, weights to %d: %.2g apart", in, top, d)
			}
		}
	})
}

func TestTileEqualsGeneric(t *testing.T) {
	each(t, func(t *testing.T, k *kernels, r *rand.Rand) {
		in := 1 + r.IntN(300)
		lda, ldc := in+r.IntN(40), pair+r.IntN(40)
		a, b := randomly(r, tile*lda, 1), randomly(r, pair*in, 1)
		got := randomly(r, tile*ldc, 1)
		want := append([]float32(nil), got...) // what lies between the rows must stay
		k.tile(in, a, lda, b, got, ldc)
		tileGo(in, a, lda, b, want, ldc)
		if d := apart(got, want); d > 1e-5 {
			t.Errorf("%d inputs, strides %d and %d: %.2g apart", in, lda, ldc, d)
		}
	})
}

func TestRowKernelsEqualGeneric(t *testing.T) {
	each(t, func(t *testing.T, k *kernels, r *rand.Rand) {
		n, rows := 32*(1+r.IntN(20)), 1+r.IntN(5)
		x, y := randomly(r, n*rows, 4), randomly(r, n*rows, 2)
		norm := layerNorm{randomly(r, n, 1), randomly(r, n, 1)}
		for name, f := range map[string]func(k *kernels, x []float32){
			"softmax":                 func(k *kernels, x []float32) { k.softmax(x) },
			"softmax with padding":    func(k *kernels, x []float32) { x[len(x)-1] = minusInf; k.softmax(x) },
			"gelu":                    func(k *kernels, x []float32) { k.gelu(x) },
			"norm":                    func(k *kernels, x []float32) { k.addNormalise(x, nil, norm) },
			"sum and norm":            func(k *kernels, x []float32) { k.addNormalise(x, y, norm) },
			"norm of a row of zeros":  func(k *kernels, x []float32) { clear(x[:n]); k.addNormalise(x, nil, norm) },
			"gelu far from zero":      func(k *kernels, x []float32) { x[0], x[1] = 1e4, -1e4; k.gelu(x) },
			"softmax of equal scores": func(k *kernels, x []float32) { clear(x); k.softmax(x) },
		} {
			got, want := append([]float32(nil), x...), append([]float32(nil), x...)
			f(k, got)
			f(generic, want)
			if d := apart(got, want); d > 1e-5 {
				t.Errorf("%s of %d rows of %d: %.2g apart", name, rows, n, d)
			}
		}
	})
}

// The formulas against float64.
func TestGenericRows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	x := randomly(r, 512, 4)
	y := append([]float32(nil), x...)
	geluGo(y)
	for i, v := range x {
		if want := 0.5 * float64(v) * math.Erfc(-float64(v)/math.Sqrt2); math.Abs(want-float64(y[i])) > 2e-6 {
			t.Errorf("gelu(%v) = %v, want %v", v, y[i], want)
		}
	}
	y = append(y[:0], x...)
	softmaxGo(y)
	var sum, total float64
	for i := range x {
		sum += math.Exp(float64(x[i]))
		total += float64(y[i])
	}
	for i := range x {
		if want := math.Exp(float64(x[i])) / sum; math.Abs(want-float64(y[i])) > 1e-6 {
			t.Errorf("softmax of %v is %v, want %v", x[i], y[i], want)
		}
	}
	if math.Abs(total-1) > 1e-5 {
		t.Errorf("softmax sums to %v", total)
	}
}

// One index may be read on machines of both kinds.
func TestKernelsGiveOneVector(t *testing.T) {
	m := *embedded()
	alike := map[*kernels]*likeness{}
	for _, r := range chosen(references(t), generic) {
		m.kernels = generic
		want := m.forward(new(scratch), [][]int32{r.plain})[0]
		for _, k := range available() {
			if k == generic {
				continue
			}
			m.kernels = k
			if alike[k] == nil {
				alike[k] = new(likeness)
			}
			alike[k].add(r.text, m.forward(new(scratch), [][]int32{r.plain})[0], want)
		}
	}
	for k, l := range alike {
		t.Log(k.name)
		l.want(t, 0.9999, 0.9999)
	}
}

func TestNewWithUnknownKernels(t *testing.T) {
	if _, err := NewWith("abacus"); err == nil {
		t.Error("kernels that are not there were opened")
	}
	if names := Kernels(); names[len(names)-1] != "generic" || New().Kernels() != names[0] {
		t.Errorf("kernels %q, New takes %q", names, New().Kernels())
	}
}

func BenchmarkEmbed(b *testing.B) {
	for _, k := range available() {
		for _, n := range []int{20, 64, 190, 256} {
			b.Run(fmt.Sprintf("%s/%d", k.name, n), func(b *testing.B) {
				e, err := NewWith(k.name)
				if err != nil {
					b.Fatal(err)
				}
				ids, s := make([]int32, n), new(scratch)
				for i := range ids {
					ids[i] = int32(2000 + i*37)
				}
				for b.Loop() {
					if v := e.m.forward(s, [][]int32{ids}); embedding.Check(v[0], 384) != nil {
						b.Fatal(v[0])
					}
				}
				b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "tokens/s")
			})
		}
	}
}
