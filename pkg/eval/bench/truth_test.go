//go:build truth

package bench

import (
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// TestTruth is the full measurement with vectors: minutes the first time, seconds from its file later
// (CachePath). With clauses as rows any@3 of "+ routing" and of the strict vocabulary over all chunks is one less than before,
// all@5 the same or more. Words + vectors use no understanding beyond references and a cleaned question.
func TestTruth(t *testing.T) {
	qs, docs := questions(t), documents(t)
	for _, level := range []struct {
		level                 doc.Level
		plain, routed, strict floor
	}{
		{doc.LevelSections,
			floor{name: "one vector a section", any: [3]int{67, 97, 107}},
			floor{name: "one vector a section, routed", any: [3]int{86, 114, 120}, all: 106},
			floor{name: "one vector a section, routed, strict vocabulary", any: [3]int{92, 118, 124}, all: 115}},
		{doc.LevelFull,
			floor{name: "words + vectors", any: [3]int{71, 102, 110}, all: 93},
			floor{name: "+ routing", any: [3]int{91, 113, 120}, all: 108},
			floor{name: "+ strict vocabulary", any: [3]int{95, 116, 125}, all: 118}},
	} {
		c, v := embedded(t, docs, true, level.level)
		for _, f := range []struct {
			floor
			mode Mode
		}{{level.plain, lex}, {level.routed, routed}, {level.strict, strict}} {
			f.mode.Vector = v.Question
			f.held(t, run(t, f.name, qs, c.Finder(f.mode)))
		}
	}
}
