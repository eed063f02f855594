package vectortest_test

import (
	"testing"

	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/vector/vectortest"
)

func TestReference(t *testing.T) {
	vectortest.Run(t, vectortest.Vendor{Open: func(*testing.T) vector.Index { return vectortest.NewReference() }})
}
