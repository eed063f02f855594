package layout

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// dropFurniture marks running heads and feet, and printed page numbers.
func (s *sheet) dropFurniture() {
	s.dropPageNumbers()
	counts := map[string]int{}
	for _, p := range s.pages {
		for _, l := range p.margins() {
			counts[masked(l.text())]++
		}
	}
	enough := max(3, len(s.pages)/12)
	kept := map[string]bool{}
	for _, p := range s.pages {
		for _, l := range p.margins() {
			key := masked(l.text())
			if counts[key] < enough && key != "#" && key != "" {
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

// margins are the lines near the upper and lower edge of the page.
func (p *page) margins() (out []*line) {
	for _, l := range p.lines {
		if !l.furniture && (l.y1 < p.h*0.09 || l.y0 > p.h*0.90) {
			out = append(out, l)
		}
	}
	// short pages end early, and some have their heads and feet further in
	for k := len(p.lines) - 1; k >= 0 && k >= len(p.lines)-2; k-- {
		if l := p.lines[k]; !l.furniture && l.y0 <= p.h*0.90 && l.y1 >= p.h*0.09 && strings.ContainsFunc(l.text(), unicode.IsDigit) && l.chars < 80 {
			out = append(out, l)
		}
	}
	return out
}

// dropPageNumbers finds the numbers that rise with the pages, wherever they stand: a difference
// to the page's place that many pages share. They become the pages' labels.
func (s *sheet) dropPageNumbers() {
	counts := map[int]int{}
	for _, p := range s.pages {
		seen := map[int]bool{}
		for _, l := range p.lines {
			if n, ok := pageNumber(l.text()); ok && !seen[n-p.n] {
				seen[n-p.n] = true
				counts[n-p.n]++
			}
		}
	}
	enough := max(3, len(s.pages)/20)
	for _, p := range s.pages {
		best := 0
		var at *line
		for _, l := range p.lines {
			n, ok := pageNumber(l.text())
			if !ok || counts[n-p.n] < enough {
				continue
			}
			if outer := l.y1 < p.h*0.12 || l.y0 > p.h*0.86; !outer && counts[n-p.n]*3 < len(s.pages) {
				continue
			}
			if counts[n-p.n] > best {
				best, at = counts[n-p.n], l
			}
		}
		if at != nil {
			at.furniture = true
			p.label = at.text()
		}
	}
}

// pageNumber reads a line that is nothing but a page number: "12", "- 12 -", "Page 12 of 90".
func pageNumber(t string) (int, bool) {
	if len(t) > 24 || t == "" {
		return 0, false
	}
	t = strings.Trim(t, " -–—|")
	l := strings.ToLower(t)
	if strings.HasPrefix(l, "page ") {
		l = strings.TrimPrefix(l, "page ")
		l, _, _ = strings.Cut(l, " of ")
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
			if !l.furniture {
				by[i][l.size] += l.chars
				all[l.size] += l.chars
			}
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
