// Package outline builds the tree of a Source: its headings with their true levels, each with a
// confidence and a reason.
//
// The skeleton comes from pkg/source/markdown. Levels as written are kept when they are sound;
// when they are page-local (every page begins anew at level 1) or all the same, the hierarchy is
// repaired by the rules of rules.json: families of numbered headings (PART > Item > Note, Chapter,
// Article > Section, dotted numbers, appendices; English, German, Russian) have a rank, and what
// is not numbered keeps its place below them. Lines that are no headings (footnotes, running heads, heads of columns)
// go back to the text: they vanish from the tree, the Source never changes. A
// document without headings gets synthetic ones from bold or numbered lines when there are enough of them;
// one whose headings cannot be trusted gets Tree.Windows.
package outline
