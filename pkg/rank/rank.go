package rank

import (
	"cmp"
	"slices"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// Node is a ranked node: Place without ordinal, and why it stands where it does.
type Node struct {
	Place doc.Place // Prefix, Generation, Node and Flags; the key of the node
	Score float64
	Why   Why
	// Windows are the ordinals of the node's windows in the lists, best first.
	Windows []int
}

// Why are the parts of a Score, as they entered it.
type Why struct {
	Window float64 `json:"window"`           // BM25 of the best window
	Rows   float64 `json:"rows"`             // folded BM25 of the best rows, not yet weighed
	Crumb  float64 `json:"crumb"`            // BM25 of the breadcrumb, not yet weighed
	Extra  float64 `json:"extra,omitempty"`  // what the vocabulary adds to lex, gated
	Same   float64 `json:"same,omitempty"`   // what other words for the question's add to lex
	Titles float64 `json:"titles,omitempty"` // what it adds to base, gated
	Lex    float64 `json:"lex"`
	Base   float64 `json:"base"`   // lex / greatest lex, 0..1
	Cosine float64 `json:"cosine"` // of the best chunk; 0 when none is in the list
	Dense  float64 `json:"dense"`  // 0..1
	S      float64 `json:"s"`
	// Statement is for being the statement that is asked for.
	Statement float64 `json:"statement,omitempty"`
	Prior     float64 `json:"prior,omitempty"` // of the document, for the period and form asked
	Doc       float64 `json:"doc"`             // greatest base in the document; counts where S does
	Ref       string  `json:"ref,omitempty"`   // the reference behind S, with its way: "=note:15"
	Short     bool    `json:"short,omitempty"`
	Noise     bool    `json:"noise,omitempty"`
	Aside     bool    `json:"aside,omitempty"` // a part's table, and the whole's is wanted
	Half      bool    `json:"half,omitempty"`  // it stands here for one part of a question in several
}

// key is the node of an entry: its place without ordinal and flags.
func key(id doc.EntryID) doc.Place {
	p := id.Place()
	p.Ordinal, p.Flags = 0, 0
	return p
}

// fold gathers the lists by node.
type fold struct {
	w     Weights
	aside bool // the question wants a part's figures
	nodes map[doc.Place]*Node
	rows  map[doc.Place]int // rows counted so far
}

// Rank folds the lists into nodes and sorts them, best first; ties by place.
func Rank(p Parts, w Weights) []Node {
	f := fold{w.unsaid(p), p.Aside, map[doc.Place]*Node{}, map[doc.Place]int{}}
	for _, h := range p.Windows {
		f.window(h)
	}
	for _, h := range p.Rows {
		f.row(h)
	}
	for _, h := range p.Crumbs {
		n := f.node(h.ID)
		n.Why.Crumb = max(n.Why.Crumb, float64(h.Score))
	}
	f.vocabulary(p)
	f.same(p.SameWindows)
	f.dense(p.Dense)
	bare := f.bareHeadings(p.Refs)
	for _, r := range p.Refs {
		f.ref(r, bare)
	}
	f.touch(p.Statements)
	for _, n := range f.nodes {
		n.Why.Prior = p.Prior[n.Place.Prefix]
	}
	return f.sorted(p.Statements)
}

// node is the node of an entry, made when it is new.
func (f *fold) node(id doc.EntryID) *Node {
	k := key(id)
	n := f.nodes[k]
	if n == nil {
		n = &Node{Place: k}
		f.nodes[k] = n
	}
	flags := id.Place().Flags
	n.Place.Flags |= flags
	n.Why.Noise = n.Why.Noise || flags&doc.FlagNoise != 0
	n.Why.Short = n.Why.Short || flags&doc.FlagShort != 0
	return n
}

func (f *fold) window(h vector.Hit) {
	n := f.node(h.ID)
	n.Why.Window = max(n.Why.Window, float64(h.Score))
	n.Windows = append(n.Windows, h.ID.Place().Ordinal)
}

// row adds a row to its node: lists come best first, so the n-th row met has the n-th weight.
func (f *fold) row(h vector.Hit) {
	n := f.node(h.ID)
	i := f.rows[key(h.ID)]
	if i < len(f.w.RowFold) {
		n.Why.Rows += f.w.RowFold[i] * float64(h.Score)
	}
	f.rows[key(h.ID)] = i + 1
}

// dense gives each node its best chunk, scaled so that the last of the list is 0 and the first 1.
func (f *fold) dense(hits []vector.Hit) {
	if len(hits) == 0 {
		return
	}
	top, least := float64(hits[0].Score), float64(hits[len(hits)-1].Score)
	if len(hits) == 1 || top <= least {
		least = top - 1
	}
	for _, h := range hits {
		n := f.node(h.ID)
		d := (float64(h.Score) - least) / (top - least)
		if d > n.Why.Dense || n.Why.Cosine == 0 {
			n.Why.Dense, n.Why.Cosine = d, float64(h.Score)
		}
	}
}

// heading is a reference as one document answers to it.
type heading struct {
	ref    string
	prefix doc.Prefix
}

// bareHeadings are the references that lead to a heading with hardly any text of its own.
func (f *fold) bareHeadings(refs []RefHits) map[heading]bool {
	bare := map[heading]bool{}
	for _, r := range refs {
		for _, h := range r.Hits {
			if p := h.ID.Place(); r.Way == '=' && p.Flags&doc.FlagShort != 0 {
				bare[heading{r.Ref, p.Prefix}] = true
			}
		}
	}
	return bare
}

// ref lifts the nodes that a structural reference leads to.
func (f *fold) ref(r RefHits, bare map[heading]bool) {
	for _, h := range r.Hits {
		n := f.node(h.ID)
		s := f.w.way(r.Way)
		if r.Way == '~' && bare[heading{r.Ref, n.Place.Prefix}] {
			s = f.w.Heir
		}
		if s > n.Why.S {
			n.Why.S, n.Why.Ref = s, string(r.Way)+r.Ref
		}
	}
}

// way is S by how a reference leads to a node.
func (w Weights) way(way byte) float64 {
	switch way {
	case '=':
		return w.Exact
	case '+':
		return w.Sibling
	case '^':
		return w.Caption
	case '~':
		return w.Ancestor
	}
	return 0
}

// sorted mixes the parts of every node and sorts.
func (f *fold) sorted(wanted []WantedHits) []Node {
	var greatest float64
	for _, n := range f.nodes {
		n.Why.Lex = n.Why.Window + f.w.Row*n.Why.Rows + f.w.Crumb*n.Why.Crumb + n.Why.Extra + n.Why.Same
		greatest = max(greatest, n.Why.Lex)
	}
	nodes := make([]Node, 0, len(f.nodes))
	docs := map[doc.Prefix]float64{}
	for _, n := range f.nodes {
		if greatest > 0 {
			n.Why.Base = n.Why.Lex/greatest + n.Why.Titles
		}
		docs[n.Place.Prefix] = max(docs[n.Place.Prefix], n.Why.Base)
	}
	f.asides()
	for _, n := range f.nodes {
		n.Why.Doc = docs[n.Place.Prefix]
		n.Score = f.w.mix(n.Why)
	}
	f.statements(wanted)
	for _, n := range f.nodes {
		nodes = append(nodes, *n)
	}
	slices.SortFunc(nodes, func(a, b Node) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), Compare(a.Place, b.Place))
	})
	return nodes
}

