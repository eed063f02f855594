package layout

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// dropFurniture marks running heads and feet, and printed page numbers.
func (s *sheet) dropFurniture() {
	s.dropPageNumbers()
	counts, exact := map[string]int{}, map[string]int{}
	for _, p := range s.pages {
		for _, l := range p.margins() {
			counts[masked(l.text())]++
			exact[l.text()]++
		}
	}
	enough := max(3, len(s.pages)/12)
	kept := map[string]bool{}
	for _, p := range s.pages {
		for _, l := range p.margins() {
			key := masked(l.text())
			if counts[key] < enough && key != "#" && key != "" || exact[l.text()] == 1 && clause.MatchString(l.text()) {
				continue
			}
			// the first of them may be the title that the others repeat
			if !kept[key] && utf8.RuneCountInString(key) >= 8 && !strings.ContainsRune(key, '#') {
				kept[key] = true
				continue
			}
			l.furniture = true
		}
	}
}

// clause is a line that numbers a piece of text, "Clause 12": it rises as page numbers do and is none. As a running head
// the same one comes again.
var clause = regexp.MustCompile(`(?i)^(?:clause|section|article|item|note|rule|step|question|chapter|part|schedule|paragraph|exhibit|appendix|annex|table|figure|статья|пункт|глава|artikel|abschnitt|ziffer|§)\s*\d{1,3}\.?$`)

// margins are the lines near the upper and lower edge of the page.
func (p *page) margins() (out []*line) {
	for _, l := range p.lines {
		if !l.furniture && (l.y1 < p.h*0.09 || l.y0 > p.h*0.90) {
			out = append(out, l)
		}
	}
	// short pages end early, and some have their heads and feet further in; rows of a table look alike, too, and are none
	for k := len(p.lines) - 1; k >= 0 && k >= len(p.lines)-2; k-- {
		if l := p.lines[k]; !l.furniture && l.y0 <= p.h*0.90 && l.y1 >= p.h*0.09 && strings.ContainsFunc(l.text(), unicode.IsDigit) && l.chars < 80 && !(len(l.cells) > 2 && p.isRow(l)) {
			out = append(out, l)
		}
	}
	return out
}

// maxPrinted is how many lines of a page may be numbers for one of them to be the page's.
const maxPrinted = 100

// printed is a number that may be that of a page.
type printed struct {
	n    int
	line *line
}

// dropPageNumbers finds the numbers that rise with the pages, wherever they stand: a page of print may fill more
// or less than one of the file. They become the pages' labels.
func (s *sheet) dropPageNumbers() {
	again := s.repeated()
	all := make([][]printed, len(s.pages))
	for i, p := range s.pages {
		for _, l := range p.lines {
			if n, ok := pageNumber(l.text()); ok {
				all[i] = append(all[i], printed{n, l})
			} else if n, ok := numberBeside(l.text()); ok && again[masked(l.text())] >= max(3, len(s.pages)/12) {
				all[i] = append(all[i], printed{n, l})
			}
		}
	}
	for i, p := range s.pages {
		best := 0
		if len(all[i]) > maxPrinted {
			continue // a page of numbers
		}
		for _, c := range all[i] {
			k := support(all, i, c.n)
			outer := c.line.y1 < p.h*0.12 || c.line.y0 > p.h*0.86
			if k < 2 || !outer && k < 4 {
				continue
			}
			c.line.furniture = true
			if k > best {
				best, p.label = k, strconv.Itoa(c.n)
			}
		}
	}
}

// support counts the pages around i, six before and six after, with a number that fits n on page i.
func support(all [][]printed, i, n int) (count int) {
	for k := max(0, i-6); k <= min(len(all)-1, i+6); k++ {
		if len(all[k]) > maxPrinted {
			continue
		}
		for _, c := range all[k] {
			step, pages := c.n-n, k-i
			if pages < 0 {
				step, pages = -step, -pages
			}
			if pages > 0 && step <= 2*pages && 3*step >= pages {
				count++
				break
			}
		}
	}
	return count
}

// repeated counts short lines that are equal but for their numbers.
func (s *sheet) repeated() map[string]int {
	m := map[string]int{}
	for _, p := range s.pages {
		for _, l := range p.lines {
			if _, ok := numberBeside(l.text()); ok {
				m[masked(l.text())]++
			}
		}
	}
	return m
}

// numberBeside is the page number at the beginning or end of a short line: "42 Somebody, Inc.", "Annual Report 41".
func numberBeside(t string) (int, bool) {
	if len(t) > 60 || len(t) < 6 || numbered(t) || clause.MatchString(t) || strings.IndexFunc(t, unicode.IsLetter) < 0 {
		return 0, false
	}
	last := t[strings.LastIndexByte(t, ' ')+1:]
	first, _, _ := strings.Cut(t, " ")
	if n, err := strconv.Atoi(last); err == nil && len(last) <= 3 {
		return n, n > 0
	}
	n, err := strconv.Atoi(first)
	return n, err == nil && len(first) <= 3 && n > 0
}

// pageNumber reads a line that is nothing but a page number: "12", "- 12 -", "Page 12 of 90".
func pageNumber(t string) (int, bool) {
	if len(t) > 24 || t == "" {
		return 0, false
	}
	l := strings.ToLower(strings.Trim(t, " -–—|"))
	if strings.HasPrefix(l, "page ") {
		l, _, _ = strings.Cut(strings.TrimPrefix(l, "page "), " of ")
	}
	if len(l) > 4 {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSpace(l))
	return n, err == nil && n > 0
}

// measure finds the size that most text has, over all and around each page.
func (s *sheet) measure() {
	all := map[float32]int{}
	by := make([]map[float32]int, len(s.pages))
	for i, p := range s.pages {
		by[i] = map[float32]int{}
		for _, l := range p.lines {
			if l.furniture {
				continue
			}
			n := l.chars
			if wide := l.x1 - l.x0; len(l.cells) == 1 && (wide > 0.35*p.w || l.column > 0 && wide > 0.2*p.w) { // text tells more than tables, which may be small or large
				n *= 8
			}
			by[i][l.size] += n
			all[l.size] += n
		}
	}
	if s.body = most(all); s.body == 0 {
		s.body = 10
	}
	for i, p := range s.pages {
		around := map[float32]int{}
		total := 0
		for k := max(0, i-2); k <= min(len(s.pages)-1, i+2); k++ {
			for size, n := range by[k] {
				around[size] += n
				total += n
			}
		}
		p.body = most(around)
		if p.body == 0 || p.body < s.body && around[p.body] < 3000 {
			p.body = s.body
		}
	}
}
