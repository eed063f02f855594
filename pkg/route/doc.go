// Package route reads what a question asks for, before anything is searched: the words that are worth
// searching, the structural references that it names ("Note 7", "статья 15"), the documents that it names, by
// what they call themselves (see Table) and by their facts: owner, period, form (see Library), and where such
// things live (see Vocabulary and Statement).
//
// It is rules over a text, kept as data (instructions.txt, vocabulary.txt, forms.txt, statements.txt), with a literal
// in and a literal out; no model is needed. A question of usual length takes a third of a millisecond.
package route
