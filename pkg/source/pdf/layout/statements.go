package layout

import (
	"regexp"
	"strings"
)

// statement is a kind of financial statement: how its rows are known, and its titles.
type statement struct {
	title string
	rows  []*regexp.Regexp // every one must be a row's label on the page
	named *regexp.Regexp   // a title that says so, its blanks taken out: they stand oddly in large letters
}

var statements = []statement{
	{"Balance sheet", patterns(`^total assets`, `^total (current )?liabilities|^deposits`, `(stock|share)(holders|owners)['’]?s?[’']? ?(equity|\(deficit|investment)|total equity|total deficit|total liabilities and`,
		`retained|reinvested|accumulated|treasury|paid-in|common (stock|shares)`),
		regexp.MustCompile(`(?i)balancesheets?|financial(position|condition)`)},
	{"Income statement", patterns(`net (income|earnings|\(?loss\)?)|profit for`, `income tax|before (provision|tax)`, `revenue|net sales|^sales|total net`, `diluted|per (common )?share`, `expense|cost`),
		regexp.MustCompile(`(?i)statements?of(consolidated)?((comprehensive)?(income|operations|earnings|profit)|\(?loss)|incomestatements?|resultsofoperations`)},
	{"Cash flow statement", patterns(`operating activities`, `investing activities`, `financing activities`, `(increase|decrease|change) in cash|end of (the )?(year|period|quarter)|cash.*, end|, ending|cash and cash equivalents`, `depreciation|amortization`),
		regexp.MustCompile(`(?i)cashflows?`)},
}

// names reports whether a title is that of the statement.
func (st *statement) names(t string) bool {
	return st.named.MatchString(strings.ReplaceAll(t, " ", ""))
}

func patterns(all ...string) (out []*regexp.Regexp) {
	for _, p := range all {
		out = append(out, regexp.MustCompile(`(?i)`+p))
	}
	return out
}

const minStatementRows = 10

// findStatements gives every page whose rows are those of a statement a heading that names it: a
// heading there already, a line of text that says so, or a synthetic one before the table.
func (s *sheet) findStatements() {
	last := s.levelsAbove()
	for i, p := range s.pages {
		labels := p.rowLabels()
		if len(labels) < minStatementRows || p.contents {
			continue
		}
		for k := range statements {
			if st := &statements[k]; st.fits(labels) {
				p.name(st, last[i])
			}
		}
	}
}

// levelsAbove is, by page, the level below the last part, item or other fixed heading.
func (s *sheet) levelsAbove() []int {
	out := make([]int, len(s.pages))
	level := 0
	for i, p := range s.pages {
		for _, l := range p.lines {
			for _, h := range append(l.before, l.head) {
				if h != nil && h.why != "style" {
					level = h.level
				}
			}
		}
		out[i] = min(level+1, maxLevel)
	}
	return out
}

// rowLabels are the labels of the page's rows.
func (p *page) rowLabels() (out []string) {
	for _, l := range p.lines {
		if l.table != nil && len(l.cells) > 0 {
			out = append(out, l.cells[0].text)
		}
	}
	return out
}

func (st *statement) fits(labels []string) bool {
	for _, re := range st.rows {
		hit := false
		for _, l := range labels {
			if re.MatchString(strings.TrimSpace(l)) {
				hit = true
				break
			}
		}
		if !hit {
			return false
		}
	}
	return true
}

// name gives the page's statement a heading, unless it has one.
func (p *page) name(st *statement, level int) {
	var line *line
	own := true // no other heading speaks for the table
	for k, l := range p.lines {
		if l.table != nil && !l.entry {
			break
		}
		own = own && (l.head == nil || !reNote.MatchString(l.head.title) && !strings.Contains(strings.ToLower(l.head.title), "highlights"))
		if l.head != nil && st.names(l.head.title) {
			return
		}
		if t := l.cells[0].text; line == nil && !l.furniture && l.head == nil && len(t) < 100 && st.names(t) && begins(t) && (len(l.cells) > 1 || p.alone(k) || l.x1-l.x0 < 0.6*p.w) {
			line = l
		}
	}
	if line != nil {
		line.head = &head{title: line.text(), level: level, why: "statement"}
		return
	}
	for _, l := range p.lines {
		if own && l.table != nil {
			l.before = append(l.before, &head{title: st.title, level: level, why: "statement"})
			return
		}
	}
}
