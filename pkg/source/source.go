package source

import (
	"context"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
)

// MaxBytes is the largest file that is read, in bytes (256 MiB).
const MaxBytes = 256 << 20

// The kinds of text.
const (
	Markdown = "markdown"
	Text     = "text" // plain: a '#' at the start of a line is no heading
)

// Source is what a file becomes.
type Source struct {
	// Markdown is the text: UTF-8, lines end at LF. It shares memory with the file where nothing
	// had to change.
	Markdown []byte
	Format   string // the row of the formats' table that read the file
	Kind     string // Markdown or Text
	Encoding string // of the file: "utf-8", "utf-16le", "utf-16be"
	// Replaced counts what became U+FFFD: NULs, bytes (or UTF-16 units) that are no text.
	Replaced int
	Warnings []string // sentences for the user: what was changed and what may be wrong
	// Layout is the side-car of files with pages: where each line of Markdown stands (pdf.Layout as JSON); nil for others.
	Layout []byte
	// Figures are the pictures of the file that Markdown links; nil for others.
	Figures []Figure
	// Windows is why the headings cannot be trusted and the text is to be found by windows; "" when they can.
	Windows string
	// KnownLevels: the levels of the headings are the file's own and need no repair.
	KnownLevels bool
	// Levels are those of headings, by line of Markdown, that are deeper than Markdown can write (6).
	Levels map[int]int
}

// Figure is a picture as an object of its own: PNG under the name by which the Source links it, "figures/p3-1.png".
type Figure struct {
	Name string
	PNG  []byte
}

// Reader reads files; the zero value uses nothing but this program.
type Reader struct {
	// Pdftotext is poppler's program of that name, for PDFs that our own reader cannot make sense of; "" for none.
	Pdftotext string
}

// Parse is Reader.Parse of the zero Reader.
func Parse(ctx context.Context, name string, raw []byte) (Source, error) {
	return Reader{}.Parse(ctx, name, raw)
}

// Parse reads a file. name is the object's key and helps only where content cannot tell; raw is
// not changed, but may be shared by the Source.
//
// Faults: skipped with class empty (no bytes, or only blanks) or unsupported (a type that is not read,
// or no text at all); failed with class too_large (over MaxBytes). ctx stops long work.
func (r Reader) Parse(ctx context.Context, name string, raw []byte) (Source, error) {
	if err := ctx.Err(); err != nil {
		return Source{}, err
	}
	if len(raw) == 0 {
		return Source{}, fault.Skipf(doc.Empty, "%s: the file has no bytes", name)
	}
	if len(raw) > MaxBytes {
		return Source{}, fault.Failf(doc.TooLarge, "%s: %d bytes, the limit is %d; split the file", name, len(raw), MaxBytes)
	}
	for _, f := range formats {
		if !f.is(name, raw) {
			continue
		}
		if f.parse == nil {
			return Source{}, fault.Skipf(doc.Unsupported, "%s: the content is %s, which is not read", name, f.name)
		}
		s, err := f.parse(r, ctx, name, raw)
		s.Format = f.name
		return s, err
	}
	return Source{}, fault.Skipf(doc.Unsupported, "%s: the content is no text and of no known type", name)
}
