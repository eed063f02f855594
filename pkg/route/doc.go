// Package route reads what a question asks for, before anything is searched: the words that are worth
// searching, and the structural references ("Note 7", "статья 15") that it names.
//
// It is one function, Of, over rules kept as data (instructions.txt); no model is needed.
package route
