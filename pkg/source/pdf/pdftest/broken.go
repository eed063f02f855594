package pdftest

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
)

// Bomb is a file whose one page inflates to n bytes, twice packed if twice.
func Bomb(n int, twice bool) []byte {
	data := pack(bytes.Repeat([]byte("0 0 m "), n/6))
	filter := "/FlateDecode"
	if twice {
		data, filter = pack(data), "[/FlateDecode /FlateDecode]"
	}
	d := New()
	catalog, pages := d.add("<< /Type /Catalog /Pages 2 0 R >>"), d.add("<< /Type /Pages /Count 1 /Kids [3 0 R] >>")
	d.add(fmt.Sprintf("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 612 792] /Contents 4 0 R >>", pages))
	d.stream("/Filter "+filter, data)
	return d.file(catalog)
}

func pack(b []byte) []byte {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	_, _ = w.Write(b) // a buffer takes everything
	_ = w.Close()
	return out.Bytes()
}

// Loop is a file whose tree of pages runs in a circle.
func Loop() []byte {
	d := New()
	catalog := d.add("<< /Type /Catalog /Pages 2 0 R >>")
	d.add("<< /Type /Pages /Count 4 /Kids [3 0 R 2 0 R] >>")
	d.add("<< /Type /Pages /Parent 2 0 R /Count 2 /Kids [2 0 R 3 0 R] >>")
	return d.file(catalog)
}

// NoPages is a sound file without a page.
func NoPages() []byte {
	d := New()
	catalog := d.add("<< /Type /Catalog /Pages 2 0 R >>")
	d.add("<< /Type /Pages /Count 0 /Kids [] >>")
	return d.file(catalog)
}

// Nested is a file of n arrays in one another.
func Nested(n int) []byte {
	d := New()
	catalog := d.add("<< /Type /Catalog /Pages 2 0 R /X " + strings.Repeat("[", n) + strings.Repeat("]", n) + " >>")
	d.add("<< /Type /Pages /Count 0 /Kids [] >>")
	return d.file(catalog)
}

// Many is a file of n pages with a line each.
func Many(n int) []byte {
	d := New()
	for i := range n {
		d.Page().Text(72, 100, 10, Plain, fmt.Sprintf("This is the only line on sheet %d of the file.", i+1))
	}
	return d.Bytes()
}
