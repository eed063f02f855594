package minilm

import (
	"encoding/binary"
	"math"
)

// productGo makes two outputs' weights float32 once, then lets them meet all rows.
func productGo(s *scratch, w *matrix, dst, a []float32, rows int) {
	b := grow(&s.columns, 2*w.k)
	for c := 0; c < w.n; c += 2 {
		w.unpack(b, c)
		for r := 0; r < rows; r += 2 { // rows are a multiple of tile
			x0, x1, y0, y1 := dot2x2(a[r*w.k:(r+1)*w.k], a[(r+1)*w.k:(r+2)*w.k], b)
			x, y := dst[r*w.n+c:], dst[(r+1)*w.n+c:]
			x[0], x[1] = x0+w.bias[c], x1+w.bias[c+1]
			y[0], y[1] = y0+w.bias[c], y1+w.bias[c+1]
		}
	}
}

// unpack writes the weights of outputs c (even) and c+1 as [k][2].
func (w *matrix) unpack(dst []float32, c int) {
	first := c/panel*panel*w.k + c%panel*2
	for i := range w.k {
		at := first + i/2*2*panel + i%2
		dst[2*i] = w.integer(at) * w.scale[c]
		dst[2*i+1] = w.integer(at+2) * w.scale[c+1]
	}
}

func (w *matrix) integer(at int) float32 {
	if w.size == 1 {
		return float32(int8(w.q[at]))
	}
	return float32(int16(binary.LittleEndian.Uint16(w.q[2*at:])))
}

// dot2x2 is two rows times two columns, b being [k][2]. It keeps its four sums in registers: more of
// them, or inlining into the caller, makes the compiler spill inside the loop, which costs more
// than it saves.
//
//go:noinline
func dot2x2(a0, a1, b []float32) (x0, x1, y0, y1 float32) {
	a1 = a1[:len(a0)]
	for i, p := range a0 {
		q, w := a1[i], (*[2]float32)(b[2*i:])
		x0 += p * w[0]
		y0 += q * w[0]
		x1 += p * w[1]
		y1 += q * w[1]
	}
	return
}

func tileGo(k int, a []float32, lda int, b, c []float32, ldc int) {
	for p := 0; p < pair; p += panel {
		for r := range tile {
			var sum [panel]float32
			for i, x := range a[r*lda : r*lda+k] {
				row := (*[panel]float32)(b[p*k+i*panel:])
				for j := range sum {
					sum[j] += x * row[j]
				}
			}
			copy(c[r*ldc+p:], sum[:])
		}
	}
}

func softmaxGo(x []float32) {
	top, sum := x[0], float32(0)
	for _, v := range x {
		top = max(top, v)
	}
	for i, v := range x {
		x[i] = exp32(v - top)
		sum += x[i]
	}
	for i := range x {
		x[i] /= sum
	}
}

// geluGo is max(x, 0) - |x| erfc(|x|/sqrt 2) / 2, with erfc(z) = (t a1 + .. + t^5 a5) exp(-z^2) and
// t = 1/(1+pz): Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26; error below 1e-6.
// The factors are halved, p is divided by sqrt 2.
func geluGo(x []float32) {
	for i, v := range x {
		a := max(v, -v)
		t := 1 / (1 + 0.231641888*a)
		h := t * (0.127414796 + t*(-0.142248368+t*(0.7107068705+t*(-0.7265760135+t*0.5307027145))))
		x[i] = max(v, 0) - a*h*exp32(-0.5*a*a)
	}
}

// exp32 is e^x for x <= 0: 2^n goes into the exponent's bits, 2^f is a polynomial of degree 6 for
// |f| <= 1/2. Below -87 it stays at e^-87, the smallest normal numbers.
func exp32(x float32) float32 {
	x = max(x, -87) * math.Log2E
	n := int32(x - 0.5)
	f := x - float32(n)
	p := ((((0.00015404*f+0.00133336)*f+0.00961813)*f+0.05550411)*f+0.24022651)*f + 0.69314718
	return math.Float32frombits(uint32(n<<23) + math.Float32bits(p*f+1))
}

func addNormaliseGo(x, y []float32, n layerNorm) {
	d := len(n.weight)
	for o := 0; o < len(x); o += d {
		row := x[o : o+d]
		if y != nil {
			add(row, y[o:o+d])
		}
		n.normalise(row)
	}
}

// normalise is LayerNorm of one row, a multiple of four long: mean zero, variance one, then weight
// and bias. Four chains of sums: one would wait for every addition.
func (n layerNorm) normalise(row []float32) {
	var s0, s1, s2, s3, v0, v1, v2, v3 float32
	for i := 0; i+3 < len(row); i += 4 {
		s0, s1, s2, s3 = s0+row[i], s1+row[i+1], s2+row[i+2], s3+row[i+3]
	}
	mean := (s0 + s1 + s2 + s3) / float32(len(row))
	for i := 0; i+3 < len(row); i += 4 {
		a, b, c, d := row[i]-mean, row[i+1]-mean, row[i+2]-mean, row[i+3]-mean
		v0, v1, v2, v3 = v0+a*a, v1+b*b, v2+c*c, v3+d*d
	}
	inv := float32(1 / math.Sqrt(float64((v0+v1+v2+v3)/float32(len(row)))+layerNormSlack))
	w, b := n.weight[:len(row)], n.bias[:len(row)]
	for i := range row {
		row[i] = (row[i]-mean)*inv*w[i] + b[i]
	}
}

// layerNormSlack is added to the variance: the model's layer_norm_eps.
const layerNormSlack = 1e-12
