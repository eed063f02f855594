// Package section cuts sections to a budget of clean characters, so that what is shown for a question
// is the best of each section and never more than asked for.
//
// A section that fits is shown whole. Of a longer one its heading is kept and its best parts of about
// 1,000 characters, whole line blocks in reading order, table rows with their header; what is left out
// is marked with a pointer to it. `text` is verbatim Source, `shown` its rendering without markup; the
// budget counts `shown`.
//
// Sizes, measured on 129 questions at a budget of 10,000: sections that fit, whole: .876 any, .829 all;
// each cut to 4,000 by blocks of 1,000: .938 and .891. Below 2,000 a section facts are lost.
//
// The functions are pure: the bytes are read, and verified, by the caller.
package section
