package mem_test

import (
	"testing"

	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/vector/mem"
	"github.com/fingerpost/fingerpost/pkg/vector/vectortest"
)

func TestContract(t *testing.T) {
	vectortest.Run(t, vectortest.Vendor{Open: func(*testing.T) vector.Index { return mem.New(0) }})
}
