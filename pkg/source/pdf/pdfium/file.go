package pdfium

import (
	"errors"
	"fmt"
	"io"
	"unicode/utf16"

	"github.com/fingerpost/fingerpost/pkg/source/pdf/content"
)

// File is an open PDF.
type File struct {
	e     *Engine
	doc   uint64
	Pages int
	fonts map[string]*content.Font

	hasTags bool        // the file says that it is tagged
	tags    map[int]int // of the page that is read: marked content to level of heading
}

// Open reads size bytes from r into the sandbox and opens them, with the empty user password.
func (e *Engine) Open(r io.Reader, size int64) (f *File, err error) {
	defer catch(&err)
	data := e.try("malloc", uint64(size))
	if data == 0 {
		return nil, ErrMemory
	}
	b, ok := e.mem.Read(uint32(data), uint32(size))
	if !ok {
		return nil, ErrMemory
	}
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, fmt.Errorf("pdf: %w", err)
	}
	doc := e.try("FPDF_LoadMemDocument", data, uint64(size), 0)
	if doc == 0 {
		return nil, lastError(asInt(e.try("FPDF_GetLastError")))
	}
	return &File{e: e, doc: doc, Pages: asInt(e.try("FPDF_GetPageCount", doc)), fonts: map[string]*content.Font{}}, nil
}

func lastError(code int) error {
	switch code {
	case 4:
		return ErrPassword
	case 5:
		return ErrSecurity
	}
	return ErrFormat
}

// maxBookmarks bounds the outline, maxDepth its depth: a damaged one may run in circles.
const (
	maxBookmarks = 20_000
	maxDepth     = 32
)

// Outline is the file's bookmarks.
func (f *File) Outline() (out []content.Bookmark, err error) {
	defer catch(&err)
	seen := map[uint64]bool{}
	var walk func(parent uint64, depth int)
	walk = func(parent uint64, depth int) {
		for b := f.e.try("FPDFBookmark_GetFirstChild", f.doc, parent); b != 0; b = f.e.try("FPDFBookmark_GetNextSibling", f.doc, b) {
			if seen[b] || len(out) >= maxBookmarks {
				return
			}
			seen[b] = true
			out = append(out, f.bookmark(b, depth))
			if depth < maxDepth {
				walk(b, depth+1)
			}
		}
	}
	walk(0, 1)
	return out, nil
}

// Tagged reports whether the file says it is tagged.
func (f *File) Tagged() (yes bool, err error) {
	defer catch(&err)
	return asInt(f.e.try("FPDFCatalog_IsTagged", f.doc)) != 0, nil
}

func (f *File) bookmark(b uint64, depth int) content.Bookmark {
	m := content.Bookmark{Title: f.text("FPDFBookmark_GetTitle", b), Depth: depth, Page: -1, Y: -1}
	dest := f.e.try("FPDFBookmark_GetDest", f.doc, b)
	if dest == 0 {
		if a := f.e.try("FPDFBookmark_GetAction", b); a != 0 {
			dest = f.e.try("FPDFAction_GetDest", f.doc, a)
		}
	}
	if dest != 0 {
		m.Page, m.Y = f.dest(dest)
	}
	return m
}

// dest is the page of a destination and the y there, counted from the foot of the page (-1 for unknown).
func (f *File) dest(d uint64) (page int, y float32) {
	page = asInt(f.e.try("FPDFDest_GetDestPageIndex", f.doc, d))
	if page < 0 || page >= f.Pages {
		return -1, -1
	}
	b := f.e.buf
	if f.e.try("FPDFDest_GetLocationInPage", d, b, b+4, b+8, b+12, b+16, b+20) != 0 && f.e.intAt(1) != 0 {
		return page, f.e.float32At(4)
	}
	return page, -1
}

// text calls a function that leaves UTF-16 in a buffer and returns its length in bytes.
func (f *File) text(name string, args ...uint64) string {
	n := asInt(f.e.try(name, append(args, f.e.buf, bufSize)...))
	if n <= 2 || n > bufSize {
		return ""
	}
	b, ok := f.e.mem.Read(uint32(f.e.buf), uint32(n-2))
	if !ok {
		return ""
	}
	u := make([]uint16, len(b)/2)
	for i := range u {
		u[i] = uint16(b[2*i]) | uint16(b[2*i+1])<<8
	}
	return string(utf16.Decode(u))
}

// ErrPage says that one page could not be read.
var ErrPage = errors.New("the page is damaged")
