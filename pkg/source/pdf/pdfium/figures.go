package pdfium

import (
	"github.com/fingerpost/fingerpost/pkg/source/pdf/content"
)

// Kinds of page objects, as FPDFPageObj_GetType numbers them.
const (
	kindPicture = 3
	kindGroup   = 5 // a form: a drawing that was put in as a whole
)

const (
	minFigureWidth, minFigureHeight = 72, 48 // points; smaller ones are marks and lines
	maxFigures                      = 12     // of a page
)

// figures are the boxes of the pictures and drawings on a page.
func (f *File) figures(page uint64, fr frame) (out []content.Box) {
	e := f.e
	getObject, getType := e.fn["FPDFPage_GetObject"], e.fn["FPDFPageObj_GetType"]
	w, h := fr.size()
	for i := range asInt(e.try("FPDFPage_CountObjects", page)) {
		o := f.must(getObject, page, uint64(i))
		kind := f.must(getType, o)
		if kind != kindPicture && kind != kindGroup || e.try("FPDFPageObj_GetBounds", o, e.buf, e.buf+4, e.buf+8, e.buf+12) == 0 {
			continue
		}
		var b content.Box
		b.X0, b.X1, b.Y0, b.Y1 = fr.box(e.float32At(0), e.float32At(1), e.float32At(2), e.float32At(3))
		b.X0, b.Y0, b.X1, b.Y1 = max(b.X0, 0), max(b.Y0, 0), min(b.X1, w), min(b.Y1, h)
		if b.X1 > b.X0 && b.Y1 > b.Y0 {
			out = join(out, b)
		}
		if len(out) > 20*maxFigures {
			return nil // a page of tiles
		}
	}
	kept := out[:0]
	for _, b := range out {
		if b.X1-b.X0 >= minFigureWidth && b.Y1-b.Y0 >= minFigureHeight && b.Area() < 0.8*w*h && len(kept) < maxFigures {
			kept = append(kept, b)
		}
	}
	return kept
}

// join adds a box; pictures that touch are parts of one.
func join(all []content.Box, b content.Box) []content.Box {
	for i := 0; i < len(all); {
		if a := all[i]; a.X0 <= b.X1+1 && b.X0 <= a.X1+1 && a.Y0 <= b.Y1+1 && b.Y0 <= a.Y1+1 {
			b = content.Box{X0: min(a.X0, b.X0), X1: max(a.X1, b.X1), Y0: min(a.Y0, b.Y0), Y1: max(a.Y1, b.Y1)}
			all = append(all[:i], all[i+1:]...)
			i = 0
			continue
		}
		i++
	}
	return append(all, b)
}
