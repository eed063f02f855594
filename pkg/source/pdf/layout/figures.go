package layout

import (
	"fmt"
	"regexp"

	"github.com/fingerpost/fingerpost/pkg/source/pdf/content"
)

// Figure is a picture or a drawing of the file, with its place. Its image is an object of its own.
type Figure struct {
	Name    string  `json:"name"` // figures/p<page>-<number>.png, as the Source links it
	Line    int     `json:"line"` // of the Markdown: its link
	Page    int     `json:"page"` // from 1
	X0      float32 `json:"x0"`
	Y0      float32 `json:"y0"`
	X1      float32 `json:"x1"`
	Y1      float32 `json:"y1"`
	Caption string  `json:"caption,omitempty"`
}

// MaxFigures bounds the figures of a file.
const MaxFigures = 200

// figure is one on its way.
type figure struct {
	box     content.Box
	name    string
	label   string // "Figure 3"
	caption string
	at      *line // the line it stands before, nil for the end of the page
	done    bool  // written
}

var reCaption = regexp.MustCompile(`(?i)^((figure|fig\.|chart|graph|diagram|exhibit|abbildung|abb\.|рисунок|рис\.|图|図)\s*\d+(\.\d+)?[a-z]?)\s*[.:|–—-]?\s*\S`)

// findFigures takes the figures of the pages, without what many pages show (marks of a firm) and what lies under most of a page's text, and looks for their captions.
func (s *sheet) findFigures() {
	seen := map[string]int{}
	key := func(b content.Box) string { return fmt.Sprintf("%.0f %.0f %.0f %.0f", b.X0, b.Y0, b.X1, b.Y1) }
	for i := range s.d.Pages {
		for _, b := range s.d.Pages[i].Figures {
			seen[key(b)]++
		}
	}
	n := 0
	for i, p := range s.pages {
		for _, b := range s.d.Pages[i].Figures {
			if seen[key(b)] > max(2, len(s.pages)/20) || p.under(b) || n == MaxFigures {
				continue
			}
			n++
			f := &figure{box: b, name: fmt.Sprintf("figures/p%d-%d.png", i+1, len(p.figures)+1)}
			p.caption(f)
			p.figures = append(p.figures, f)
		}
	}
}

// under reports whether half of the page's characters stand in b: then it is no figure, but the page.
func (p *page) under(b content.Box) bool {
	in, all := 0, 1
	for _, l := range p.lines {
		all += l.chars
		if l.x0 >= b.X0-2 && l.x1 <= b.X1+2 && l.y0 >= b.Y0-2 && l.y1 <= b.Y1+2 {
			in += l.chars
		}
	}
	return in*2 > all && all > 200
}

// maxCaption is how far below or above a figure its caption may stand, in points.
const maxCaption = 48

// caption finds the figure's caption, and its place in the text: at its caption, else before the first line below its head.
func (p *page) caption(f *figure) {
	best := float32(maxCaption)
	for _, l := range p.lines {
		if f.at == nil && !l.furniture && l.y0 >= f.box.Y1-4 && l.x1 > f.box.X0 && l.x0 < f.box.X1 {
			f.at = l
		}
	}
	for _, l := range p.lines {
		m := reCaption.FindStringSubmatch(l.text())
		if m == nil || l.furniture || l.x1 < f.box.X0 || l.x0 > f.box.X1 {
			continue
		}
		gap := l.y0 - f.box.Y1
		if l.y1 <= f.box.Y0+4 {
			gap = f.box.Y0 - l.y1 + 8 // above: rather below
		}
		if gap > -8 && gap < best {
			best, f.at, f.label, f.caption = gap, l, m[1], clean(l.text())
		}
	}
}

// figure writes the link of a figure.
func (w *writer) figure(p *page, f *figure) {
	w.blank()
	w.last = nil
	label := f.label
	if label == "" {
		label = "Figure"
	}
	at := Place{p.n + 1, f.box.X0, f.box.Y0, f.box.X1, f.box.Y1}
	w.out.Figures = append(w.out.Figures, Figure{f.name, len(w.places) + 1, p.n + 1, f.box.X0, f.box.Y0, f.box.X1, f.box.Y1, f.caption})
	w.line(fmt.Sprintf("![%s](%s)", label, f.name), at)
	w.blank()
}
