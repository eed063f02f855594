package route

import (
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/reference"
)

// BenchmarkRoute is the whole router on a question of usual length, and on the longest that is read.
func BenchmarkRoute(b *testing.B) {
	usual := "For Acme, compute the free cash flow for FY2022 and compare it with FY2021, using the details shown in Note 7. If it is not reported, state so."
	for name, q := range map[string]string{"usual": usual, "longest": strings.Repeat(usual+" ", MaxQuestion/len(usual))} {
		rules := Rules{References: reference.OfQuestion, Names: NewTable(cards()...), Vocabulary: StandardVocabulary}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				rules.Read(q)
			}
		})
	}
}
