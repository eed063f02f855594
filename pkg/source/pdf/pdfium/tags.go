package pdfium

import "unicode/utf16"

// maxTags bounds the elements of a page's tree, maxTagDepth its depth.
const (
	maxTags     = 20_000
	maxTagDepth = 64
)

// headingTags says of the marked contents of a page which level of heading (1 to 6) the file's own structure gives them.
func (f *File) headingTags(page uint64) map[int]int {
	e := f.e
	tree := e.try("FPDF_StructTree_GetForPage", page)
	if tree == 0 {
		return nil
	}
	defer e.try("FPDF_StructTree_Close", tree)
	out := map[int]int{}
	left := maxTags
	for i := range asInt(e.try("FPDF_StructTree_CountChildren", tree)) {
		f.tagged(e.try("FPDF_StructTree_GetChildAtIndex", tree, uint64(i)), 0, maxTagDepth, &left, out)
	}
	return out
}

// tagged walks an element inside a heading of that level, 0 for none.
func (f *File) tagged(element uint64, level, depth int, left *int, out map[int]int) {
	if *left--; element == 0 || depth == 0 || *left < 0 {
		return
	}
	e := f.e
	if level == 0 {
		level = headingLevel(f.tagName(element))
	}
	n := asInt(e.try("FPDF_StructElement_CountChildren", element))
	for i := range max(n, 0) {
		if child := e.try("FPDF_StructElement_GetChildAtIndex", element, uint64(i)); child != 0 {
			f.tagged(child, level, depth-1, left, out)
		} else if id := asInt(e.try("FPDF_StructElement_GetChildMarkedContentID", element, uint64(i))); id >= 0 && level > 0 {
			out[id] = level
		}
	}
}

func (f *File) tagName(element uint64) string {
	e := f.e
	n := asInt(e.try("FPDF_StructElement_GetType", element, e.buf, bufSize))
	if n <= 2 || n > 64 {
		return ""
	}
	b, ok := e.mem.Read(uint32(e.buf), uint32(n-2))
	if !ok {
		return ""
	}
	u := make([]uint16, len(b)/2)
	for i := range u {
		u[i] = uint16(b[2*i]) | uint16(b[2*i+1])<<8
	}
	return string(utf16.Decode(u))
}

// headingLevel is 1 to 6 for H1 to H6, 1 for H and Title, 0 for other tags.
func headingLevel(tag string) int {
	switch {
	case tag == "H" || tag == "Title":
		return 1
	case len(tag) == 2 && tag[0] == 'H' && tag[1] >= '1' && tag[1] <= '6':
		return int(tag[1] - '0')
	}
	return 0
}
