// Package pdf turns PDF files into Source Markdown with the true tree, tables, pages and boxes.
//
// A PDF is read in a child process: the program's own binary, started again with limits on CPU time,
// memory and pages, so that no file can take the program with it. main and TestMain call ChildMain first:
//
//	pdf.ChildMain()
//
// The child reads the file with PDFium in a WebAssembly sandbox (package pdfium), gives the
// characters to package layout, and answers with Markdown and the side-car Layout.
package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
)

// Limits of one file. The zero value of a field is its default.
type Limits struct {
	Bytes   int64         // of the file: 128 MiB
	Pages   int           // 20,000
	CPU     time.Duration // without the pages: 10 s
	CPUPage time.Duration // more for each page: 250 ms
	Wall    time.Duration // in all, on a busy machine: ten times the CPU time
	Memory  int64         // resident, of the child: 500 MB
	// Pdftotext is poppler's program of that name: it is asked for a text that our own reader cannot make sense of. "": nobody is.
	Pdftotext string

	hideOutline bool // for tests: do as if the file had no outline
}

func (l Limits) withDefaults() Limits {
	set := func(v *time.Duration, d time.Duration) {
		if *v <= 0 {
			*v = d
		}
	}
	set(&l.CPU, 10*time.Second)
	set(&l.CPUPage, 250*time.Millisecond)
	if l.Bytes <= 0 {
		l.Bytes = 128 << 20
	}
	if l.Pages <= 0 {
		l.Pages = 20_000
	}
	if l.Memory <= 0 {
		l.Memory = 500e6
	}
	return l
}

// Result is what a PDF becomes.
type Result struct {
	Markdown []byte
	Layout   []byte // JSON of Layout
	// Figures are the images (PNG) of Layout.Figures, in that order; one without bytes was not drawn.
	Figures []Figure
	Pages   int
	// KnownLevels: the levels of the headings are those of the file's own outline.
	KnownLevels bool
	// Levels are those of headings, by line of Markdown, that are deeper than Markdown can write (6).
	Levels map[int]int
	// Windows is why the headings cannot be trusted and the text is to be found by windows; "" when they can.
	Windows   string
	Quality   float64  // of the text, 0 to 1
	Warnings  []string // sentences for the user
	CPU       time.Duration
	MaxMemory int64 // of the child, resident bytes; 0 where the system does not tell
}

// Figure is the image of a picture or drawing in the file, cut out of its page.
type Figure struct {
	Name string // as the Source links it and Layout.Figures names it
	PNG  []byte
}

// Parse reads a PDF; name is for messages.
//
// Faults, all of them final: failed with class encrypted (a password is needed), corrupt, needs_ocr (pictures of text, or fonts
// that do not say what they show), too_large (bytes or pages), resource_limit (time or memory); skipped with class empty
// (nothing on any page). Other errors speak of this machine, not of the file.
func Parse(ctx context.Context, name string, raw []byte) (Result, error) {
	return Limits{}.Parse(ctx, name, raw)
}

// Parse is Parse under limits l.
func (l Limits) Parse(ctx context.Context, name string, raw []byte) (Result, error) {
	l = l.withDefaults()
	if int64(len(raw)) > l.Bytes {
		return Result{}, fault.Failf(doc.TooLarge, "%s: %d bytes, the limit for a PDF is %d; split the file", name, len(raw), l.Bytes)
	}
	c := child{limits: l, in: bytes.NewReader(raw), size: int64(len(raw))}
	r, err := c.run(ctx)
	if err != nil {
		return Result{}, c.verdict(ctx, name, err)
	}
	if r.Unread || r.Class == "" && r.Quality < lowQuality {
		if other, ok := l.another(ctx, raw, r.Pages, r.Quality); ok {
			other.CPU, other.MaxMemory = c.cpu, c.memory
			return other, nil
		}
	}
	if r.Class != "" {
		if r.Class == doc.Empty {
			return Result{}, fault.Skipf(r.Class, "%s: %s", name, r.Reason)
		}
		return Result{}, fault.Failf(r.Class, "%s: %s", name, r.Reason)
	}
	return Result{Markdown: c.markdown, Layout: c.layout, Figures: c.figures, Pages: r.Pages, KnownLevels: r.KnownLevels, Levels: r.Levels, Windows: r.windows(), Quality: r.Quality, Warnings: r.Warnings,
		CPU: c.cpu, MaxMemory: c.memory}, nil
}

// verdict says what it means that the child gave no answer.
func (c *child) verdict(ctx context.Context, name string, err error) error {
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", name, context.Cause(ctx))
	case errors.Is(err, errLimit):
		return fault.Failf(doc.ResourceLimit, "%s: reading the PDF was ended: %w", name, err)
	case c.ready:
		return fault.Failf(doc.Corrupt, "%s: reading the PDF ended without an answer: %w", name, err)
	}
	return fmt.Errorf("%s: the reader of PDFs did not start: %w", name, err)
}
