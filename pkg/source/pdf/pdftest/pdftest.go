// Package pdftest makes small PDF files for tests: text at given places, links, outlines, pictures,
// rotated pages, encryption, and the faults that readers meet.
//
// Places are points from the left upper corner, as everywhere in package pdf. The fonts are Courier: each
// character is 0.6 times the size wide.
package pdftest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Doc is a file in the making.
type Doc struct {
	pages    []*Page
	outline  []mark
	password *string // user password, nil for none
	objects  [][]byte
}

// Page is one page of it.
type Page struct {
	w, h    float64
	rotate  int
	content bytes.Buffer
	links   []link
	tags    []int // levels of the headings that are tagged, by their number on the page
}

type mark struct {
	title string
	depth int // from 1
	page  int
	y     float64
}

type link struct {
	x0, y0, x1, y1 float64
	page           int
	y              float64
}

// Font names a font of every page.
type Font string

// The fonts.
const (
	Plain  Font = "F1" // Courier
	Bold   Font = "F2" // Courier-Bold
	Italic Font = "F3" // Courier-Oblique
	Wide   Font = "F4" // any character of the basic plane, with a table of what it means
	Blind  Font = "F5" // as Wide, without that table
)

// New is an empty file.
func New() *Doc { return &Doc{} }

// Page adds a page of 612 by 792 points.
func (d *Doc) Page() *Page {
	p := &Page{w: 612, h: 792}
	d.pages = append(d.pages, p)
	return p
}

// Rotate turns the page by quarter turns, clockwise. Text keeps its place on the sheet.
func (p *Page) Rotate(quarters int) *Page { p.rotate = quarters * 90; return p }

// Encrypt locks the file with a user password; the empty one locks nothing, but encrypts all the same.
func (d *Doc) Encrypt(user string) *Doc { d.password = &user; return d }

// Mark adds an entry to the outline.
func (d *Doc) Mark(title string, page int, y float64) {
	d.MarkAt(1, title, page, y)
}

// MarkAt adds an entry of that depth (from 1, at most one more than the one before).
func (d *Doc) MarkAt(depth int, title string, page int, y float64) {
	d.outline = append(d.outline, mark{title, depth, page, y})
}

// Link makes the box a link to a place on a page (from 0).
func (p *Page) Link(x0, y0, x1, y1 float64, page int, y float64) {
	p.links = append(p.links, link{x0, y0, x1, y1, page, y})
}

// Width is how wide a text is.
func Width(s string, size float64) float64 { return float64(len([]rune(s))) * size * 0.6 }

// Text writes s with its base line at y.
func (p *Page) Text(x, y, size float64, f Font, s string) *Page {
	fmt.Fprintf(&p.content, "BT /%s %g Tf %g %g Td %s Tj ET\n", f, size, x, p.h-y, encode(f, s))
	return p
}

// Tagged writes s as Text does, and says in the file's structure that it is a heading of that level.
func (p *Page) Tagged(level int, x, y, size float64, f Font, s string) *Page {
	fmt.Fprintf(&p.content, "/H%d << /MCID %d >> BDC\n", level, len(p.tags))
	p.tags = append(p.tags, level)
	return p.Text(x, y, size, f, s).Raw("EMC")
}

// Right writes s so that it ends at x.
func (p *Page) Right(x, y, size float64, f Font, s string) *Page {
	return p.Text(x-Width(s, size), y, size, f, s)
}

// Lines writes lines below each other, leading points apart, and returns the y after the last.
func (p *Page) Lines(x, y, size, leading float64, f Font, lines ...string) float64 {
	for _, l := range lines {
		p.Text(x, y, size, f, l)
		y += leading
	}
	return y
}

// Picture fills a box with a picture.
func (p *Page) Picture(x, y, w, h float64) *Page {
	fmt.Fprintf(&p.content, "q %g 0 0 %g %g %g cm /Im Do Q\n", w, h, x, p.h-y-h)
	return p
}

