package facts

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
)

// Bounds of what is read by rules.
const (
	maxPages   = 16
	pageSize   = 6 << 10   // bytes of a page where the text has no marks
	maxPage    = 64 << 10  // bytes of a page that are read
	headSize   = 1500      // bytes of the head: title and first lines
	maxScanned = 4 << 20   // bytes that names and labels are counted in
	maxOpening = 256 << 10 // bytes of all pages together
)

// page is the plain text of a page, lines trimmed, blanks single, no empty lines.
type page struct {
	number int // from 1, as marked; counted where there are no marks
	text   string
}

var pageMark = regexp.MustCompile(`(?m)^<!-- page: (\d{1,6}) -->[ \t]*$|\f`)

// opening is the first pages of a Source.
func opening(src []byte) []page {
	src = src[:min(len(src), 1<<20)]
	marks := pageMark.FindAllIndex(src, maxPages+1)
	var pages []page
	total := 0
	add := func(b []byte) {
		text := clean(b[:min(len(b), maxPage, max(0, maxOpening-total))])
		total += len(b)
		if text != "" && len(pages) < maxPages {
			pages = append(pages, page{len(pages) + 1, text})
		}
	}
	if len(marks) == 0 {
		for len(src) > 0 && len(pages) < maxPages {
			n := pageEnd(src)
			add(src[:n])
			src = src[n:]
		}
		return pages
	}
	add(src[:marks[0][0]])
	for i, m := range marks {
		end := len(src)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		add(src[m[1]:end])
	}
	return pages
}

// pageEnd is where an unmarked page ends: at a line end near pageSize.
func pageEnd(b []byte) int {
	if len(b) <= pageSize {
		return len(b)
	}
	if n := bytes.IndexByte(b[pageSize:min(len(b), pageSize+1024)], '\n'); n >= 0 {
		return pageSize + n + 1
	}
	return pageSize
}

var (
	image   = regexp.MustCompile(`!\[[^\]\n]{0,300}\]\([^)\n]{0,300}\)`)
	link    = regexp.MustCompile(`\[([^\]\n]{0,300})\]\([^)\n]{0,300}\)`)
	autolin = regexp.MustCompile(`\(?<https?://[^>\n]{0,300}>\)?`)
	tags    = regexp.MustCompile(`(?s)<!--.{0,300}?-->|</?[A-Za-z][^<>\n]{0,300}>`)
	rules   = regexp.MustCompile(`[-=_~]{3,}`)
)

// spelled turns characters that stand for others into these.
var spelled = strings.NewReplacer("\u00a0", " ", "\u2009", " ", "\u202f", " ", "\u200b", "", "\u00ad", "",
	"\u2010", "-", "\u2011", "-", "\u2019", "'", "\u2018", "'", "&amp;", "&", "&nbsp;", " ", "&#160;", " ",
	"**", "", "__", "", "|", " ", "\\", "")

// clean is a piece of Source without markup.
func clean(b []byte) string {
	s := strings.ToValidUTF8(string(b), "\uFFFD")
	s = autolin.ReplaceAllString(link.ReplaceAllString(image.ReplaceAllString(s, " "), "$1"), " ")
	s = rules.ReplaceAllString(spelled.Replace(tags.ReplaceAllString(s, " ")), " ")
	var lines []string
	for line := range strings.Lines(s) {
		line = strings.Join(strings.FieldsFunc(line, unicode.IsSpace), " ")
		line = strings.Trim(line, "#* ")
		if line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// head is the first headSize bytes of a text, to a line's end.
func head(text string) string {
	if len(text) <= headSize {
		return text
	}
	if n := strings.LastIndexByte(text[:headSize], '\n'); n > headSize/2 {
		return text[:n]
	}
	return strings.ToValidUTF8(text[:headSize], "")
}
