// Package layout turns the characters of a PDF into Source Markdown: lines, running heads,
// columns, tables, headings, their levels, and a side-car that says where each line stood.
//
// No step asks a model or a server. Each leaves its finding on the lines and the next goes on from there:
//
//	runs -> lines (columns in reading order) -> furniture -> contents -> tables -> headings -> levels -> Markdown
//
// Levels come from evidence, the strongest first: the file's outline, a linked table of contents,
// the file's own structure where it is real, patterns of titles, style against the body size of the pages around.
package layout

import (
	"github.com/fingerpost/fingerpost/pkg/source/pdf/content"
)

// Options of Compose; the zero value uses all evidence.
type Options struct {
	NoOutline  bool // do as if the file had no outline
	NoContents bool // nor a table of contents
}

// Result is a PDF as Source Markdown.
type Result struct {
	Markdown []byte
	Places   []Place // index = line of Markdown - 1
	Headings []Heading
	Figures  []Figure
	Tables   int
	// KnownLevels: the levels are those of the file's own outline; nothing is to be repaired.
	KnownLevels bool
	Labels      []string // printed page numbers by page, "" where none is printed
}

// Place is where a line of the Markdown stands in the file; Page 0 is nowhere.
type Place struct {
	Page           int // from 1
	X0, Y0, X1, Y1 float32
}

// Heading is one heading of the Markdown and why it is one.
type Heading struct {
	Line  int `json:"line"` // of the Markdown
	Page  int `json:"page"` // from 1
	Level int `json:"level"`
	// Title is its text.
	Title string `json:"title"`
	// Why: "outline", "contents", "tags", "pattern", "number", "style", "statement", "cover".
	Why string `json:"why"`
	// Synthetic headings stand nowhere on the page.
	Synthetic bool `json:"synthetic,omitempty"`
}

// sheet is the whole document on its way through the steps.
type sheet struct {
	d       *content.Document
	o       Options
	pages   []*page
	body    float32 // the size most of the text has
	anchors []*anchor
	nTables int
	owner   string // the firm whose filing it is, as firm writes it; "" when no cover says
}

// page is one page of it.
type page struct {
	n        int // from 0
	w, h     float32
	lines    []*line
	gutter   float32 // x between two columns, 0 for none
	body     float32 // the size most of the text around has
	contents bool    // (part of) the document's table of contents stands on it
	label    string  // the printed page number
	links    []content.Link
	cover    int    // how many of its lines belong to the cover of a filing
	owner    string // sheet.owner
	figures  []*figure
}

// Compose makes the Markdown.
func Compose(d *content.Document, o Options) *Result {
	s := &sheet{d: d, o: o}
	for i := range d.Pages {
		s.pages = append(s.pages, newPage(i, &d.Pages[i]))
	}
	s.dropFurniture()
	s.measure()
	s.findCover()
	s.findContents()
	s.findLists()
	s.findTables()
	s.findHeadings()
	s.useTags()
	s.bindAnchors()
	s.setLevels()
	s.findStatements()
	s.nameSecurities()
	s.findFigures()
	return s.write()
}
