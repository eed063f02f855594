// Package eval measures finding: question files with gold places in, counts and rates out.
//
// A question names the places where its answer stands: each gold entry is a range of lines of one
// document; entries with the same fact number are alternatives, different fact numbers are needed
// together. A finder gives ranked places. Then
//
//	any@k   a gold entry is covered by one of the first k places
//	all@k   every fact has a covered entry among the first k places
//	cell    one of the first k places carries a spot that names the gold cell
//	held    a place covers a gold entry and its text, as cut, holds the entry's strings
//	doc     the first place lies in a document that the gold names
//
// A section covers an entry when it holds all of its lines; a fixed-size window when it overlaps
// them and its text holds every string of must_contain (see Covers). Longer places cover more, so
// the mean context, in raw and in clean characters, stands beside every any@k. Unanswerable
// questions count for abstention only: a finder abstains by giving no place.
package eval
