package layout

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// What has the look of a title and is none, a class each. The rules are about how documents are written, not about one of them.
var (
	// reContinued is a title that comes again at the top of a page.
	reContinued = regexp.MustCompile(`(?i)[\s,–—-]\(?(continued|cont['’]d|cont\.)\)?[.:]?$`)
	// reFirm is a firm by the form its law gives it.
	reFirm = regexp.MustCompile(`(?i)^[\p{L}\d][\p{L}\d .,&'’()-]{0,60}?[\s,](inc|incorporated|corp|corporation|ltd|limited|llc|l\.l\.c|lp|l\.p|llp|plc|n\.a|gmbh|s\.a)\.?$`)
	// reGroup is a firm with what it owns.
	reGroup = regexp.MustCompile(`(?i)^[^:;]{2,70}?,?\s*and\s+(its\s+)?(consolidated\s+)?subsidiar(ies|y companies)$`)
	// rePhrase is a word that makes more than a name of it.
	rePhrase = regexp.MustCompile(`(?i)\b(of|to|by|for|from|with|between|subsidiaries|consent|agreement|plan|report|letter|items?|notes?|exhibit|about|overview)\b`)
	reGroups = regexp.MustCompile(`(?i),?\s*and\s+(its\s+)?(consolidated\s+)?subsidiar(ies|y companies)$`)

	// reRefers is a reference, or the rest of a title that began above.
	reRefers = regexp.MustCompile(`^(?i:(please )?(refer to|see) )|^(OF|AND|TO|IN|THE|FOR)\s+\d`)

	reDate = regexp.MustCompile(`(?i)^(date:?\s*|dated\s+)?(january|february|march|april|may|june|july|august|september|october|november|december)\s+\d{1,2},?\s+\d{4}[.,]?$`)
	// reVersion says which version of a contract it is, below its title.
	reVersion = regexp.MustCompile(`(?i)^\(?((as )?(amended|restated|adopted)|(generally )?effective|dated)\b.{0,60}\b(19|20)\d\d\)?\.?$`)
	reSum     = regexp.MustCompile(`^([A-Z]{3}\s?|[$€£¥]\s?)[\d.,]+( (million|billion|thousand))?$`)
	rePlace   = regexp.MustCompile(`^[\p{Lu}][\p{L}. '’-]{1,40},\s+([A-Z]{2}|[A-Z]\.[A-Z]\.|[\p{Lu}][\p{L} ]{2,24})(\s+\d{5}(-\d{4})?)?$`)
	reSigns   = regexp.MustCompile(`(?i)^(by|name|title|its)\s*:|/s/|_{8,}`)
	reBlocks  = regexp.MustCompile(`(?i)^(by|name|title|date|its|attest|witness)\s*:|^/s/`)

	// reIntroduction is a sentence that leads to the table, list or text below it.
	reIntroduction = regexp.MustCompile(`(?i)\b(follows|following|consists? of|comprised of|(set forth|shown|presented|summari[sz]ed|listed|described) (below|above)|presents?|provides?|agrees? that|certify that|in the (tables?|chart) below|reconciliation of .* to .* \(in)\b.*:$`)

	reCoverPage = regexp.MustCompile(`(?i)\bcommission\s+file\b|exact name of (the )?registrant|indicate by check ?mark|securities registered pursuant|registrant['’]s telephone|documents incorporated by reference`)
	reCoverHead = regexp.MustCompile(`(?i)^form\s+\d{1,2}-[a-z]{1,2}\b|^documents incorporated by reference|^explanatory note`)
	reCharter   = regexp.MustCompile(`(?i)exact name of (the )?registrant|as specified in its charter`)
)

// coverPages is how many pages at the start are looked at for the cover of a filing.
const coverPages = 4

// findCover marks the pages of a filing's cover and reads the registrant's name from it.
func (s *sheet) findCover() {
	for i, p := range s.pages[:min(len(s.pages), coverPages)] {
		n, last := 0, 0
		for k, l := range p.lines {
			t := l.text()
			if reCoverPage.MatchString(t) {
				n, last = n+1, k+1
			}
			if s.owner == "" && k > 0 && reCharter.MatchString(t) {
				s.owner = firm(p.lines[k-1].text())
			}
		}
		if n >= 2 || n == 1 && i > 0 && s.pages[i-1].cover > 0 {
			p.cover = last
		}
	}
	for _, p := range s.pages {
		p.owner = s.owner
	}
}

