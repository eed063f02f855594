package table

import (
	"strings"
	"unicode"
)

// section is an open section row.
type section struct {
	title string
	style style
}

// style is what section rows of one level have in common.
type style struct {
	bold, caps bool
	end        byte
}

// parents are the titles of the first n open sections. Rows share the slice: it is never changed,
// and has no room to grow.
func (b *builder) parents(n int) []string {
	if n <= 0 {
		return nil
	}
	if len(b.titles) != len(b.sections) {
		b.titles = make([]string, len(b.sections))
		for i := range b.sections {
			b.titles[i] = b.sections[i].title
		}
	}
	return b.titles[:n:n]
}

// open begins a section. Its level: that of the open section of the same style; below the last
// one when nothing stands between them; in place of the last one otherwise.
func (b *builder) open(title string, bold bool) {
	s := section{title: strings.TrimRight(title, ":–—- "), style: styleOf(title, bold)}
	if s.title == "" {
		s.title = title
	}
	keep := len(b.sections)
	if i := b.same(s.style); i >= 0 {
		keep = i
	} else if !b.fresh && keep > 0 && b.sections[keep-1].style.rank() >= s.style.rank() {
		keep--
	}
	b.sections, b.titles = append(b.sections[:min(keep, maxParents-1)], s), nil
	b.fresh = true
}

// same is the index of the open section with this style, or -1.
func (b *builder) same(st style) int {
	for i := len(b.sections) - 1; i >= 0; i-- {
		if b.sections[i].style == st && !(b.fresh && i == len(b.sections)-1) {
			return i
		}
	}
	return -1
}

// close ends the section that a row "Total current assets" sums up. A total of something else
// ends the innermost one, before the row itself.
func (b *builder) close(row *Row) {
	if len(b.sections) == 0 || !sums[firstWord(row.Label)] {
		return
	}
	words := contentWords(row.Label)
	for i := len(b.sections) - 1; i >= 0; i-- {
		if contains(words, contentWords(b.sections[i].title)) {
			row.Parents = append(b.parents(i+1), row.Parents[len(row.Parents)-row.Merged:]...)
			b.sections, b.titles = b.sections[:i], nil
			return
		}
	}
}

// sums are the first words of a row that may sum up a section.
var sums = map[string]bool{"total": true, "totals": true, "net": true, "subtotal": true, "итого": true, "всего": true, "summe": true, "gesamt": true}

// filler are words that two names of the same thing need not share.
var filler = map[string]bool{"the": true, "and": true, "from": true, "for": true, "flows": true, "flow": true, "total": true, "net": true, "итого": true, "всего": true}

// contentWords are the words of a label that carry meaning, in lower case.
func contentWords(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(cut(s, 300)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(w) > 2 && !filler[w] {
			m[w] = true
		}
	}
	return m
}

// contains reports whether all words of part, at least one, are among those of whole.
func contains(whole, part map[string]bool) bool {
	for w := range part {
		if !whole[w] {
			return false
		}
	}
	return len(part) > 0
}

// minCaps is the least length of a title whose capitals say more than "DTD" or "U.S.".
const minCaps = 6

func styleOf(title string, bold bool) style {
	s := style{bold: bold, caps: len(title) >= minCaps && strings.ToUpper(title) == title && strings.ToLower(title) != title}
	if strings.HasPrefix(strings.ToLower(title), "cash flow") {
		s.bold = true
	}
	if n := len(title); n > 0 {
		switch c := title[n-1]; {
		case c == ':':
			s.end = ':'
		case strings.HasSuffix(title, "–") || strings.HasSuffix(title, "—") || c == '-':
			s.end = '-'
		}
	}
	return s
}

// rank orders styles: loud ones stand higher.
func (s style) rank() int {
	switch {
	case s.caps || s.bold:
		return 0
	case s.end == '-':
		return 2
	}
	return 1
}
