package source

import (
	"bytes"
	"context"
	"strings"
)

// format is a row of the table: how a type of file is known, and who reads it.
type format struct {
	name  string
	is    func(name string, raw []byte) bool
	parse func(r Reader, ctx context.Context, name string, raw []byte) (Source, error) // nil: known and not read
}

// formats, the first that fits reads the file. A format of its own package is a row here whose
// parse calls it; the types without parse are there so that the reason names them.
var formats = []format{
	{"PDF", within(1024, "%PDF-"), Reader.parsePDF},
	{"a ZIP archive or an Office document", magic("PK\x03\x04", "PK\x05\x06", "PK\x07\x08"), nil},
	{"an old Office document", magic("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), nil},
	{"RTF", magic(`{\rtf`), nil},
	{"PostScript", magic("%!PS"), nil},
	{"an image", magic("\x89PNG\r\n", "GIF87a", "GIF89a", "\xff\xd8\xff", "II*\x00", "MM\x00*", "BM\x00", "RIFF", "\x00\x00\x01\x00"), nil},
	{"audio or video", magic("ID3", "OggS", "fLaC", "\x1aE\xdf\xa3", "\x00\x00\x00\x18ftyp", "\x00\x00\x00\x20ftyp"), nil},
	{"an archive", magic("\x1f\x8b", "BZh", "\xfd7zXZ", "7z\xbc\xaf", "Rar!", "\x28\xb5\x2f\xfd"), nil},
	{"a program", magic("\x7fELF", "MZ\x90", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe", "\x00asm"), nil},
	{"a database", magic("SQLite format 3\x00", "PAR1"), nil},
	{"HTML", isHTML, nil},
	{"text", isText, Reader.parseText},
}

// magic fits a file that begins with one of the marks.
func magic(marks ...string) func(string, []byte) bool {
	return func(_ string, raw []byte) bool {
		for _, m := range marks {
			if bytes.HasPrefix(raw, []byte(m)) {
				return true
			}
		}
		return false
	}
}

// within fits a file with the mark somewhere in its first n bytes, at the start of a line: PDF readers accept
// rubbish before the header.
func within(n int, m string) func(string, []byte) bool {
	return func(_ string, raw []byte) bool {
		head := raw[:min(len(raw), n)]
		i := bytes.Index(head, []byte(m))
		return i == 0 || i > 0 && (head[i-1] == '\n' || head[i-1] == '\r') && bytes.Contains(raw[i:], []byte("endobj"))
	}
}

// isHTML fits a whole HTML page. A Markdown text may well begin with a tag, so only a page's own first tags count.
func isHTML(name string, raw []byte) bool {
	head := bytes.ToLower(raw[:min(len(raw), 512)])
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte(bom8)), " \t\r\n")
	if bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.HasPrefix(head, []byte("<html")) {
		return !isMarkdownName(name)
	}
	return false
}

func isMarkdownName(name string) bool {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return false
	}
	switch strings.ToLower(name[i:]) {
	case ".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd":
		return true
	}
	return false
}
