package outline

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/pkg/source/markdown"
)

// maxLine is the longest line, in bytes, that can be a synthetic heading.
const maxLine = 240

// line is a paragraph of one line that may be a heading nobody marked as one.
type line struct {
	number     int
	start, end int // bytes of the line, without its line end
	title      string
	is         rule
	bold       bool // the whole line is bold
}

// lines are the paragraphs of one line that are wholly bold or begin with a number; list items
// count only when they stand alone between blank lines.
func (b *builder) lines() []line {
	var out []line
	open := -1                        // the paragraph's first line, when it is in out
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
			open = t.Line
		}
	}})
	return out
}

// candidate makes a line of running text a line that may be a heading; looked says that it was
// more than a glance.
func (b *builder) candidate(t markdown.Text) (l line, looked, ok bool) {
	if t.End-t.Start > maxLine || t.End-t.Start < 2 {
		return line{}, false, false
	}
	start := 1 + bytes.LastIndexByte(b.src[:t.Start], '\n')
	raw := b.src[t.Start:t.End]
	if t.Item { // the item's mark is part of the title: "1. Scope"
		raw = bytes.TrimLeft(b.src[start:t.End], " ")
		if len(raw) > maxLine || !b.standsAlone(start, t.End) {
			return line{}, false, false
		}
	}
	l = line{number: t.Line, start: start, end: t.End, bold: wholly(raw)}
	if !l.bold && !numbered(raw) {
		return line{}, false, false
	}
	if l.bold {
		raw = bytes.TrimSuffix(raw[2:], []byte(":"))
		raw = bytes.TrimRight(raw, "*_")
	}
	l.title = markdown.PlainTitle(raw)
	l.is = rules.classify(l.title)
	ok = l.title != "" && (l.bold || l.is.rank != 0 && l.is.rank <= rankList) && rules.furniture(l.title) == ""
	return l, true, ok
}

// standsAlone reports whether blank lines, or the text's ends, are around the line.
func (b *builder) standsAlone(start, end int) bool {
	before := bytes.TrimRight(b.src[max(0, start-200):start], " \t")
	after := bytes.TrimLeft(b.src[end:min(len(b.src), end+200)], " \t")
	return (start == 0 || bytes.HasSuffix(before, []byte("\n\n")) || string(before) == "\n") &&
		(len(after) < 2 || bytes.HasPrefix(after, []byte("\n\n")) || bytes.HasPrefix(after[1:], []byte(" \n")))
}

// wholly reports whether raw is one bold span.
func wholly(raw []byte) bool {
	for _, m := range [...]string{"**", "__"} {
		if in, ok := bytes.CutPrefix(raw, []byte(m)); ok {
			i := bytes.Index(in, []byte(m))
			return i > 0 && (i == len(in)-2 || i == len(in)-3 && (in[len(in)-1] == ':' || in[len(in)-1] == m[0]))
		}
	}
	return false
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
	i := bytes.IndexByte(raw, ' ')
	if i < 0 {
		return false
	}
	if i <= 8 && (raw[i-1] == '.' || bytes.IndexByte(raw[:i], '.') > 0) {
		return true
	}
	return i <= 24 && rules.byWord[strings.ToLower(string(raw[:i]))] != nil
}

// fillGaps makes headings of lines that fill a gap in the count of real ones: "Item 1B" in bold
// between the headings Item 1A and Item 2. Only where levels are repaired.
func (b *builder) fillGaps() {
	gaps := b.counted()
	if len(gaps) == 0 {
		return
	}
	var found []heading
	last, coming := map[string]number{}, b.ahead()
	k := 0
	for _, l := range b.lines() {
		for ; k < len(b.all) && b.all[k].line < l.number; k++ {
			if h := &b.all[k]; h.is.number.parts != nil {
				last[h.is.family] = h.is.number
			}
		}
		if !gaps[l.is.family] || l.is.number.parts == nil || l.is.alone && !l.bold {
			continue
		}
		prev, seen := last[l.is.family]
		var next number
		at := coming.next(k, l.is.family)
		if at >= 0 {
			next = b.all[at].is.number
		}
		if !fits(l, prev, next, seen, at >= 0) {
			continue
		}
		last[l.is.family] = l.is.number
		h := b.synthetic(l, 0.8, "fills the gap in the count of "+l.is.family+" headings")
		found = append(found, h)
	}
	b.insert(found)
}

