package pdfium

import (
	"errors"
	"fmt"
	"image"
	"math"
)

// maxPixels bounds a picture of a page (64 MB in the sandbox).
const maxPixels = 16 << 20

// Image draws page n (from 0) with dpi dots an inch, fewer where that would be too large. scale is pixels a point.
func (f *File) Image(n, dpi int) (img *image.RGBA, scale float64, err error) {
	defer catch(&err)
	e := f.e
	page := e.try("FPDF_LoadPage", f.doc, uint64(n))
	if page == 0 {
		return nil, 0, fmt.Errorf("page %d: %w", n+1, ErrPage)
	}
	defer e.try("FPDF_ClosePage", page)
	w, h := f.frame(page).size()
	scale = float64(dpi) / 72
	if area := float64(w) * float64(h) * scale * scale; area > maxPixels {
		scale *= math.Sqrt(maxPixels / area)
	}
	img = image.NewRGBA(image.Rect(0, 0, max(1, int(float64(w)*scale)), max(1, int(float64(h)*scale))))
	return img, scale, f.draw(page, img)
}

// draw renders the page into img.
func (f *File) draw(page uint64, img *image.RGBA) error {
	e := f.e
	w, h := uint64(img.Rect.Dx()), uint64(img.Rect.Dy())
	bitmap := e.try("FPDFBitmap_Create", w, h, 0)
	if bitmap == 0 {
		return ErrMemory
	}
	defer e.try("FPDFBitmap_Destroy", bitmap)
	e.try("FPDFBitmap_FillRect", bitmap, 0, 0, w, h, 0xffffffff)
	const annotations = 1
	e.try("FPDF_RenderPageBitmap", bitmap, page, 0, 0, w, h, 0, annotations)
	stride := e.try("FPDFBitmap_GetStride", bitmap)
	b, ok := e.mem.Read(uint32(e.try("FPDFBitmap_GetBuffer", bitmap)), uint32(stride*h))
	if !ok {
		return errors.New("pdfium: the picture lies outside of the sandbox")
	}
	for y := range int(h) {
		from, to := b[y*int(stride):], img.Pix[y*img.Stride:]
		for x := 0; x < 4*int(w); x += 4 { // blue, green, red, nothing
			to[x], to[x+1], to[x+2], to[x+3] = from[x+2], from[x+1], from[x], 255
		}
	}
	return nil
}
