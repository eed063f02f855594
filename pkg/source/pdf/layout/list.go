package layout

import (
	"regexp"
	"strings"
)

// reCode is a number that hangs left of its text: "10.1", "4.2*", "(31.1)".
var reCode = regexp.MustCompile(`^[*†+#^]*\s*\(?\d{1,3}(\.\d{1,3})?([a-z]|\([a-z0-9]{1,3}\))*\)?[*†+#^.]*$`)

// minList is how many entries make a list.
const minList = 4

// findLists marks lists whose numbers hang left of text that is wrapped over lines, such as indexes of exhibits.
func (s *sheet) findLists() {
	for _, p := range s.pages {
		for k := 0; k < len(p.lines); k++ {
			if end, n := p.list(k); n >= minList {
				t := &table{list: true}
				for _, l := range p.lines[k:end] {
					if !l.furniture {
						l.table = t
						t.lines = append(t.lines, l)
					}
				}
				s.nTables++
				k = end - 1
			}
		}
	}
}

// list is the end of the list that begins at line k, and how many entries it has.
func (p *page) list(k int) (end, n int) {
	if !hangs(p.lines[k]) {
		return k, 0
	}
	at := p.lines[k].cells[1].x0
	dots, last := 0, k
	for end = k; end < len(p.lines) && end-last < 60; end++ {
		l := p.lines[end]
		switch {
		case l.furniture:
		case hangs(l) && abs(l.cells[1].x0-at) < 6:
			n, last = n+1, end
			if strings.Contains(l.cells[0].text, ".") {
				dots++
			}
		case abs(l.x0-at) < 6 && (len(l.cells) == 1 || !reNumber.MatchString(l.cells[len(l.cells)-1].text)):
		default:
			goto done
		}
	}
done:
	if dots*2 < n { // years and counts stand left of text as well
		n = 0
	}
	return end, n
}

// hangs reports whether a line is a number, a gap, and text.
func hangs(l *line) bool {
	return !l.furniture && !l.entry && l.table == nil && len(l.cells) >= 2 && reCode.MatchString(strings.TrimSpace(l.cells[0].text)) &&
		len(l.cells[1].text) > 12 && !reNumber.MatchString(l.cells[1].text)
}

// entries are the rows of a list.
func (t *table) entries() (out []row) {
	for _, l := range t.lines {
		if n := len(out); n > 0 && !hangsNow(l) {
			p := &out[n-1]
			p.values[0] = joinText(p.values[0], l.text())
			p.y1, p.left, p.right = max(p.y1, l.y1), min(p.left, l.x0), max(p.right, l.x1)
			continue
		}
		r := row{label: strings.TrimSpace(l.cells[0].text), y0: l.y0, y1: l.y1, left: l.x0, right: l.x1}
		text := make([]string, 0, len(l.cells))
		for _, c := range l.cells[1:] {
			text = append(text, c.text)
		}
		r.values = []string{strings.Join(text, " ")}
		out = append(out, r)
	}
	return out
}

func hangsNow(l *line) bool {
	return len(l.cells) >= 2 && reCode.MatchString(strings.TrimSpace(l.cells[0].text))
}
