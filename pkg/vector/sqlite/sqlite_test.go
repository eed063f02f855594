package sqlite

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/vector/vectortest"
)

func open(t testing.TB, path string, limit int) *Index {
	t.Helper()
	x, err := Open(context.Background(), Config{Path: path, MaxEntries: limit})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

func TestContract(t *testing.T) {
	vectortest.Run(t, vectortest.Vendor{
		Open: func(t *testing.T) vector.Index { return open(t, filepath.Join(t.TempDir(), "a b?#%.db"), 0) },
		Reopen: func(t *testing.T, ix vector.Index) vector.Index {
			if err := ix.Close(); err != nil {
				t.Fatal(err)
			}
			return open(t, ix.(*Index).path, 0)
		},
	})
}
