package source

import (
	"context"

	"github.com/fingerpost/fingerpost/pkg/source/pdf"
)

// parsePDF reads a PDF in a child process.
func parsePDF(ctx context.Context, name string, raw []byte) (Source, error) {
	r, err := pdf.Parse(ctx, name, raw)
	if err != nil {
		return Source{}, err
	}
	return Source{Markdown: r.Markdown, Kind: Markdown, Encoding: string(utf8Text), Warnings: r.Warnings, Layout: r.Layout, KnownLevels: r.KnownLevels}, nil
}
