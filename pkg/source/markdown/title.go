package markdown

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maxTitle is how many bytes of a title are read; goldmark is quadratic on hostile text.
const maxTitle = 600

var inline = goldmark.New(goldmark.WithExtensions(extension.Strikethrough)).Parser()

// attributes is an attribute list at the end of a title: {#id .class}, {: #id }.
// It begins with one of # . : = or a name with "=", so "f{x}" keeps its braces.
var attributes = regexp.MustCompile(`\s*\{:?\s*(?:[#.][\w.:-]+|[\w-]+=(?:"[^"{}]*"|[^\s"{}]+))(?:\s+(?:[#.][\w.:-]+|[\w-]+=(?:"[^"{}]*"|[^\s"{}]+)))*\s*\}$`)

var footnote = regexp.MustCompile(`\[\^[^\[\]\s]{1,40}\]`)

// Title is the text of the heading without inline markup, blanks folded to one; links and images
// give their text, raw HTML nothing. Longer titles are cut at 600 bytes of source.
func (h Heading) Title(src []byte) string { return PlainTitle(h.Raw(src)) }

// PlainTitle is raw, the inline Markdown of a title, as plain text.
func PlainTitle(raw []byte) string {
	raw = cut(raw, maxTitle)
	if !bytes.ContainsAny(raw, "\\`*_[]<>&{~") {
		return fold(string(raw))
	}
	if bytes.HasSuffix(raw, []byte("}")) {
		raw = attributes.ReplaceAll(raw, nil)
	}
	if bytes.Contains(raw, []byte("[^")) {
		raw = footnote.ReplaceAll(raw, nil)
	}
	return fold(plainInline(raw))
}

// plainInline reads raw as the content of an ATX heading: an opening and a closing sequence of our own
// keep goldmark from reading anything else into it.
func plainInline(raw []byte) string {
	src := make([]byte, 0, len(raw)+4)
	src = append(src, "# "...)
	for _, c := range raw {
		if c == '\n' || c == '\r' {
			c = ' '
		}
		src = append(src, c)
	}
	src = append(src, " #"...)
	var b strings.Builder
	plain(inline.Parse(text.NewReader(src), parser.WithContext(parser.NewContext())), src, &b, false)
	return b.String()
}

func plain(n ast.Node, src []byte, b *strings.Builder, code bool) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch t := c.(type) {
		case *ast.Text:
			v := t.Segment.Value(src)
			if !code {
				v = util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences(v)))
			}
			b.Write(v)
		case *ast.String:
			b.Write(t.Value)
		case *ast.AutoLink:
			b.Write(t.Label(src))
		case *ast.RawHTML:
			if breaks(t, src) {
				b.WriteByte(' ')
			}
		case *ast.CodeSpan:
			plain(t, src, b, true)
		case *extast.Strikethrough:
			plain(t, src, b, code)
		default:
			plain(c, src, b, code)
		}
	}
}

// breaks reports whether raw is a <br> tag, which parts words.
func breaks(raw *ast.RawHTML, src []byte) bool {
	if raw.Segments.Len() == 0 {
		return false
	}
	seg := raw.Segments.At(0)
	v := seg.Value(src)
	return len(v) >= 4 && bytes.EqualFold(v[:3], []byte("<br"))
}

// fold makes every run of white space one blank and trims the ends.
func fold(s string) string {
	return strings.ToValidUTF8(strings.Join(strings.Fields(s), " "), "\uFFFD")
}

// cut is b without what is beyond n bytes, whole characters only.
func cut(b []byte, n int) []byte {
	if len(b) <= n {
		return b
	}
	for n > 0 && !utf8.RuneStart(b[n]) {
		n--
	}
	return b[:n]
}