// Raw adds operators as they are.
func (p *Page) Raw(ops string) *Page { p.content.WriteString(ops + "\n"); return p }

func encode(f Font, s string) string {
	if f == Wide || f == Blind {
		var b strings.Builder
		for _, r := range s {
			if f == Blind {
				r = r&0xf + 1 // numbers of glyphs, as subset fonts have them
			}
			fmt.Fprintf(&b, "%04X", r)
		}
		return "<" + b.String() + ">"
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == 'ﬁ':
			b.WriteByte(1)
		case r == 'ﬂ':
			b.WriteByte(2)
		case r == '(' || r == ')' || r == '\\':
			b.WriteString(`\` + string(r))
		case r < 256:
			b.WriteByte(byte(r))
		default:
			b.WriteByte('?')
		}
	}
	return "(" + b.String() + ")"
}

// add numbers an object; 1 is the first.
func (d *Doc) add(body string) int {
	d.objects = append(d.objects, []byte(body))
	return len(d.objects)
}

// Bytes is the file.
func (d *Doc) Bytes() []byte {
	d.objects = nil
	catalog, pages := d.add(""), d.add("")
	fonts := d.fonts()
	image := d.stream("/Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray", []byte{128})
	first := len(d.objects) + 1 // page i is object first + 2i, its content the next
	var kids []string
	for i, p := range d.pages {
		kids = append(kids, fmt.Sprintf("%d 0 R", first+2*i))
		d.add(fmt.Sprintf("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 %g %g] /Rotate %d /StructParents %d /Contents %d 0 R /Annots [%s] /Resources << /Font << %s >> /XObject << /Im %d 0 R >> >> >>",
			pages, p.w, p.h, p.rotate, i, first+2*i+1, d.annots(p, first), fonts, image))
		d.stream("", p.content.Bytes())
	}
	d.objects[pages-1] = fmt.Appendf(nil, "<< /Type /Pages /Count %d /Kids [%s] >>", len(kids), strings.Join(kids, " "))
	d.objects[catalog-1] = fmt.Appendf(nil, "<< /Type /Catalog /Pages %d 0 R %s %s >>", pages, d.marks(first), d.structure(first))
	return d.file(catalog)
}

func (d *Doc) annots(p *Page, first int) string {
	var b strings.Builder
	for _, l := range p.links {
		fmt.Fprintf(&b, "<< /Type /Annot /Subtype /Link /Rect [%g %g %g %g] /Border [0 0 0] /Dest [%d 0 R /XYZ 0 %g 0] >> ",
			l.x0, p.h-l.y1, l.x1, p.h-l.y0, first+2*l.page, d.pages[l.page].h-l.y)
	}
	return b.String()
}

// marks adds the outline and is its entry in the catalogue.
func (d *Doc) marks(first int) string {
	if len(d.outline) == 0 {
		return ""
	}
	root := len(d.objects) + 1
	d.add("")
	for range d.outline {
		d.add("")
	}
	top, last := d.under(0, len(d.outline), 1, root, first)
	d.objects[root-1] = fmt.Appendf(nil, "<< /Type /Outlines /First %d 0 R /Last %d 0 R /Count %d >>", top, last, len(d.outline))
	return fmt.Sprintf("/Outlines %d 0 R", root)
}

// under writes the entries [from, to) of the outline that have that depth, and what is below them; entry i is object root+1+i in all.
// It returns the first and the last.
func (d *Doc) under(from, to, depth, parent, first int) (top, last int) {
	root := len(d.objects) - len(d.outline)
	top = root + 1 + from
	for i := from; i < to; {
		next := i + 1
		for next < to && d.outline[next].depth > depth {
			next++
		}
		m, n := d.outline[i], root+1+i
		links := ""
		if i+1 < next {
			a, b := d.under(i+1, next, depth+1, n, first)
			links = fmt.Sprintf("/First %d 0 R /Last %d 0 R /Count %d", a, b, next-i-1)
		}
		if next < to {
			links += fmt.Sprintf(" /Next %d 0 R", root+1+next)
		}
		d.objects[n-1] = fmt.Appendf(nil, "<< /Title %s /Parent %d 0 R %s /Dest [%d 0 R /XYZ 0 %g 0] >>", encode(Plain, m.title), parent, links, first+2*m.page, d.pages[m.page].h-m.y)
		last, i = n, next
	}
	return top, last
}

// structure adds the tree of the tagged headings and is its entry in the catalogue.
func (d *Doc) structure(first int) string {
	root := len(d.objects) + 1
	var kids, parents []string
	d.add("")
	for i, p := range d.pages {
		var of []string
		for k, level := range p.tags {
			n := d.add(fmt.Sprintf("<< /Type /StructElem /S /H%d /P %d 0 R /Pg %d 0 R /K %d >>", level, root, first+2*i, k))
			of = append(of, fmt.Sprintf("%d 0 R", n))
		}
		kids = append(kids, of...)
		parents = append(parents, fmt.Sprintf("%d [%s]", i, strings.Join(of, " ")))
	}
	if len(kids) == 0 {
		d.objects = d.objects[:root-1]
		return ""
	}
	d.objects[root-1] = fmt.Appendf(nil, "<< /Type /StructTreeRoot /K [%s] /ParentTree << /Nums [%s] >> >>", strings.Join(kids, " "), strings.Join(parents, " "))
	return fmt.Sprintf("/MarkInfo << /Marked true >> /StructTreeRoot %d 0 R", root)
}

func (d *Doc) stream(dict string, data []byte) int {
	return d.add(fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dict, len(data), data))
}

// fonts adds the fonts and is the dictionary that names them.
func (d *Doc) fonts() string {
	var names []string
	for _, f := range []struct {
		f    Font
		base string
	}{{Plain, "Courier"}, {Bold, "Courier-Bold"}, {Italic, "Courier-Oblique"}} {
		n := d.add(fmt.Sprintf("<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding << /Type /Encoding /BaseEncoding /WinAnsiEncoding /Differences [1 /fi /fl] >> >>", f.base))
		names = append(names, fmt.Sprintf("/%s %d 0 R", f.f, n))
	}
	meaning := d.stream("", []byte("/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Own def /CMapType 2 def\n"+
		"1 begincodespacerange <0000> <FFFF> endcodespacerange\n1 beginbfrange <0000> <FFFF> <0000> endbfrange\nendcmap end end"))
	for f, table := range map[Font]string{Wide: fmt.Sprintf("/ToUnicode %d 0 R", meaning), Blind: ""} {
		desc := d.add("<< /Type /FontDescriptor /FontName /Own /Flags 4 /FontBBox [0 -200 1000 800] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>")
		cid := d.add(fmt.Sprintf("<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Own /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 600 /FontDescriptor %d 0 R >>", desc))
		n := d.add(fmt.Sprintf("<< /Type /Font /Subtype /Type0 /BaseFont /Own /Encoding /Identity-H /DescendantFonts [%d 0 R] %s >>", cid, table))
		names = append(names, fmt.Sprintf("/%s %d 0 R", f, n))
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// file writes the objects, encrypted if asked for, and their table.
func (d *Doc) file(catalog int) []byte {
	trailer := ""
	if d.password != nil {
		lock := newLock(*d.password)
		for i := range d.objects {
			d.objects[i] = lock.object(i+1, d.objects[i])
		}
		n := d.add(lock.dictionary())
		trailer = fmt.Sprintf("/Encrypt %d 0 R /ID [<%x> <%x>]", n, lock.id, lock.id)
	}
	var b bytes.Buffer
	b.WriteString("%PDF-1.5\n%\xe2\xe3\xcf\xd3\n")
	at := make([]int, len(d.objects))
	for i, o := range d.objects {
		at[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root %d 0 R %s >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, catalog, trailer, table)
	return b.Bytes()
}
