package pdfium

import (
	"errors"

	"github.com/fingerpost/fingerpost/pkg/source/pdf/content"
)

// linkPages is how many pages at the start of a file are searched for a linked table of contents.
const linkPages = 16

// Document reads the whole file. damaged counts pages that could not be read and are empty.
func (f *File) Document() (d *content.Document, damaged int, err error) {
	d = &content.Document{Pages: make([]content.Page, f.Pages)}
	if d.Tagged, err = f.Tagged(); err != nil {
		return nil, 0, err
	}
	f.hasTags = d.Tagged
	for i := range d.Pages {
		p, err := f.Page(i, i < linkPages)
		if errors.Is(err, ErrPage) {
			damaged++
		} else if err != nil {
			return nil, damaged, err
		}
		d.Pages[i] = p
	}
	if d.Bookmark, err = f.Outline(); err != nil {
		return nil, damaged, err
	}
	d.FromTop()
	return d, damaged, nil
}
