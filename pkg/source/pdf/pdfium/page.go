package pdfium

import (
	"fmt"

	"github.com/fingerpost/fingerpost/pkg/source/pdf/content"
)

// maxChars bounds the characters of one page, maxLinks its links.
const (
	maxChars = 400_000
	maxLinks = 3000
)

// frame turns the file's coordinates into those of the page as it is shown.
type frame struct {
	left, bottom, w, h float32 // the visible box, before rotation
	turn               int     // quarter turns, clockwise
}

// at is the place of (x, y).
func (f frame) at(x, y float32) (float32, float32) {
	x, y = x-f.left, y-f.bottom
	switch f.turn {
	case 1:
		return y, x
	case 2:
		return f.w - x, y
	case 3:
		return f.h - y, f.w - x
	}
	return x, f.h - y
}

// box is the place of a box, its corners in order.
func (f frame) box(l, b, r, t float32) (x0, x1, y0, y1 float32) {
	x0, y0 = f.at(l, b)
	x1, y1 = f.at(r, t)
	return min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
}

// size of the page as shown.
func (f frame) size() (w, h float32) {
	if f.turn%2 == 1 {
		return f.h, f.w
	}
	return f.w, f.h
}

// Page reads page n (from 0), with its links if asked for.
func (f *File) Page(n int, links bool) (p content.Page, err error) {
	defer catch(&err)
	page := f.e.try("FPDF_LoadPage", f.doc, uint64(n))
	if page == 0 {
		return p, fmt.Errorf("page %d: %w", n+1, ErrPage)
	}
	defer f.e.try("FPDF_ClosePage", page)
	fr := f.frame(page)
	p.Width, p.Height = fr.size()
	p.Label = f.text("FPDF_GetPageLabel", f.doc, uint64(n))
	text := f.e.try("FPDFText_LoadPage", page)
	if text == 0 {
		return p, fmt.Errorf("page %d: %w", n+1, ErrPage)
	}
	defer f.e.try("FPDFText_ClosePage", text)
	f.tags = nil
	if f.hasTags {
		f.tags = f.headingTags(page)
	}
	f.chars(text, fr, &p)
	p.Figures = f.figures(page, fr)
	if p.Chars < 20 {
		p.Objects = asInt(f.e.try("FPDFPage_CountObjects", page))
	}
	if links {
		p.Links = f.links(page, fr)
	}
	return p, nil
}

func (f *File) frame(page uint64) frame {
	fr := frame{w: 612, h: 792, turn: asInt(f.e.try("FPDFPage_GetRotation", page)) & 3}
	if f.e.try("FPDF_GetPageBoundingBox", page, f.e.buf) != 0 { // left, top, right, bottom
		l, t, r, b := f.e.float32At(0), f.e.float32At(1), f.e.float32At(2), f.e.float32At(3)
		if r-l > 1 && t-b > 1 && r-l < 1e5 && t-b < 1e5 {
			fr.left, fr.bottom, fr.w, fr.h = l, b, r-l, t-b
		}
	}
	return fr
}

// links are those of the page that lead into the same file.
func (f *File) links(page uint64, fr frame) (out []content.Link) {
	e := f.e
	b := e.buf
	clear8(e)
	for range maxLinks {
		// the position to go on at stands in the first four bytes, the link in the next four
		if e.try("FPDFLink_Enumerate", page, b, b+4) == 0 {
			break
		}
		pos, link := e.intAt(0), uint64(uint32(e.intAt(1)))
		if l, ok := f.link(link, fr); ok {
			out = append(out, l)
		}
		e.put(0, pos)
	}
	return out
}

func clear8(e *Engine) { e.put(0, 0); e.put(1, 0) }

// put writes a number into the scratch, at index n of four bytes each.
func (e *Engine) put(n, v int) {
	if b, ok := e.mem.Read(uint32(e.buf)+uint32(4*n), 4); ok {
		b[0], b[1], b[2], b[3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
	}
}

func (f *File) link(link uint64, fr frame) (l content.Link, ok bool) {
	e := f.e
	dest := e.try("FPDFLink_GetDest", f.doc, link)
	if dest == 0 {
		if a := e.try("FPDFLink_GetAction", link); a != 0 {
			dest = e.try("FPDFAction_GetDest", f.doc, a)
		}
	}
	if dest == 0 {
		return l, false
	}
	if l.Page, l.Y = f.dest(dest); l.Page < 0 {
		return l, false
	}
	if e.try("FPDFLink_GetAnnotRect", link, e.buf) == 0 { // left, top, right, bottom
		return l, false
	}
	l.X0, l.X1, l.Y0, l.Y1 = fr.box(e.float32At(0), e.float32At(3), e.float32At(2), e.float32At(1))
	return l, true
}
