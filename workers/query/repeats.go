package query

import (
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/section"
)

// repeats marks in bad the places that say nearly the same as an earlier place of their document (a statement that is
// printed twice), so that the next search gives their room to others, and reports whether there are any. Documents that
// look alike are never compared with one another: last year's statement is another fact.
func repeats(places []found, read []*readNode, bad skips) bool {
	texts, of := map[doc.ID][][]byte{}, map[doc.ID][]int{}
	for i, x := range read {
		if x != nil {
			d := x.record.DocID
			texts[d], of[d] = append(texts[d], x.text), append(of[d], i)
		}
	}
	any := false
	for d, all := range texts {
		kept := map[int]bool{}
		for _, i := range section.Distinct(all) {
			kept[i] = true
		}
		for i := range all {
			if !kept[i] {
				bad[nodeOf(places[of[d][i]].Node)], any = true, true
			}
		}
	}
	return any
}
