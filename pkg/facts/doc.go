// Package facts reads from a document what it is, whose it is, and which period or edition it is of: the facts by
// which one of many look-alikes is told from the others.
//
// They come from the text, by families of rules kept as data (rules.txt): filings and their covers, earnings
// releases, contracts, papers, standards, regulations, manuals. A file's name is not looked at. What an object's
// metadata states overrides what the text says (Facts.With). No model is needed; a document of any length takes
// some milliseconds, since only its first pages are read by rules.
//
// Source of the rules: the project's retrieval notes, "Many documents of many companies and years in one index".
package facts
