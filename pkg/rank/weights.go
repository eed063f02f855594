package rank

// Weights are the numbers of the formula.
type Weights struct {
	Row   float64 // of the rows' sum in lex
	Crumb float64 // of the breadcrumb field in lex
	// RowFold weighs the best rows of a node, best first.
	RowFold [3]float64

	// The vocabulary, weighed by the gate g = clip((GateAt - cov)/GateWidth, 0, 1), cov being how much of the
	// question's idf one row holds already: lex gets Extra*g*(window + ExtraRow*rows), rows folded by ExtraFold,
	// and base gets Title*g for each of the first two titles that match.
	Extra, ExtraRow, Title float64
	ExtraFold              [3]float64
	GateAt, GateWidth      float64
	ExtraCap               float64 // greatest extra, in greatest lex of the question's own words

	// Other words for what the question says: lex gets Same*window, at most SameCap of its own words' greatest lex.
	Same, SameCap float64

	Words, Dense float64 // convex mixing of base and dense
	// Unsaid is moved from Words to Dense where no window holds the question's words: weighed by
	// clip((UnsaidAt - cov)/UnsaidWidth, 0, 1), cov being the best window's BM25 in the sum of the words' idf.
	Unsaid, UnsaidAt, UnsaidWidth float64

	Structural float64 // of S
	// RefDoc, of the best base in the document, is added where S is above 0: "Table 2" stands in every
	// document, and a heading or caption has few words to tell them apart.
	RefDoc  float64
	Short   float64 // taken off when own text is short and S is below SureRef
	SureRef float64
	// Aside is taken off tables of a part, of another one or on another basis, unless the question asks for them, where
	// the rows of a table of the whole reach AsideAt of theirs.
	Aside, AsideAt float64
	Noise          float64 // taken off contents, exhibits, signatures ...

	// Statement is for the statement that a question names, Implied for one where its metric lives, Breakdown
	// for tables by segment, region or category.
	Statement, Implied, Breakdown float64

	// S by how a reference leads to a node: its own title, the next sibling of an empty heading,
	// a caption inside, an ancestor; Heir instead of Ancestor when that ancestor is a bare heading, whose
	// text is its descendants'.
	Exact, Sibling, Caption, Ancestor, Heir float64
}

// Standard is the formula as it is used.
//
// Source, except where a line below says otherwise: measured on 129 questions over nine documents in one index, words and MiniLM vectors (the
// project's retrieval notes, "The formula"). Differences of any@k under .03 are noise there. Convex
// mixing of normalised scores beat reciprocal rank fusion (.581/.767/.860 against .543/.767/.845), and
// the best window of a node beat sums and log-sums.
//
// Chosen here, on the same questions, words only: Crumb .45 instead of .6, since repaired breadcrumbs are longer
// (with names any@3 94 -> 97, all@5 89 of 129); RefDoc 1 (any@1 63 -> 67); Heir .9 (structural questions
// any@5 7 -> 8 of 8); Implied .3 instead of .4 (these 94/117/121 -> 95/117/121, filings
// 28/38/39 -> 29/38/39); Unsaid .3 at .4 (with vectors these stayed and sets of other fields won: a lease 13/22/25 -> 16/24/27
// of 30); Same .5 up to .5 (these 94/118/122 -> 95/118/122 words only, the lease 12/18/22 -> 11/22/26, a manual 15/21/25 ->
// 15/25/28); Aside .2 at .8 (no change there but any@5 125 -> 126 with vectors; 16 small reports that print figures twice); ExtraCap 2 (no change there; on documents of other fields a long entry drowned the question).
func Standard() Weights {
	return Weights{
		Row: .4, Crumb: .45, RowFold: [3]float64{1, .5, .25},
		Extra: .5, ExtraRow: .5, Title: .2, ExtraFold: [3]float64{1, .8, .64}, GateAt: .65, GateWidth: .3, ExtraCap: 2, Same: .5, SameCap: .5,
		Words: .65, Dense: .35, Unsaid: .3, UnsaidAt: .4, UnsaidWidth: .2,
		Structural: 2, RefDoc: 1, Short: .5, SureRef: .95, Noise: .15, Aside: .2, AsideAt: .8,
		Statement: .6, Implied: .3, Breakdown: .25,
		Exact: 1, Sibling: 1.01, Caption: .5, Ancestor: .35, Heir: .9,
	}
}

// Chosen is w for questions whose documents were chosen by owner and period: names, years and instructions have left
// the question, so the gate is wide; covers and exhibits of reports repeat what stands inside.
//
// Source: the project's retrieval notes, "Inside", measured on 43 questions over 39 filings.
func (w Weights) Chosen() Weights {
	w.GateAt, w.Noise = .8, .3
	return w
}

// Want is what a statement of a kind counts, named in the question or implied by it.
func (w Weights) Want(kind string, named bool) Wanted {
	switch {
	case kind == Breakdown:
		return Wanted{kind, w.Breakdown}
	case named:
		return Wanted{kind, w.Statement}
	}
	return Wanted{kind, w.Implied}
}

// Candidates is how many hits are asked of each list: the best 200 hold the right section for all but
// a few questions, and a list costs about a millisecond.
const Candidates = 200

// TitleCandidates is how many hits are asked of each list by a title of the vocabulary: where more documents than that
// have the title it tells nothing, and a question asks for up to MaxTitles such lists.
const TitleCandidates = 100

// MaxTitles bounds the titles of a vocabulary that are looked up for one question.
const MaxTitles = 16

// MaxRefs bounds the structural references of one question that are looked up.
const MaxRefs = 8
