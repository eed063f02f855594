package pdfium

import (
	"context"

	"github.com/tetratelabs/wazero/experimental"
)

// withMemory bounds the sandbox's memory to limit bytes. All of it is reserved at once, so that growing
// neither moves nor copies it; the system gives pages only where they are touched.
func withMemory(ctx context.Context, limit uint64) context.Context {
	return experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(func(_, _ uint64) experimental.LinearMemory {
		return bounded(make([]byte, limit))
	}))
}

type bounded []byte

// Reallocate grows the memory within its reserve; nil tells the module that there is no more.
func (b bounded) Reallocate(size uint64) []byte {
	if size > uint64(len(b)) {
		return nil
	}
	return b[:size]
}

// Free leaves the memory to the garbage collector.
func (b bounded) Free() {}