// nameSecurities gives the list of registered securities on the cover a heading: it is asked for, and the cover's own lines are no titles.
func (s *sheet) nameSecurities() {
	for _, p := range s.pages[:min(len(s.pages), coverPages)] {
		for _, l := range p.lines[:p.cover] {
			if t := l.text(); l.head == nil && !l.furniture && reSecurities.MatchString(t) {
				l.before = append(l.before, &head{title: "Securities registered", level: 2, why: "cover"})
				return
			}
		}
	}
}

var reSecurities = regexp.MustCompile(`(?i)^securities registered pursuant to section 12\(b\)`)

// dropLetters gives up lettered paragraphs of a filing's items as titles: past its signatures, in contracts, letters name clauses.
func (s *sheet) dropLetters() {
	items, last := 0, -1
	for i, p := range s.pages {
		for _, l := range p.lines {
			if l.head != nil && reItem.MatchString(l.head.title) {
				items++
			}
			if l.head != nil && reSigned.MatchString(l.head.title) && last < 0 && items > 0 {
				last = i
			}
		}
	}
	if items < 4 {
		return
	}
	for _, p := range s.pages[:last+1] {
		for _, l := range p.lines {
			if l.head != nil && !l.bold && reLetters.MatchString(l.head.title) {
				l.head = nil
			}
		}
	}
}

// firm is a name as it is compared: without articles and what the firm owns.
func firm(t string) string {
	return strings.TrimPrefix(normal(reGroups.ReplaceAllString(t, "")), "the ")
}

// isName reports whether t is nothing but the name of a firm.
func (p *page) isName(t string) bool {
	if len(t) > 90 || counted(t) {
		return false
	}
	if n := firm(t); n != "" && n == p.owner || reGroup.MatchString(t) {
		return true
	}
	return reFirm.MatchString(t) && !rePhrase.MatchString(t) && len(strings.Fields(t)) <= 7
}

// refused reports whether line k, whose text is t, belongs to a class that is never a title.
func (p *page) refused(k int, t string) bool {
	l := p.lines[k]
	switch {
	case k < p.cover && !reCoverHead.MatchString(t) && !filed(t):
		return true
	case reContinued.MatchString(t), reDate.MatchString(t), reSigns.MatchString(t):
		return true
	case leads(t), reRefers.MatchString(t), reVersion.MatchString(t), reSum.MatchString(t):
		return true
	case len(l.cells) == 2 && rePageLabel.MatchString(l.cells[1].text): // an entry of contents
		return true
	case rePlace.MatchString(t) && (p.dated(k-1) || p.dated(k+1)):
		return true
	case !l.bold && !l.italic && sentence(t):
		return true
	}
	return k+1 < len(p.lines) && reContinuedAlone.MatchString(p.lines[k+1].text()) && p.lines[k+1].y0-l.y1 < l.size
}

// leads reports whether t is a sentence that leads to what stands below it.
func leads(t string) bool {
	return reIntroduction.MatchString(t) || strings.HasSuffix(t, ":") && len(strings.Fields(t)) > 12
}

var rePageLabel = regexp.MustCompile(`^[A-Z]-\d{1,3}$`)

var reContinuedAlone = regexp.MustCompile(`(?i)^\(?continued\)?[.:]?$`)

func (p *page) dated(k int) bool {
	return k >= 0 && k < len(p.lines) && (reDate.MatchString(p.lines[k].text()) || reSigns.MatchString(p.lines[k].text()))
}

// sentence reports whether t reads as a sentence rather than a title: it ends like one, and most of its many words are small.
func sentence(t string) bool {
	words := strings.Fields(t)
	return len(words) >= 9 && strings.HasSuffix(t, ".") && !titled(t) && !capitals(t) && !numbered(t)
}

