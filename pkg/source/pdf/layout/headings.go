package layout

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// head is a line's claim to be a heading.
type head struct {
	title  string
	only   bool // it may go on another heading, but not begin one
	open   bool // it ends in a comma, or is the name of a firm: it is one only with the next line
	style  string
	score  float64 // how much it stands out
	merged int     // lines after it that belong to it
	rest   string  // text that follows a run-in title on its line
	level  int
	why    string
}

var reContents = regexp.MustCompile(`(?i)^((table\s+of\s+)?contents|inhalt(sverzeichnis)?|содержание|оглавление)$`)

// reRemark is what stands under statements and tables in the style of titles.
var reRemark = regexp.MustCompile(`(?i)^\(?(see |the )?accompanying notes|^see notes|^\(?(dollars |amounts )?(in|except) (millions|thousands|billions)|^\(?unaudited\)?$|^\(?continued\)?$|^total\b|^\$|^(for the )?((fiscal )?(years?|quarters?|periods?)|(three|six|nine|twelve)( and (three|six|nine|twelve))? months) ended\b|^(as of|at|as at) (january|february|march|april|may|june|july|august|september|october|november|december)\b`)

// reMention is a sentence that begins with the name of an item.
var reMention = regexp.MustCompile(`(?i)^(items?|part|note)\s+[\dA-Z]+\s+(of|in|to|for|above|below|hereof|herein|is|are|was)\b`)

var reDigits = regexp.MustCompile(`^\d{1,3}$`)

// findHeadings marks the lines that look like headings.
func (s *sheet) findHeadings() {
	for _, p := range s.pages {
		bold := p.mostlyBold()
		for k := range p.lines {
			p.lines[k].head = p.claim(k, bold)
		}
		p.mergeHeads()
		p.titleOverContents()
		p.dropFields()
		p.dropLists()
	}
	s.dropSigned()
	s.dropLetters()
	s.dropAgain()
	s.dropRepeated()
}

// mostlyBold reports whether bold says nothing on this page.
func (p *page) mostlyBold() bool {
	bold, all := 0, 1
	for _, l := range p.lines {
		if l.isText() {
			all += l.chars
			if l.bold {
				bold += l.chars
			}
		}
	}
	return bold*10 > all*6
}

// claim is what speaks for line k being a heading; nil for nothing.
func (p *page) claim(k int, boldPage bool) *head {
	l := p.lines[k]
	t := l.text()
	if reContents.MatchString(t) && !l.furniture && l.table == nil && (k >= p.cover || p.contents) {
		return &head{title: t, style: p.style(l, t), score: p.score(l, t)}
	}
	if reRemark.MatchString(t) && !p.onTotals(k, t) || reMention.MatchString(t) || p.refused(k, t) {
		return nil
	}
	if l.entry || !l.isText() || len(t) < 3 || len(t) > 180 || len(l.cells) > 2 || reDigits.MatchString(t) || strings.IndexFunc(t, unicode.IsLetter) < 0 {
		return nil
	}
	if len(l.cells) == 2 && !numbered(t) && !counted(t) && (len(l.cells[0].text) > 6 || !strings.ContainsAny(l.cells[0].text, "0123456789.()")) {
		return nil
	}
	if h := p.runIn(l, t); h != nil {
		return h
	}
	if !p.standsOut(k, t, boldPage) || p.overColumns(k) || p.aside(l) && !numbered(t) {
		return nil
	}
	h := &head{title: t, style: p.style(l, t), score: p.score(l, t)}
	comma := strings.HasSuffix(t, ",") && (filed(t) || capitals(t)) && begins(strings.TrimSuffix(t, ","))
	h.open = comma || p.isName(t)
	if !comma && !begins(t) {
		if !l.bold {
			return nil
		}
		h.only = true
	}
	return h
}

// overColumns reports whether line k is a part of the header of the table below it: it stands over its values.
func (p *page) overColumns(k int) bool {
	l := p.lines[k]
	if l.x0 < p.w*0.35 || p.centred(l) && (capitals(l.text()) || strings.Contains(l.text(), " ")) || l.column > 0 {
		return false
	}
	for j := k + 1; j < len(p.lines) && j <= k+3; j++ {
		if p.lines[j].table != nil {
			return p.lines[j].y0-l.y1 < 4*l.size
		}
	}
	return false
}

