// Package content is what stands in a PDF file before anybody has understood it: pages with runs
// of characters, links and bookmarks.
//
// Coordinates are points (1/72 inch) on the page as it is shown (rotation applied), x from its
// left edge, y from its top edge downwards. Pages count from 0 here, as in the file's own tables.
package content

// Document is one file.
type Document struct {
	Pages    []Page
	Bookmark []Bookmark // the outline, in reading order
	Tagged   bool       // the file says that it is tagged
	Title    string     // of the file's own information; often wrong
}

// Page is one page.
type Page struct {
	Width, Height float32
	Runs          []Run // in the order of the file
	Links         []Link
	Chars         int // characters that are shown, blanks not counted
	Unmapped      int // of these: without a meaning in Unicode
	Objects       int // what is drawn, text included; counted only where there is hardly any text
	Turned        int // characters left out because they stand in another direction than the page's text
	Label         string
	Figures       []Box // pictures and drawings that are large enough to be one
}

// Box is a place on a page.
type Box struct{ X0, X1, Y0, Y1 float32 }

// Area is in square points.
func (b Box) Area() float32 { return (b.X1 - b.X0) * (b.Y1 - b.Y0) }

// Run is a stretch of characters of one font on one base line, without a wide gap.
type Run struct {
	Text           string
	X0, X1, Y0, Y1 float32 // box of the ink
	Base           float32 // y of the base line
	Size           float32 // of the font as shown
	Font           *Font
	Tag            int // level of heading (1 to 6) that the file's own structure gives it, 0 for none
}

// Font is how a run looks.
type Font struct {
	Name   string
	Bold   bool
	Italic bool
}

// Link is a place that leads to a page of the same file.
type Link struct {
	X0, X1, Y0, Y1 float32
	Page           int     // where it leads
	Y              float32 // y there, -1 when unknown
}

// Bookmark is an entry of the outline.
type Bookmark struct {
	Title string
	Depth int     // from 1
	Page  int     // -1 when it leads nowhere
	Y     float32 // y there, -1 when unknown
}

// FromTop turns the targets of links and bookmarks, which a file counts from the foot of the
// page, into places counted from its top.
func (d *Document) FromTop() {
	turn := func(page int, y float32) float32 {
		if y < 0 || page < 0 || page >= len(d.Pages) {
			return -1
		}
		return max(d.Pages[page].Height-y, 0)
	}
	for i := range d.Pages {
		for k := range d.Pages[i].Links {
			l := &d.Pages[i].Links[k]
			l.Y = turn(l.Page, l.Y)
		}
	}
	for i := range d.Bookmark {
		d.Bookmark[i].Y = turn(d.Bookmark[i].Page, d.Bookmark[i].Y)
	}
}
