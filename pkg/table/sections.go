package table

import "strings"

// section is an open section: a row that heads the rows below it.
type section struct {
	title string
	style style
	until int             // the row that is known to sum it up; 0 when none is
	sums  sums            // of its rows so far
	theme map[string]bool // words that all its rows share, of a section "by" something
	rows  int             // data rows so far
	sumAt int             // the last row whose values are the sums of those above it; 0 when there is none
}

// style is what section rows of one level have in common.
type style struct {
	bold, caps bool
	end        byte
}

// nester gives the rows their parents. A section begins with its row and ends with the row that
// sums it up, which is told by its words, by its name or by arithmetic, or with the next section
// of its level.
type nester struct {
	rows     []Row
	marks    []mark
	names    names
	sections []section
	titles   []string // of sections; nil when they changed
	fresh    bool     // the last row was a section row
	all      sums     // of the whole table
	seen     map[string]place
}

// place is where a label stood last: below the section at this index, which looked like this.
type place struct {
	under int
	style style
}

// nest gives every row its parents and its period.
func (t *Table) nest(marks []mark) {
	n := nester{rows: t.Rows, marks: marks, seen: map[string]place{}}
	for i := range t.Rows {
		if r := &t.Rows[i]; r.Section || i > 0 && mayHead(&t.Rows[i-1], r) {
			n.names = namesOf(t.Rows)
			break
		}
	}
	for i := range t.Rows {
		n.row(i)
	}
	n.settle(0, len(t.Rows))
	for i := range t.Rows {
		t.Rows[i].Period = rowPeriod(&t.Rows[i])
	}
}

func (n *nester) row(i int) {
	row, m := &n.rows[i], &n.marks[i]
	if n.names.count == nil { // no sections at all
		row.Parents, row.Merged = m.merged, len(m.merged)
		return
	}
	if row.Section && n.vacant(i) {
		row.Section = false
	}
	if row.Section || n.heads(i) {
		n.open(i, m.bold)
		row.Parents = n.parents(len(n.sections) - 1)
		n.remember(row.Label, len(n.sections)-2)
		return
	}
	n.leaveTheme(row)
	row.Parents = append(n.parents(len(n.sections)), m.merged...)
	row.Merged = len(m.merged)
	n.fresh = false
	n.remember(row.Label, len(n.sections)-1)
	values := amounts(row)
	if n.close(i, values) || sumWords[firstWord(row.Label)] {
		return
	}
	n.all.add(values)
	for j := range n.sections {
		n.sections[j].sums.add(values)
		n.sections[j].rows++
	}
}

// remember keeps below which section a label stands.
func (n *nester) remember(label string, under int) {
	if label == "" || under < 0 || sumWords[firstWord(label)] || keyOf(label) == "other" {
		return
	}
	n.seen[label] = place{under, n.sections[under].style}
}

// parents are the titles of the first k open sections. Rows share the slice: it is never changed,
// and has no room to grow.
func (n *nester) parents(k int) []string {
	if k <= 0 {
		return nil
	}
	if len(n.titles) != len(n.sections) {
		n.titles = make([]string, len(n.sections))
		for i := range n.sections {
			n.titles[i] = n.sections[i].title
		}
	}
	return n.titles[:k:k]
}

// truncate keeps the first k open sections.
func (n *nester) truncate(k int) { n.sections, n.titles = n.sections[:k], nil }

// open begins the section of row i. Its level: that of the section whose rows had the same first
// label; that of the open section of the same style; below the last one when nothing stands
// between them; in place of the last one otherwise. It stays within a section whose sum is still
// to come.
func (n *nester) open(i int, bold bool) {
	n.settle(0, i)
	title := n.rows[i].Label
	s := section{title: strings.TrimRight(title, ":–—- "), style: styleOf(title, bold), until: n.names.end(i, title)}
	if s.title == "" {
		s.title = title
	}
	keep := len(n.sections)
	next := ""
	if i+1 < len(n.rows) {
		next = n.rows[i+1].Label
	}
	if p, ok := n.seen[next]; ok && p.style == s.style && p.under <= keep {
		keep = p.under
	} else if p, ok := n.seen[n.rows[i].Label]; ok && n.fresh && p.under == keep-1 {
		// nested, whatever its style
	} else if j := n.same(s.style); j >= 0 {
		keep = j
	} else if !n.fresh && keep > 0 && n.sections[keep-1].style.rank() >= s.style.rank() {
		keep--
	}
	for j := range n.sections {
		if n.sections[j].title == s.title {
			keep = j
			break
		}
		if n.sections[j].until > i {
			keep = max(keep, j+1)
		}
	}
	n.truncate(min(keep, maxParents-1))
	n.sections = append(n.sections, s)
	n.fresh = true
}

// same is the index of the open section with this style, or -1.
func (n *nester) same(st style) int {
	for i := len(n.sections) - 1; i >= 0; i-- {
		if n.sections[i].style == st && !(n.fresh && i == len(n.sections)-1) {
			return i
		}
	}
	return -1
}

// minCaps is the least length of a title whose capitals say more than "DTD" or "U.S.".
const minCaps = 6

func styleOf(title string, bold bool) style {
	title = unmarked(title)
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
