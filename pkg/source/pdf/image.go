package pdf

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/source/pdf/layout"
	"github.com/fingerpost/fingerpost/pkg/source/pdf/pdfium"
)

// Image draws a page (from 1) of a PDF as PNG, with dpi dots an inch (0: 100, at most 300), and marks
// those of the boxes that stand on it. Faults are those of Parse; a page that is not there is corrupt.
func Image(ctx context.Context, name string, raw []byte, page, dpi int, boxes []Box) ([]byte, error) {
	l := Limits{}.withDefaults()
	if dpi <= 0 {
		dpi = 100
	}
	c := child{limits: l, in: bytes.NewReader(raw), size: int64(len(raw)), task: task{Page: max(page, 1), DPI: min(dpi, 300)}}
	for _, b := range boxes {
		if int(b[0]) == page {
			c.task.Boxes = append(c.task.Boxes, b)
		}
	}
	r, err := c.run(ctx)
	if err != nil {
		return nil, c.verdict(ctx, name, err)
	}
	if r.Class != "" {
		return nil, fault.Failf(r.Class, "%s: %s", name, r.Reason)
	}
	return c.markdown, nil
}

// drawPage is the child's part of Image.
func drawPage(e *pdfium.Engine, f *pdfium.File, t task) (reply, []byte) {
	if t.Page > f.Pages {
		return reply{Class: doc.Corrupt, Reason: fmt.Sprintf("page %d of %d", t.Page, f.Pages)}, nil
	}
	img, scale, err := f.Image(t.Page-1, t.DPI)
	if err != nil {
		return refuse(e, err), nil
	}
	for _, b := range t.Boxes {
		mark(img, b, scale)
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		return reply{Class: doc.Internal, Reason: err.Error()}, nil
	}
	return reply{Pages: f.Pages}, out.Bytes()
}

// figureDPI is how fine the images of figures are, maxFigurePages how many pages are drawn for them, figureBytes how large the images
// of a file may be together. A figure beyond that has its place, but no image: its size is 0.
const (
	figureDPI      = 110
	maxFigurePages = 100
	figureBytes    = 64 << 20
)

// drawFigures cuts the figures out of pictures of their pages, as PNG.
func drawFigures(f *pdfium.File, all []layout.Figure) [][]byte {
	out := make([][]byte, len(all))
	var page *image.RGBA
	var scale float64
	drawn, at, total := 0, 0, 0
	for i, g := range all {
		if g.Page != at {
			if drawn++; drawn > maxFigurePages || total > figureBytes {
				return out
			}
			var err error
			if page, scale, err = f.Image(g.Page-1, figureDPI); err != nil {
				return out // the text is there; nothing more can be asked of the reader
			}
			at = g.Page
		}
		px := func(v float32) int { return int(float64(v) * scale) }
		cut := page.SubImage(image.Rect(px(g.X0), px(g.Y0), px(g.X1)+1, px(g.Y1)+1))
		var b bytes.Buffer
		if !cut.Bounds().Empty() && (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, cut) == nil {
			out[i] = b.Bytes()
			total += b.Len()
		}
	}
	return out
}

// mark draws a frame around the box and tints what is in it.
func mark(img *image.RGBA, b Box, scale float64) {
	at := func(v float32) int { return int(float64(v) * scale) }
	const pad, thick = 3, 2
	r := image.Rect(at(b[1])-pad, at(b[2])-pad, at(b[3])+pad, at(b[4])+pad).Intersect(img.Rect)
	inner := r.Inset(thick)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if (image.Point{X: x, Y: y}).In(inner) {
				c := img.RGBAAt(x, y)
				img.SetRGBA(x, y, color.RGBA{c.R, c.G, uint8(int(c.B) * 3 / 5), 255}) // yellow
			} else {
				img.SetRGBA(x, y, color.RGBA{220, 60, 20, 255})
			}
		}
	}
}
