package pdf

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/fingerpost/fingerpost/pkg/source/pdf/content"
	"github.com/fingerpost/fingerpost/pkg/source/pdf/layout"
)

// Layout is the side-car of a Source made from a PDF: layout.json.
type Layout struct {
	// Pages of the file in order.
	Pages []PageSize `json:"pages"`
	// Lines says where each line of the Source stands: index = line - 1, values = page (from 1, 0 for
	// nowhere), x0, y0, x1, y1 in points from the page's left upper corner as shown.
	Lines []Box `json:"lines"`
	// Headings and the evidence for them.
	Headings []layout.Heading `json:"headings"`
	Figures  []layout.Figure  `json:"figures,omitempty"`
	Tagged   bool             `json:"tagged,omitempty"`
	// Quality of the text over all pages, 0 to 1.
	Quality float64 `json:"quality,omitempty"`
}

// PageSize is one page: its size in points and the number printed on it, "" for none.
type PageSize struct {
	Width  float32 `json:"w"`
	Height float32 `json:"h"`
	Label  string  `json:"label,omitempty"`
	// Quality of its text, 0 to 1: see content.Score; nil for a page without text.
	Quality *float64 `json:"quality,omitempty"`
}

// Box is page, x0, y0, x1, y1.
type Box [5]float32

// ReadLayout decodes a side-car.
func ReadLayout(b []byte) (*Layout, error) {
	l := new(Layout)
	if err := json.Unmarshal(b, l); err != nil {
		return nil, fmt.Errorf("layout: %w", err)
	}
	return l, nil
}

// At is where line n (from 1) of the Source stands; ok is false when it stands nowhere.
func (l *Layout) At(n int) (page int, box [4]float32, ok bool) {
	if n < 1 || n > len(l.Lines) || l.Lines[n-1][0] < 1 {
		return 0, box, false
	}
	b := l.Lines[n-1]
	return int(b[0]), [4]float32(b[1:]), true
}

func newLayout(d *content.Document, r *layout.Result) *Layout {
	l := &Layout{Tagged: d.Tagged, Quality: quality(d), Headings: r.Headings, Figures: r.Figures, Lines: make([]Box, len(r.Places)), Pages: make([]PageSize, len(d.Pages))}
	for i, p := range r.Places {
		if p.Page > 0 {
			l.Lines[i] = Box{float32(p.Page), tenth(p.X0), tenth(p.Y0), tenth(p.X1), tenth(p.Y1)}
		}
	}
	for i := range l.Figures {
		f := &l.Figures[i]
		f.X0, f.Y0, f.X1, f.Y1 = tenth(f.X0), tenth(f.Y0), tenth(f.X1), tenth(f.Y1)
	}
	for i := range d.Pages {
		l.Pages[i] = PageSize{Width: tenth(d.Pages[i].Width), Height: tenth(d.Pages[i].Height), Label: r.Labels[i]}
		if s := d.Pages[i].Score(); s.Chars > 0 {
			q := hundredth(s.Value())
			l.Pages[i].Quality = &q
		}
	}
	return l
}

func hundredth(v float64) float64 { return math.Round(v*100) / 100 }

func tenth(v float32) float32 { return float32(math.Round(float64(v)*10) / 10) }