// aside reports whether a line stands in the right half of a page of one column, or not at its left and in small letters, as heads of columns and dates do.
func (p *page) aside(l *line) bool {
	edge := 0.5 * p.w
	if l.size < p.body-0.9 {
		edge /= 2
	}
	return p.gutter == 0 && l.x0 > edge && !p.centred(l)
}

// begins reports whether t may be the beginning of a title.
func begins(t string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(reMark.ReplaceAllString(t, ""), `(“"‘• `))
	if !unicode.IsUpper(first) && !unicode.IsDigit(first) && !unicode.Is(unicode.Han, first) && !unicode.Is(unicode.Hiragana, first) && !unicode.Is(unicode.Katakana, first) {
		return false
	}
	if strings.HasPrefix(t, "•") || strings.HasPrefix(t, "(") && !counted(t) && !reLetters.MatchString(t) {
		return false
	}
	return !strings.HasSuffix(t, ";") && !strings.HasSuffix(t, ",")
}

// runIn reads a title that begins a paragraph: "Section 2.01 Title. The text goes on".
func (p *page) runIn(l *line, t string) *head {
	if m := reSubRun.FindStringSubmatch(t); m != nil && titled(m[1]) {
		return &head{title: strings.TrimSpace(m[1]), rest: m[2], style: styleSection, score: float64(l.size) * 10}
	}
	m := reRunIn.FindStringSubmatch(t)
	if m == nil || m[4] != "." && l.x1-l.x0 >= 0.6*p.w {
		return nil
	}
	return &head{title: strings.TrimSuffix(strings.TrimSpace(m[0]), "."), rest: strings.TrimSpace(t[len(m[0]):]), style: styleSection, score: float64(l.size) * 10}
}

// standsOut reports whether line k differs from the text around it as headings do.
func (p *page) standsOut(k int, t string, boldPage bool) bool {
	l := p.lines[k]
	bigger := l.size > p.body+0.9 && (l.bold || l.italic || capitals(t) || p.plain(l.size) < manyPlain)
	switch {
	case bigger && (!strings.HasSuffix(t, ",") || filed(t) || capitals(t)):
		return true
	case l.bold && !boldPage:
		return true
	case numbered(t) && len(t) < 140 && capitals(t):
		return true
	case filed(t) && len(t) < 170 && (l.bold || p.alone(k) && titled(t)):
		return true
	case counted(t) && l.bold:
		return true
	case capitals(t) && len(t) > 6 && l.x1-l.x0 < 0.8*p.w && !strings.HasSuffix(t, "."):
		return true
	case reClause.MatchString(t) && len(t) < 140 && (p.alone(k) || strings.HasSuffix(t, ":") && p.closed(k)):
		return titled(t) || strings.HasSuffix(t, ":")
	case reLetters.MatchString(t) && len(t) < 110 && l.x1 < 0.8*p.w && p.alone(k):
		return titled(t) && !strings.ContainsAny(t[len(t)-1:], ",;:")
	case p.named(k, t):
		return true
	case l.italic && p.alone(k) && titled(t) && !reYears.MatchString(t) && l.x1-l.x0 < 0.75*p.w && len(t) < 120 && !strings.ContainsAny(t[len(t)-1:], ".,;:"):
		return true
	case l.italic && l.x1-l.x0 < 0.6*p.w && len(t) < 90 && !strings.ContainsAny(t[len(t)-1:], ".,;:"):
		return k == 0 || l.y0-p.lines[k-1].y1 > p.body*0.35
	}
	return false
}

// manyPlain lines of one size, neither bold nor slanted, are text: titles are fewer.
const manyPlain = 6

// plain counts the lines of the page that have that size and are neither bold nor slanted.
func (p *page) plain(size float32) (n int) {
	for _, l := range p.lines {
		if l.isText() && !l.bold && !l.italic && abs(l.size-size) < 0.3 && l.chars > 20 {
			n++
		}
	}
	return n
}

// named reports whether line k is the title of the article or chapter whose number stands alone on the line above, or of what ends there
// in a dash, both in the middle.
func (p *page) named(k int, t string) bool {
	if k == 0 || len(t) > 120 || strings.ContainsAny(t[len(t)-1:], ".,;:") || !titled(t) && !capitals(t) {
		return false
	}
	above, l := p.lines[k-1], p.lines[k]
	return (reAlone.MatchString(above.text()) || p.dashed(k-1)) && p.centred(above) && p.centred(l) && l.y0-above.y1 < 2.2*l.size
}

