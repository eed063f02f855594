package eval

import (
	"context"
	"regexp"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// Place is what a finder returns: a section, or a fixed-size window.
type Place struct {
	Doc   string    // the document's name, as the question file writes it
	Lines doc.Lines // the lines the place stands for
	// Text is what is given as context, verbatim; Shown its rendering ("" is: as Text). A section may
	// be cut; it still covers by its Lines.
	Text, Shown string
	Window      bool // a fixed-size window, not a section: see Covers
	Spots       []Spot
}

// Spot is a cell that a place points at.
type Spot struct {
	Lines              doc.Lines
	Row, Column, Value string
}

// Finder gives the best k places for a question, best first. No place means that it abstains.
type Finder func(ctx context.Context, question string, k int) ([]Place, error)

// Covers reports whether p covers g. A section does when its lines include g's. A window does when it
// overlaps them and its text holds every string of g.Must; where g is a whole section, half of the
// window's lines, or half of the section's, inside the section are enough.
func Covers(p Place, g Gold) bool {
	if p.Doc != g.Doc {
		return false
	}
	if !p.Window {
		return p.Lines.Start <= g.Start && g.End <= p.Lines.End
	}
	common := min(p.Lines.End, g.End) - max(p.Lines.Start, g.Start) + 1
	if common < 1 {
		return false
	}
	if g.whole() && (2*common >= length(p.Lines) || 2*common >= length(g.Lines())) {
		return true
	}
	return Holds(p.Text, g.Must)
}

func length(l doc.Lines) int { return l.End - l.Start + 1 }

// Holds reports whether text contains every string, compared without "$", blanks, "*", tags and case.
func Holds(text string, must []string) bool {
	text = bare(text)
	for _, m := range must {
		if !strings.Contains(text, bare(m)) {
			return false
		}
	}
	return true
}

var tag = regexp.MustCompile(`<[^<>]*>`)

func bare(s string) string {
	s = tag.ReplaceAllString(s, "")
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r == '$' || r == '*' || strings.ContainsRune(" \t\r\n\u00a0", r) {
			return -1
		}
		return r
	}, s))
}

// names reports whether spot s of a place in document d names the gold cell: its line, or its row and
// column with its value.
func names(d string, s Spot, g Gold) bool {
	if g.Cell == nil || d != g.Doc {
		return false
	}
	if s.Lines.Start <= g.Cell.Line && g.Cell.Line <= s.Lines.End && length(s.Lines) <= maxSpotLines {
		return true
	}
	return s.Value != "" && bare(s.Value) == bare(g.Cell.Value) &&
		bare(s.Row) == bare(g.Cell.Row) && g.Cell.Column != "" && bare(s.Column) == bare(g.Cell.Column)
}

// maxSpotLines keeps a spot from covering a cell by being a whole table: the row of a table with one
// cell a line has this many lines at most.
const maxSpotLines = 40
