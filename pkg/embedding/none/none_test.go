package none_test

import (
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/embedding"
	"github.com/fingerpost/fingerpost/pkg/embedding/embeddingtest"
	"github.com/fingerpost/fingerpost/pkg/embedding/none"
)

func TestSuite(t *testing.T) {
	embeddingtest.Run(t, func(testing.TB) embedding.Embedder { return none.New() })
}

func TestCount(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"", 2},
		{"net revenue", 4},
		{"internationalisation", 5},
		{"$5, cash", 6},
		{"年度報告", 6},
		{strings.Repeat("word ", 1000), 1002},
	} {
		if got := none.New().Count(c.text); got != c.want {
			t.Errorf("%.20q: %d tokens, want %d", c.text, got, c.want)
		}
	}
}
