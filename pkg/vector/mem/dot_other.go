//go:build !amd64

package mem

func dot(a, b []float32) float32 { return dotGo(a, b) }
