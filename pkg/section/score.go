package section

import "math"

// Scorer rates the parts of one section for the question, higher is better; one number a part.
type Scorer func(parts []string) []float64

// Words is a Scorer by the question's terms: BM25 (k1 1.2, b .75) with the parts of the section as the
// collection, so that a word that stands all over the section decides nothing. analyse is the analyzer
// that made the terms.
func Words(terms []string, analyse func(string) []string) Scorer {
	return func(parts []string) []float64 {
		counts, lens := make([]map[string]int, len(parts)), make([]float64, len(parts))
		in := map[string]int{} // term -> parts that hold it
		var total float64
		for i, p := range parts {
			counts[i] = map[string]int{}
			for _, t := range analyse(p) {
				counts[i][t]++
				lens[i]++
			}
			for t := range counts[i] {
				in[t]++
			}
			total += lens[i]
		}
		ratings, n := make([]float64, len(parts)), float64(len(parts))
		for i := range parts {
			for _, t := range terms {
				if tf := float64(counts[i][t]); tf > 0 {
					idf := math.Log(1 + (n-float64(in[t])+.5)/(float64(in[t])+.5))
					ratings[i] += idf * tf / (tf + 1.2*(.25+.75*lens[i]*n/total))
				}
			}
		}
		return ratings
	}
}
