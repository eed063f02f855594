// Package rank turns lists of index entries into ranked nodes.
//
// Search asks the index for its lists side by side: windows, rows and breadcrumbs by words, chunks
// by vector, nodes by structural reference. Rank folds them into nodes and mixes the parts:
//
//	lex   = best window + Row * (best three rows, 1/.5/.25) + Crumb * breadcrumb      (BM25)
//	base  = lex / greatest lex
//	dense = (cos - least) / (greatest - least)          best chunk; least: of the chunks in the list
//	score = Words * base + Dense * dense + Structural * S + Prior - Short - Noise
//
// Each part is kept beside the score, so that a result can be explained. The numbers stand in
// weights.go, with where they come from.
package rank
