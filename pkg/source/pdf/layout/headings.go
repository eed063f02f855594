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
		p.dropLists()
	}
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
	if reContents.MatchString(t) && !l.furniture && l.table == nil {
		return &head{title: t, style: p.style(l, t), score: p.score(l, t)}
	}
	if reRemark.MatchString(t) || reMention.MatchString(t) {
		return nil
	}
	if l.entry || !l.isText() || len(t) < 3 || len(t) > 180 || len(l.cells) > 2 || reDigits.MatchString(t) || strings.IndexFunc(t, unicode.IsLetter) < 0 {
		return nil
	}
	if len(l.cells) == 2 && !numbered(t) && !counted(t) && len(l.cells[0].text) > 6 {
		return nil
	}
	if h := p.runIn(l, t); h != nil {
		return h
	}
	if !p.standsOut(k, t, boldPage) || p.overColumns(k) {
		return nil
	}
	h := &head{title: t, style: p.style(l, t), score: p.score(l, t)}
	if !begins(t) {
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
	if l.x0 < p.w*0.35 || p.centred(l) || l.column > 0 {
		return false
	}
	for j := k + 1; j < len(p.lines) && j <= k+3; j++ {
		if p.lines[j].table != nil {
			return p.lines[j].y0-l.y1 < 4*l.size
		}
	}
	return false
}

// begins reports whether t may be the beginning of a title.
func begins(t string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(t, `(“"‘• `))
	if !unicode.IsUpper(first) && !unicode.IsDigit(first) && !unicode.Is(unicode.Han, first) && !unicode.Is(unicode.Hiragana, first) && !unicode.Is(unicode.Katakana, first) {
		return false
	}
	if strings.HasPrefix(t, "•") || strings.HasPrefix(t, "(") && !counted(t) {
		return false
	}
	return !strings.HasSuffix(t, ";") && !strings.HasSuffix(t, ",")
}

// runIn reads a title that begins a paragraph: "Section 2.01 Title. The text goes on".
func (p *page) runIn(l *line, t string) *head {
	m := reRunIn.FindStringSubmatch(t)
	if m == nil || m[4] != "." && l.x1-l.x0 >= 0.6*p.w {
		return nil
	}
	return &head{title: strings.TrimSuffix(strings.TrimSpace(m[0]), "."), rest: strings.TrimSpace(t[len(m[0]):]), style: styleSection, score: float64(l.size) * 10}
}

// standsOut reports whether line k differs from the text around it as headings do.
func (p *page) standsOut(k int, t string, boldPage bool) bool {
	l := p.lines[k]
	bigger := l.size > p.body+0.9
	switch {
	case bigger && !strings.HasSuffix(t, ","):
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
	case reClause.MatchString(t) && len(t) < 140 && p.alone(k):
		return titled(t) || strings.HasSuffix(t, ":")
	case l.italic && l.x1-l.x0 < 0.6*p.w && len(t) < 90 && !strings.ContainsAny(t[len(t)-1:], ".,;:"):
		return k == 0 || l.y0-p.lines[k-1].y1 > p.body*0.35
	}
	return false
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
		for j := k + 1; j < len(p.lines) && j-k <= 4 && p.continues(k, j); j++ {
			l.head.title += " " + p.lines[j].head.title
			l.head.merged++
			p.lines[j].head = nil
		}
		if len(l.head.title) > 300 || l.head.merged >= 4 {
			l.head = nil
		}
	}
}

// continues reports whether line j goes on the title of line k, all lines between being part of it.
func (p *page) continues(k, j int) bool {
	l, n, before := p.lines[k], p.lines[j], p.lines[j-1]
	if n.head == nil || n.head.style == styleSection || l.head.style == styleSection || n.bold != l.bold || n.italic != l.italic ||
		abs(n.size-l.size) >= 0.6 || n.column != l.column || n.y0 <= before.y0 {
		return false
	}
	gap := n.y0 - before.y1
	alone := reAlone.MatchString(l.head.title)
	if gap >= l.size*0.75 && !(alone && gap < l.size*2) {
		return false
	}
	t := n.head.title
	if filed(t) || reDotted.MatchString(t) || capitals(t) != capitals(l.head.title) {
		return false
	}
	wide := before.x1 > 0.72*p.w || n.column > 0 && before.x1-before.x0 > 0.3*p.w
	first, _ := utf8.DecodeRuneInString(t)
	return wide || alone || unicode.IsLower(first) || p.centred(l) && p.centred(n) && capitals(t)
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
