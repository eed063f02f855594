package bench

import "testing"

// BenchmarkFind is route, search, rank and resolve of the questions over nine documents, one after another, words
// only: one operation is one question.
func BenchmarkFind(b *testing.B) {
	qs, c := questions(b), corpus(b, true)
	find := c.Finder(strict)
	i := 0
	for b.Loop() {
		if _, err := find(b.Context(), qs[i%len(qs)].Question, 5); err != nil {
			b.Fatal(err)
		}
		i++
	}
}
