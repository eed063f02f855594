package mem

import "math"

// codes is vectors rounded to one byte a number: a quarter of the memory to read in a scan. They
// only say which vectors cannot be among the best; the score of the others is computed in full.
type codes struct {
	dim   int
	bytes []int8    // dim of them a vector
	unit  []float32 // a vector is about unit * bytes
	miss  []float32 // and lies at most this far from it
}

// slack is more than float32 arithmetic over MaxDimensions numbers of a unit vector can be off.
const slack = 1e-4

func newCodes(vecs []float32, dim int) codes {
	c := codes{dim: dim}
	if dim == 0 {
		return c
	}
	n := len(vecs) / dim
	c.bytes = make([]int8, n*dim)
	c.unit, c.miss = make([]float32, n), make([]float32, n)
	for i := range n {
		c.unit[i], c.miss[i] = encode(c.bytes[i*dim:(i+1)*dim], vecs[i*dim:(i+1)*dim])
	}
	return c
}

// encode rounds v to code and returns its unit and how far v lies from unit * code.
func encode(code []int8, v []float32) (unit, miss float32) {
	for _, x := range v {
		unit = max(unit, float32(math.Abs(float64(x))))
	}
	unit /= 127
	if unit == 0 {
		return 0, 0
	}
	sum, by := float32(0), 1/unit
	for i, x := range v {
		r := x * by
		if r < 0 {
			r -= .5
		} else {
			r += .5
		}
		code[i] = int8(r) // -127 to 127
		d := x - unit*float32(code[i])
		sum += d * d
	}
	return unit, float32(math.Sqrt(float64(sum)))
}

// take copies vector i of d to place j.
func (c *codes) take(j int, d *codes, i int) {
	copy(c.bytes[j*c.dim:(j+1)*c.dim], d.bytes[i*d.dim:(i+1)*d.dim])
	c.unit[j], c.miss[j] = d.unit[i], d.miss[i]
}

// coded is a question's vector as a code.
type coded struct {
	code       []int8
	unit       float32
	miss, size float32 // size is the length of the vector
}

func newCoded(q []float32) coded {
	c := coded{code: make([]int8, len(q))}
	c.unit, c.miss = encode(c.code, q)
	c.size = float32(math.Sqrt(float64(dot(q, q))))
	return c
}

// most is the highest score that vector i can have: with q = q' + e and x = x' + f, where q' and x' are the
// codes' vectors, qx = q'x' + ex' + qf, and |x'| is at most 1.01 + |f|.
func (c *codes) most(q *coded, i uint32) float32 {
	miss := c.miss[i]
	about := q.unit * c.unit[i] * float32(dotBytes(q.code, c.bytes[int(i)*c.dim:(int(i)+1)*c.dim]))
	return about + q.miss*(1.01+miss) + q.size*miss + slack
}
