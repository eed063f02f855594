package mem

import (
	"context"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/blob/blobtest"
)

func TestConformance(t *testing.T) {
	s := New()
	blobtest.Run(t, s, blobtest.Options{RemoveBucket: func(_ context.Context, bucket string) error {
		s.RemoveBucket(bucket)
		return nil
	}})
}
