package mem

import "golang.org/x/sys/cpu"

var fast = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// dotAVX2 is the product of n numbers at a and b; n is a multiple of 32.
//
//go:noescape
func dotAVX2(a, b *float32, n int) float32

func dot(a, b []float32) float32 {
	n := len(a) &^ 31
	if !fast || n == 0 {
		return dotGo(a, b)
	}
	_ = b[len(a)-1]
	s := dotAVX2(&a[0], &b[0], n)
	if n < len(a) {
		s += dotGo(a[n:], b[n:len(a)])
	}
	return s
}

// dotBytesAVX2 is the product of n bytes at a and b; n is a multiple of 32.
//
//go:noescape
func dotBytesAVX2(a, b *int8, n int) int32

func dotBytes(a, b []int8) int32 {
	n := len(a) &^ 31
	if !fast || n == 0 {
		return dotBytesGo(a, b)
	}
	_ = b[len(a)-1]
	s := dotBytesAVX2(&a[0], &b[0], n)
	if n < len(a) {
		s += dotBytesGo(a[n:], b[n:len(a)])
	}
	return s
}
