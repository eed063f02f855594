//go:build truth

package bench

import (
	"fmt"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// TestTruth is the full measurement with vectors: minutes the first time, seconds from its file later.
func TestTruth(t *testing.T) {
	qs := questions(t)
	for _, level := range []doc.Level{doc.LevelSections, doc.LevelFull} {
		for _, names := range []bool{false, true} {
			c, v := embedded(t, documents(t), names, level)
			m := Mode{Rows: true, Crumb: true, Vector: v.Question}
			run(t, fmt.Sprintf("%s names=%v, words+vectors", level, names), qs, c.Finder(m))
			m.Refs, m.Clean = true, true
			run(t, fmt.Sprintf("%s names=%v, all", level, names), qs, c.Finder(m))
		}
	}
}
