// Package outline builds the tree of a Source: its headings with their true levels, each with a
// confidence and a reason.
//
// The skeleton comes from pkg/source/markdown. Headings in block quotes and list items, empty
// ones, and paragraphs of more than four lines above a rule open no section. Then:
//
//   - Levels as written are kept when they are sound; numbered headings are the witnesses (see
//     builder.sound). Such a document comes out unchanged.
//   - Where levels are page-local (every page begins anew at level 1) or all the same, the
//     hierarchy is repaired by the rules of rules.json: families of numbered headings (PART >
//     Item > Note, Chapter, Article > Section, dotted numbers, appendices; English, German,
//     Russian) have a rank, and what has no number stands below the last that has one, by its
//     level as written. Beyond the signatures of a filing each exhibit is a root of its own.
//   - In such a document, headings that are none (footnotes, running heads, heads of columns,
//     entries of contents) go back to the text, and bold lines and run-in titles that fill a gap
//     in a count of real headings ("Item 1B") become synthetic headings.
//   - A document without headings gets synthetic ones from bold and numbered lines when there
//     are enough of them; one whose headings cannot be trusted gets Tree.Windows, with the reason.
//
// The Source never changes; everything happens in the tree. Pages of a node are those of page
// marks in the text: "<!-- page: N -->", form feeds, or the numbers printed at the foot of pages.
package outline
