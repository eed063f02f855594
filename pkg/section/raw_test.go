package section

import (
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// Markup that shows as little is not given whole: a reply has a limit.
func TestMarkupIsBounded(t *testing.T) {
	for name, text := range map[string]string{
		"quotes": strings.Repeat("> ", 400_000) + "deep\n",
		"hashes": strings.Repeat("#", 900_000) + "\n",
		"tags":   "# T\n\n" + strings.Repeat("<b></b>", 100_000) + "word\n",
	} {
		s := Cut(Source{Text: []byte(text), Lines: doc.Lines{Start: 1, End: strings.Count(text, "\n")}}, func(p []string) []float64 { return make([]float64, len(p)) }, 4000)
		if len(s.Text) > maxRaw+200 || !s.Cut {
			t.Errorf("%s: %d bytes of text, cut %v", name, len(s.Text), s.Cut)
		}
	}
}
