//go:build !amd64

package mem

func dot(a, b []float32) float32 { return dotGo(a, b) }

func dotBytes(a, b []int8) int32 { return dotBytesGo(a, b) }
