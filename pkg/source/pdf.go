package source

import (
	"context"

	"github.com/fingerpost/fingerpost/pkg/source/pdf"
)

// parsePDF reads a PDF in a child process.
func (r Reader) parsePDF(ctx context.Context, name string, raw []byte) (Source, error) {
	p, err := pdf.Limits{Pdftotext: r.Pdftotext}.Parse(ctx, name, raw)
	if err != nil {
		return Source{}, err
	}
	s := Source{Markdown: p.Markdown, Kind: Markdown, Encoding: string(utf8Text), Warnings: p.Warnings, Layout: p.Layout, KnownLevels: p.KnownLevels, Windows: p.Windows, Levels: p.Levels}
	for _, f := range p.Figures {
		s.Figures = append(s.Figures, Figure(f))
	}
	return s, nil
}