// counted are the families with real headings enough to show a gap.
func (b *builder) counted() map[string]bool {
	n := map[string]int{}
	for i := range b.all {
		if r := b.all[i].is; r.rank > 0 && r.rank < rankDotted && r.number.parts != nil {
			n[r.family]++
		}
	}
	out := map[string]bool{}
	for f, c := range n {
		if c >= 3 {
			out[f] = true
		}
	}
	return out
}

// ahead finds the next numbered heading of a family; it is asked in order of the text.
type ahead map[string][]int // by family, the indices of headings not yet passed

func (b *builder) ahead() ahead {
	a := ahead{}
	for i := range b.all {
		if r := b.all[i].is; r.number.parts != nil {
			a[r.family] = append(a[r.family], i)
		}
	}
	return a
}

// next is the index of the family's first heading at k or after, -1 for none.
func (a ahead) next(k int, family string) int {
	rest := a[family]
	for len(rest) > 0 && rest[0] < k {
		rest = rest[1:]
	}
	a[family] = rest
	if len(rest) == 0 {
		return -1
	}
	return rest[0]
}

// fits reports whether the line's number lies between its neighbours'. A line that is not bold
// must be next to one of them.
func fits(l line, prev, next number, seen, more bool) bool {
	n := l.is.number
	if !seen {
		return more && n.parts[0] == 1 && len(n.parts) == 1 && next.after(n) && (l.bold || next.follows(n))
	}
	if !n.after(prev) {
		return false
	}
	if more && next.after(prev) {
		return next.after(n) && (l.bold || n.follows(prev) || next.follows(n))
	}
	return n.follows(prev) && (l.bold || more)
}

func (b *builder) synthetic(l line, conf float64, why string) heading {
	return heading{line: l.number, last: l.number, start: l.start, end: l.end, written: 2, level: 1, parent: -1,
		page: b.pageIndex(l.number), title: l.title, is: l.is, synthetic: true, conf: conf, why: why}
}

func (b *builder) pageIndex(n int) int {
	i, _ := slices.BinarySearchFunc(b.sk.Pages, n, func(p markdown.Page, n int) int {
		if p.Line <= n {
			return -1
		}
		return 1
	})
	return i
}

// insert puts headings among the others, in order of the text.
func (b *builder) insert(found []heading) {
	if len(found) == 0 {
		return
	}
	b.all = append(b.all, found...)
	slices.SortFunc(b.all, func(x, y heading) int { return x.line - y.line })
	b.findText()
}

// synthesise makes headings for a document that has none: from lines that are numbered in order, and from
// bold lines, when most of them have a text below.
func (b *builder) synthesise() {
	var found []heading
	last := map[string]number{}
	for _, l := range b.lines() {
		if !l.bold && !b.inOrder(l, last) {
			continue
		}
		h := b.synthetic(l, 0.5, "a bold line, in a document without headings")
		if l.is.number.parts != nil {
			h.why, h.conf = "a numbered line, in a document without headings", 0.6
			last[l.is.family] = l.is.number
		}
		found = append(found, h)
	}
	b.insert(found)
	with := 0
	for i := range b.all {
		if b.all[i].text {
			with++
		}
	}
	if len(b.all) < 2 || with*2 < len(b.all) {
		b.all = nil
		return
	}
	b.classify()
	b.why = "no headings; taken from bold and numbered lines"
}

// inOrder reports whether a line that is not bold goes on its family's count, and reads like a
// title: it ends in no full stop and is no sentence.
func (b *builder) inOrder(l line, last map[string]number) bool {
	if l.is.number.parts == nil || len(l.title) > 120 || strings.HasSuffix(l.title, ".") && !l.is.alone || strings.HasSuffix(l.title, ";") {
		return false
	}
	if !b.standsAlone(l.start, l.end) {
		return false
	}
	prev, seen := last[l.is.family]
	if !seen {
		return l.is.number.parts[0] == 1 || l.is.rank < rankDotted
	}
	return l.is.number.after(prev)
}