// alone reports whether line k is a paragraph of its own.
func (p *page) alone(k int) bool {
	l := p.lines[k]
	above := k == 0 || p.lines[k-1].furniture || l.y0-p.lines[k-1].y1 > 0.4*l.size || p.lines[k-1].head != nil
	below := k+1 == len(p.lines) || p.lines[k+1].furniture || p.lines[k+1].y0-l.y1 > 0.4*l.size
	return above && below
}

func (p *page) centred(l *line) bool {
	return abs((l.x0+l.x1)/2-p.w/2) < 12 && l.x0 > 0.2*p.w
}

// style is equal for headings that look the same.
func (p *page) style(l *line, t string) string {
	return fmt.Sprintf("%.1f %v %v %v %v", l.size, l.bold, l.italic, capitals(t), p.centred(l))
}

// score is higher the more a heading stands out.
func (p *page) score(l *line, t string) float64 {
	v := float64(l.size) * 10
	if l.bold {
		v += 6
	}
	if capitals(t) {
		v += 4
	}
	if p.centred(l) {
		v += 2
	}
	if l.italic {
		v -= 3
	}
	return v
}

// mergeHeads joins titles that are wrapped over lines; a claim that grows too long is text.
func (p *page) mergeHeads() {
	for k, l := range p.lines {
		if l.head == nil {
			continue
		}
		if l.head.only {
			l.head = nil
			continue
		}
		most := 3 // lines after the first; titles in the middle of the page may have more
		if p.centred(l) && capitals(l.head.title) {
			most = 5
		}
		for j := k + 1; j < len(p.lines) && j-k <= most+1 && p.continues(k, j); j++ {
			l.head.title += " " + p.lines[j].head.title
			l.head.merged++
			p.lines[j].head = nil
		}
		if l.head.open && l.head.merged == 0 || leads(l.head.title) || len(l.head.title) > 300 || l.head.merged > most {
			l.head = nil
			continue
		}
		p.goOn(k)
	}
}

// continues reports whether line j goes on the title of line k, all lines between being part of it.
func (p *page) continues(k, j int) bool {
	l, n, before := p.lines[k], p.lines[j], p.lines[j-1]
	if j == k+1 && n.head != nil && p.dashed(k) && p.named(j, n.text()) {
		return true
	}
	if n.head == nil || n.head.style == styleSection || l.head.style == styleSection || n.bold != l.bold || n.italic != l.italic ||
		abs(n.size-l.size) >= 0.6 || n.column != l.column || n.y0 <= before.y0 {
		return false
	}
	gap := n.y0 - before.y1
	alone := reAlone.MatchString(l.head.title)
	if gap >= l.size*0.75 && !(alone && gap < l.size*2.2) {
		return false
	}
	t := n.head.title
	if p.isName(l.head.title) && (reStatement.MatchString(t) || reNotes.MatchString(t)) || p.isName(t) {
		return false
	}
	if alone && j == k+1 && p.named(j, t) {
		return true
	}
	middle := cut(before.text()) && p.centred(before) && p.centred(n) // of a phrase, and of the page
	if !middle && (filed(t) || reDotted.MatchString(t) || capitals(t) != capitals(l.head.title)) {
		return false
	}
	wide := before.x1 > 0.72*p.w && before.x0 < 0.4*p.w || n.column > 0 && before.x1-before.x0 > 0.3*p.w
	first, _ := utf8.DecodeRuneInString(t)
	return wide || alone || unicode.IsLower(first) || cut(before.text()) || p.centred(l) && p.centred(n) && capitals(t)
}

// dropLists gives up runs of more than six claims in a row: a cover, a list, a table that was not
// seen. What names itself stays.
func (p *page) dropLists() {
	from := 0
	for k := 0; k <= len(p.lines); k++ {
		if k < len(p.lines) && p.lines[k].head != nil {
			continue
		}
		if k-from > 6 {
			for _, l := range p.lines[from:k] {
				if !filed(l.head.title) {
					l.head = nil
				}
			}
		}
		from = k + 1
	}
}

// dropRepeated gives up titles that come again and again: names of the company, units.
func (s *sheet) dropRepeated() {
	counts := map[string]int{}
	for _, p := range s.pages {
		for _, l := range p.lines {
			if l.head != nil {
				counts[normal(l.head.title)]++
			}
		}
	}
	for _, p := range s.pages {
		for _, l := range p.lines {
			if l.head != nil && counts[normal(l.head.title)] > max(6, len(s.pages)/15) {
				l.head = nil
			}
		}
	}
}
