package chunker

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// Clauses and definitions are to prose what rows are to tables: a label with what is said under it. Contracts, standards
// and regulations write them as paragraphs of one section,
//
//	2.1 Initial term. This Agreement continues until ...
//	"Business Day" means a day other than ...
//
// and manuals write parameters as a list,
//
//   - `read_timeout` (duration): how long ...
//
// and a section of twenty such paragraphs is found by any one of them only when each has an entry of its own. In one
// with tables the rows would otherwise always outweigh the prose.
var (
	clause     = regexp.MustCompile(`^(?:\(?\d{1,3}(?:\.\d{1,3}){0,4}[.)]?|\([a-zа-я]{1,4}\)|§\s?\d+)\s+(\p{Lu}[^.:;!?\n]{2,80})[.:]\s+\S`)
	definition = regexp.MustCompile(`^(?:\(?[\dа-яa-z]{1,3}[.)]\s+)?["“«„]?(\pL[^"“”«»„,.;:!?\n]{1,60}?)["”»“]?\s+(?:(?:shall )?means?|has the meaning|refers to|is defined as|означает|bedeutet|—|–)\s+\S`)
	parameter  = regexp.MustCompile(`^(\p{Ll}[\pL\pN_.\-/{}]*)(?: \([^()\n]{1,80}\))?: +\S`)
)

// maxLabel is the words of a label; more are a sentence.
const maxLabel = 8

// maxClause bounds the text of one entry, in bytes: the windows hold all of it.
const maxClause = 2000

// clauses makes an entry of kind row for each paragraph that is a clause with a heading of its own, a definition or a parameter.
// ordinal goes on from the rows of tables.
func (w *walk) clauses(c doc.Chunk, b *body, ordinal int) {
	c.Kind = doc.KindRow
	for _, l := range b.lines {
		if l.table >= 0 {
			continue
		}
		text := b.text[l.start:l.end]
		label := labelOf(text)
		if label == "" {
			continue
		}
		c.Lines = l.lines
		c.Text = label + "\n" + label + "\n\n\n" + first(text, maxClause)
		w.emit(c, &ordinal)
	}
}

// labelOf is what a paragraph is headed by, or what it defines; "" for other paragraphs.
func labelOf(text string) string {
	head := first(strings.TrimLeft(text, "-• \t"), 400)
	m := clause.FindStringSubmatch(head)
	for _, re := range []*regexp.Regexp{definition, parameter} {
		if m == nil {
			m = re.FindStringSubmatch(head)
		}
	}
	if m == nil || len(strings.Fields(m[1])) > maxLabel {
		return ""
	}
	return strings.TrimSpace(m[1])
}

// first is the first n bytes of s, whole runes only.
func first(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
