package rank

import (
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// gate is how far the vocabulary may speak, 0 to 1: not where one row says already what is asked. BM25 of a
// row over the idf of all the question's words stands for the share of idf that it holds: a word met twice in a
// row (its label is there twice) counts about 1/covScale of its idf.
func (f *fold) gate(p Parts) float64 {
	if p.Idf <= 0 || f.w.GateWidth <= 0 {
		return 1
	}
	var best float64
	if len(p.Rows) > 0 {
		best = float64(p.Rows[0].Score)
	}
	cov := covScale * best / p.Idf
	return min(1, max(0, (f.w.GateAt-cov)/f.w.GateWidth))
}

// covScale turns the share of BM25 into a share of idf: a word that stands once in a row of mean length counts
// 1/2.2 of its idf, twice 2/3.2; labels stand twice.
const covScale = 1.75

// vocabulary adds what the vocabulary's lists say, gated, and scaled so that it never outweighs the question's own
// words by more than ExtraCap.
func (f *fold) vocabulary(p Parts) {
	g := f.gate(p)
	if g == 0 {
		return
	}
	window, rows, seen := map[doc.Place]float64{}, map[doc.Place]float64{}, map[doc.Place]int{}
	for _, h := range p.ExtraWindows {
		k := f.node(h.ID).key()
		window[k] = max(window[k], float64(h.Score))
	}
	for _, h := range p.ExtraRows {
		k := f.node(h.ID).key()
		if i := seen[k]; i < len(f.w.ExtraFold) {
			rows[k] += f.w.ExtraFold[i] * float64(h.Score)
		}
		seen[k]++
	}
	var own, extra float64
	for k, n := range f.nodes {
		own = max(own, n.Why.Window+f.w.Row*n.Why.Rows+f.w.Crumb*n.Why.Crumb)
		extra = max(extra, window[k]+f.w.ExtraRow*rows[k])
	}
	scale := 1.0
	if most := f.w.ExtraCap * own; extra > most {
		scale = most / extra
	}
	for k, n := range f.nodes {
		n.Why.Extra = f.w.Extra * g * scale * (window[k] + f.w.ExtraRow*rows[k])
	}
	for _, hits := range p.Titles {
		f.titles(hits, g)
	}
}

// same adds what other words for the question's say: never more than SameCap of its own words' greatest.
func (f *fold) same(hits []vector.Hit) {
	if len(hits) == 0 || f.w.Same == 0 {
		return
	}
	var own float64
	for _, n := range f.nodes {
		own = max(own, n.Why.Window+f.w.Row*n.Why.Rows+f.w.Crumb*n.Why.Crumb)
	}
	scale := f.w.Same
	if most := scale * float64(hits[0].Score); own > 0 && most > f.w.SameCap*own {
		scale *= f.w.SameCap * own / most
	}
	for _, h := range hits {
		n := f.node(h.ID)
		n.Why.Same = max(n.Why.Same, scale*float64(h.Score))
	}
}

// sameTitle is how near a title's score must come to the best of its list to count as the title itself.
const sameTitle = .8

// titles adds one title's hits, at most two a node.
func (f *fold) titles(hits []vector.Hit, g float64) {
	for _, h := range hits {
		if h.Score < sameTitle*hits[0].Score {
			return
		}
		n := f.node(h.ID)
		n.Why.Titles = min(n.Why.Titles+f.w.Title*g, 2*f.w.Title*g)
	}
}

// key is the node's own place without flags.
func (n *Node) key() doc.Place {
	p := n.Place
	p.Flags = 0
	return p
}