// unsaid is w for a question whose words stand together nowhere: then meaning counts more than words.
func (w Weights) unsaid(p Parts) Weights {
	if len(p.Dense) == 0 || len(p.ExtraWindows)+len(p.Titles) > 0 || p.WindowIdf <= 0 || w.UnsaidWidth <= 0 {
		return w
	}
	var best float64
	if len(p.Windows) > 0 {
		best = float64(p.Windows[0].Score)
	}
	u := w.Unsaid * min(1, max(0, (w.UnsaidAt-best/p.WindowIdf)/w.UnsaidWidth))
	w.Words, w.Dense = w.Words-u, w.Dense+u
	return w
}

// asides marks the tables of a part, of another one or on another basis, where a table of the whole in the same document
// says what is asked about as well: the row that they share is meant of the whole, unless the question says otherwise.
func (f *fold) asides() {
	if f.aside || f.w.Aside == 0 {
		return
	}
	rows := map[doc.Prefix]float64{}
	for _, n := range f.nodes {
		if n.Place.Flags&doc.FlagWhole != 0 {
			rows[n.Place.Prefix] = max(rows[n.Place.Prefix], n.Why.Rows)
		}
	}
	for _, n := range f.nodes {
		best := rows[n.Place.Prefix]
		n.Why.Aside = n.Place.Flags&doc.FlagAside != 0 && best > 0 && best >= f.w.AsideAt*n.Why.Rows
	}
}

// mix is the score of the parts.
func (w Weights) mix(y Why) float64 {
	score := w.Words*y.Base + w.Dense*y.Dense + w.Structural*y.S + y.Prior
	if y.S > 0 {
		score += w.RefDoc * y.Doc
	}
	if y.Short && y.S < w.SureRef {
		score -= w.Short
	}
	if y.Noise {
		score -= w.Noise
	}
	if y.Aside && y.S < w.SureRef {
		score -= w.Aside
	}
	return score
}

// Compare orders places: by document, generation, node.
func Compare(a, b doc.Place) int {
	return cmp.Or(slices.Compare(a.Prefix[:], b.Prefix[:]), cmp.Compare(a.Generation, b.Generation), cmp.Compare(a.Node, b.Node))
}
