package section

import (
	"strings"
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// Budget is how much may be shown, in clean characters.
type Budget struct {
	Section int // of one section
	Total   int // of all sections of an answer, filled in rank order
}

// Standard is the budget used when none is asked for.
var Standard = Budget{Section: 4000, Total: 16000}

// MaxText is how much of one section is looked at, in bytes: a document without headings is one section of any
// length. The text before and after counts as left out.
const MaxText = 1 << 20

const (
	partSize = 1000 // characters of a part, about; less of small budgets
	headMax  = 300  // characters of a heading kept in front of a cut
	least    = 400  // when less than this is left, a section is its heading and a pointer
)

// Source is a section as it was read.
type Source struct {
	Text  []byte    // the node's bytes, verbatim; its first line (the heading) is kept in front of every cut
	Lines doc.Lines // its lines in the Source
	// Around is the byte of Text near which to look when Text is over MaxText.
	Around int
	// Score rates the parts of this section, as its language wants it; nil: the scorer of all sections does.
	Score Scorer
	// Pointer names lines of this section, to mark what is left out; nil: only the lines are named.
	Pointer func(doc.Lines) string
}

// Section is what is shown of a Source.
type Section struct {
	Text  string // verbatim; where Cut, pieces with a mark between them
	Shown string
	Cut   bool        // parts are left out
	Kept  []doc.Lines // the lines of Text, in order; a line may be kept in part
}

// Resolve cuts the sections, given in rank order, to the budget: one Section a Source, always, and never more than
// b.Total in all. Sections for which too little is left are heading and pointer, of many sections shortened. score
// rates a text for the question (see Scorer) where the Source has no scorer of its own; the zero Budget is Standard.
func Resolve(sources []Source, score Scorer, b Budget) []Section {
	if b.Section <= 0 {
		b.Section = Standard.Section
	}
	if b.Total <= 0 {
		b.Total = Standard.Total
	}
	room := b.Total / 2 / max(len(sources), 1) // of a heading and pointer: half of the budget is for text
	stubs := 0                                 // room for those of the sections still to come
	for _, s := range sources {
		stubs += utf8.RuneCountInString(s.stub(room).Shown)
	}
	out := make([]Section, 0, len(sources))
	left := b.Total
	for _, s := range sources {
		stubs -= utf8.RuneCountInString(s.stub(room).Shown)
		if s.Score == nil {
			s.Score = score
		}
		sec := cut(s, min(b.Section, left-stubs), room)
		left -= utf8.RuneCountInString(sec.Shown)
		out = append(out, sec)
	}
	return out
}

// clip is the first n characters of s at most, with "..." when some are left out.
func clip(s string, n int) string {
	if end := offset(s, n); end < len(s) {
		return strings.TrimRight(s[:end], " ") + "..."
	}
	return s
}

// offset is the byte at which the first n characters of s end; len(s) when it has no more.
func offset(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}
