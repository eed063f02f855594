package rank

import (
	"cmp"
	"slices"
)

// Interleave merges rankings of one document each: the first of each, then the second of each, and so on. The
// ranking whose first node has the greatest Lex (then Dense) comes first; scores of different rankings are not
// compared, since each is normalised by itself.
func Interleave(rankings [][]Node) []Node {
	var full [][]Node
	total := 0
	for _, r := range rankings {
		if len(r) > 0 {
			full = append(full, r)
			total += len(r)
		}
	}
	slices.SortStableFunc(full, func(a, b []Node) int {
		return cmp.Or(cmp.Compare(b[0].Why.Lex, a[0].Why.Lex), cmp.Compare(b[0].Why.Cosine, a[0].Why.Cosine))
	})
	out := make([]Node, 0, total)
	for i := 0; len(out) < total; i++ {
		for _, r := range full {
			if i < len(r) {
				out = append(out, r[i])
			}
		}
	}
	return out
}
