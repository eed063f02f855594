package outline

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/pkg/source/markdown"
)

// maxLine is the longest line, in bytes, that can be a synthetic heading.
const maxLine = 240

// line is the first line of a paragraph that may be a heading nobody marked as one.
type line struct {
	number int
	start  int // first byte of the line
	end    int // end of the title in the line
	title  string
	is     rule
	bold   bool // the title is one bold or underlined span
	runIn  bool // text follows the title on its line: "Section 2.1 Term. The term begins ..."
}

// lines are the paragraphs of one line that are wholly bold or begin with a number, and those of
// any length whose numbered title runs into the text. List items count only when they stand
// alone between blank lines.
func (b *builder) lines() []line {
	var out []line
	open := -1                        // the paragraph's first line, when it is in out and must be the only one
	tries := 4 * markdown.MaxHeadings // what is beyond is text: a bound on the work
	_, _ = markdown.Scan(b.src, markdown.Options{MaxHeadings: len(b.sk.Headings) + 1, Text: func(t markdown.Text) {
		if !t.First {
			if open == t.Line-1 {
				out = out[:len(out)-1]
			}
			open = -1
			return
		}
		open = -1
		if len(out) == markdown.MaxHeadings || tries == 0 {
			return
		}
		l, looked, ok := b.candidate(t)
		if looked {
			tries--
		}
		if ok {
			out = append(out, l)
			if !l.runIn {
				open = t.Line
			}
		}
	}})
	return out
}

// candidate makes a line of running text a line that may be a heading; looked says that it was
// more than a glance.
func (b *builder) candidate(t markdown.Text) (l line, looked, ok bool) {
	if t.End-t.Start < 2 {
		return line{}, false, false
	}
	raw := b.src[t.Start:t.End]
	from := t.Start
	l = line{number: t.Line}
	l.start = 1 + bytes.LastIndexByte(b.src[:t.Start], '\n')
	if t.Item { // the item's mark is part of the title: "1. Scope"
		raw = bytes.TrimLeft(b.src[l.start:t.End], " ")
		from = t.End - len(raw)
		if len(raw) > maxLine || !b.standsAlone(l.start, t.End) {
			return line{}, false, false
		}
	}
	title, whole := span(raw)
	switch {
	case title == nil && !numbered(raw):
		return line{}, false, false
	case title != nil:
		l.bold, l.runIn = true, !whole
		l.end = t.End
		if l.runIn {
			l.end = from + bytes.Index(raw, title) + len(title)
		}
	case runIn(raw) != nil:
		title, l.runIn = runIn(raw), true
		l.end = from + len(title)
	default:
		title, l.end = raw, t.End
	}
	if len(title) > maxLine {
		return line{}, false, false
	}
	l.title = markdown.PlainTitle(title)
	l.is = rules.classify(l.title)
	number := l.is.rank != 0 && l.is.rank <= rankList
	if l.runIn { // only families of a word, and 3.1: a bold beginning is mostly emphasis
		number = l.is.number.parts != nil && (l.is.rank < rankDotted || len(l.is.number.parts) > 1)
	}
	ok = l.title != "" && (number || l.bold && !l.runIn) && rules.furniture(l.title) == ""
	return l, true, ok
}

// standsAlone reports whether blank lines, or the text's ends, are around the line.
func (b *builder) standsAlone(start, end int) bool {
	before := bytes.TrimRight(b.src[max(0, start-200):start], " \t")
	after := bytes.TrimLeft(b.src[end:min(len(b.src), end+200)], " \t")
	return (start == 0 || bytes.HasSuffix(before, []byte("\n\n")) || string(before) == "\n") &&
		(len(after) < 2 || bytes.HasPrefix(after, []byte("\n\n")) || bytes.HasPrefix(after[1:], []byte(" \n")))
}

// span is the inside of the bold or underlined span that begins raw, nil when there is none, and
// whether it is all of raw, a colon or a full stop left aside.
func span(raw []byte) (inside []byte, whole bool) {
	for _, m := range [...][2]string{{"***", "***"}, {"**", "**"}, {"__", "__"}, {"<u>", "</u>"}} {
		in, ok := bytes.CutPrefix(raw, []byte(m[0]))
		if !ok {
			continue
		}
		i := bytes.Index(in[:min(len(in), maxLine)], []byte(m[1]))
		if i <= 0 {
			return nil, false
		}
		rest := bytes.TrimRight(in[i+len(m[1]):], ":. ")
		if m[0] == "<u>" && len(rest) == 0 {
			return nil, false // an underlined line alone is no sign of a heading
		}
		if isPage(in[i+len(m[1]):]) {
			return nil, false
		}
		return in[:i], len(rest) == 0
	}
	return nil, false
}

// Titles that run into the text: plain to their full stop behind a word and a number or a number
// of two parts and more, bold or underlined behind any number.
var (
	running     = regexp.MustCompile(`^(?:(?:\pL+\.?|§) ?\d+(?:\.\d+)*\pL?|\d+(?:\.\d+)+)[.:]? +\p{Lu}[^.\n*<]{1,88}\. `)
	runningBold = regexp.MustCompile(`^(?:(?:\pL+\.?|§) ?)?\d+(?:\.\d+)*\pL?[.:]? +(?:\*\*|<u>)+\p{Lu}[^\n*<]{1,88}(?:\*\*|</u>)+`)
)

// runIn is the title that runs into the text of raw; nil for none.
func runIn(raw []byte) []byte {
	head := raw[:min(len(raw), 160)]
	m := running.Find(head)
	if m == nil {
		m = runningBold.Find(head)
	}
	if m == nil || isPage(raw[len(m):]) {
		return nil
	}
	if c := raw[0]; !isDigit(c) && c != 0xc2 && rules.byWord[strings.ToLower(string(raw[:bytes.IndexAny(raw, " 0123456789")]))] == nil {
		return nil
	}
	return bytes.TrimRight(m, " ")
}

// isPage reports whether rest, behind a title, is the page number of a table of contents.
func isPage(rest []byte) bool {
	rest = bytes.Trim(rest, "*_. \t")
	for _, c := range rest {
		if !isDigit(c) {
			return false
		}
	}
	return len(rest) > 0 && len(rest) < 5
}

// numbered reports whether raw may begin with a number or a family's word: a cheap look before
// the rules are asked.
func numbered(raw []byte) bool {
	r, _ := utf8.DecodeRune(raw)
	if unicode.IsDigit(r) || r == '§' {
		return true
	}
	if !unicode.IsUpper(r) {
		return false
	}
	i := bytes.IndexByte(raw[:min(len(raw), 25)], ' ')
	if i < 0 {
		return false
	}
	if i <= 8 && bytes.IndexByte(raw[:i], '.') > 0 {
		return true
	}
	return rules.byWord[strings.ToLower(string(raw[:i]))] != nil
}
