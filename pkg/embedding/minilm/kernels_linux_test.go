package minilm

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"unsafe"
)

// fenced copies x to where a page that must not be touched follows its last number: a kernel that
// reads or writes past the end crashes the test.
func fenced[T any](t *testing.T, x []T) []T {
	var zero T
	size, page := len(x)*int(unsafe.Sizeof(zero)), syscall.Getpagesize()
	whole := roundUp(size, page)
	mem, err := syscall.Mmap(-1, 0, whole+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(mem) })
	if err := syscall.Mprotect(mem[whole:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	out := unsafe.Slice((*T)(unsafe.Pointer(&mem[whole-size])), len(x))
	copy(out, x)
	return out
}

func TestKernelsStayInBounds(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 11))
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			for _, k := range available() {
				integerBounds(t, k, r)
				floatBounds(t, k, r)
				rowBounds(t, k, r)
			}
		})
	}
}

func integerBounds(t *testing.T, k *kernels, r *rand.Rand) {
	rows, in, out := tile*(1+r.IntN(5)), 16*(1+r.IntN(12)), block*(1+r.IntN(2))
	for _, top := range []int{127, 2047} {
		w := randomMatrix(r, in, out, top)
		w.q, w.scale, w.bias = fenced(t, w.q), fenced(t, w.scale), fenced(t, w.bias)
		s := &scratch{q: fenced(t, make([]int16, rows*in)), rowScale: fenced(t, make([]float32, rows))}
		k.product(s, w, fenced(t, make([]float32, rows*out)), fenced(t, randomly(r, rows*in, 1)), rows)
	}
}

func floatBounds(t *testing.T, k *kernels, r *rand.Rand) {
	in := 1 + r.IntN(100)
	lda, ldc := in+r.IntN(9), pair+r.IntN(9)
	a, b := fenced(t, randomly(r, (tile-1)*lda+in, 1)), fenced(t, randomly(r, pair*in, 1))
	k.tile(in, a, lda, b, fenced(t, make([]float32, (tile-1)*ldc+pair)), ldc)
}

func rowBounds(t *testing.T, k *kernels, r *rand.Rand) {
	n := 32 * (1 + r.IntN(9))
	k.softmax(fenced(t, randomly(r, n, 1)))
	k.gelu(fenced(t, randomly(r, n, 1)))
	norm := layerNorm{fenced(t, randomly(r, n, 1)), fenced(t, randomly(r, n, 1))}
	k.addNormalise(fenced(t, randomly(r, 2*n, 1)), fenced(t, randomly(r, 2*n, 1)), norm)
	k.addNormalise(fenced(t, randomly(r, n, 1)), nil, norm)
}