// dropSigned gives up names and offices around signatures.
func (s *sheet) dropSigned() {
	signed := false // past the heading of the signatures, before the next title that is known by its words
	for _, p := range s.pages {
		signs := 0
		for _, l := range p.lines {
			if reBlocks.MatchString(l.text()) || strings.Contains(l.text(), "/s/") {
				signs++
			}
		}
		signed = signed && signs > 0
		for k, l := range p.lines {
			if l.head == nil {
				continue
			}
			t := l.head.title
			if reTail.MatchString(t) || reSigned.MatchString(t) || numbered(t) || reCertifies.MatchString(t) {
				signed = reSigned.MatchString(t)
				continue
			}
			if signed || k >= p.cover && p.bySignature(k) {
				l.head = nil
			}
		}
	}
}

var reCertifies = regexp.MustCompile(`(?i)^(certification|consent|power of attorney|report of|subsidiaries|list of|description of|ratio of)`)

// bySignature reports whether line k stands in a block of signatures: a signature is a few short lines above or below.
func (p *page) bySignature(k int) bool {
	short := func(j int) bool { l := p.lines[j]; return l.x1-l.x0 < 0.5*p.w && !l.furniture }
	signs := func(j int) bool { return j >= 0 && j < len(p.lines) && reSigns.MatchString(p.lines[j].text()) }
	for j := k + 1; j < len(p.lines) && j <= k+4; j++ {
		if signs(j) {
			return true
		}
		if !short(j) {
			break
		}
	}
	if k+1 < len(p.lines) && !short(k+1) {
		return false
	}
	for j := k - 1; j >= 0 && j >= k-5; j-- {
		if signs(j) {
			return true
		}
		if !short(j) {
			break
		}
	}
	return false
}

// dropFields gives up the labels of forms, which follow one another with colons, and titles that end in the middle of a phrase.
func (p *page) dropFields() {
	label := func(k int) bool {
		return k >= 0 && k < len(p.lines) && p.lines[k].head != nil && strings.HasSuffix(p.lines[k].head.title, ":") && !counted(p.lines[k].head.title)
	}
	var drop []*line
	for k, l := range p.lines {
		if l.head == nil || l.head.style == styleSection {
			continue
		}
		t := l.head.title
		if label(k) && (label(k-1) || label(k+1)) || cut(t) && !filed(t) {
			drop = append(drop, l)
		}
	}
	for _, l := range drop {
		l.head = nil
	}
}

// cut reports whether t ends in the middle of a phrase.
func cut(t string) bool {
	i := strings.LastIndexByte(t, ' ')
	switch strings.ToLower(t[i+1:]) {
	case "and", "of", "the", "to", "with", "by", "from", "per", "than", "which", "pursuant", "consist", "consists":
		return i > 0
	}
	return false
}

// dropAgain gives up the title of the notes where it heads a page that goes on with what the page before began.
func (s *sheet) dropAgain() {
	last := ""
	for _, p := range s.pages {
		now := ""
		for _, l := range p.lines {
			if l.furniture || p.isName(l.text()) {
				continue
			}
			if l.head != nil && reNotes.MatchString(l.head.title) {
				if now = normal(l.head.title); now == last {
					l.head = nil
				}
			}
			break
		}
		last = now
	}
}

// goOn adds to a title in bold what the next line has of it before its text begins.
func (p *page) goOn(k int) {
	l := p.lines[k]
	j := k + l.head.merged + 1
	if j >= len(p.lines) || !l.bold || len(l.head.title) > 320 || strings.HasSuffix(l.head.title, ".") {
		return
	}
	n, before := p.lines[j], p.lines[j-1]
	if n.bold || n.opening == "" || !n.isText() || n.head != nil || n.column != l.column || abs(n.size-l.size) >= 0.6 || n.y0-before.y1 >= l.size*0.75 || n.y0 <= before.y0 || before.x1-before.x0 < 0.5*p.w && before.column == 0 {
		return
	}
	if utf8.RuneCountInString(n.opening) < 3 || !strings.HasPrefix(n.text(), n.opening) {
		return
	}
	l.head.title += " " + strings.TrimSpace(n.opening)
	l.head.rest = strings.TrimSpace(n.text()[len(n.opening):])
	l.head.merged++
}
