//go:build !amd64 && !arm64

package minilm

// available lists the kernels of this machine, best first.
func available() []*kernels { return []*kernels{generic} }

var best = available()[0]
