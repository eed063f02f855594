package index_test

import (
	"os"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/retry"
)

func TestMain(m *testing.M) {
	retry.Redelivery = retry.Delays{First: time.Millisecond, Most: 20 * time.Millisecond}
	os.Exit(m.Run())
}
