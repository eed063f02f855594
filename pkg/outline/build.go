package outline

import (
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/source/markdown"
)

// Options of Build; the zero value is for Markdown.
type Options struct {
	// Plain: the Source is plain text. '#' makes no heading; only synthetic headings are looked for.
	Plain bool
	// KeepLevels: no repair; levels and headings stay as written (for parsers that know the levels).
	KeepLevels bool
	// Levels are those of headings, by line, that are deeper than Markdown can write.
	Levels map[int]int
	// Windows is why the headings are not to be trusted whatever they look like; "" when they may be.
	Windows     string
	MaxHeadings int // 0: markdown.MaxHeadings
}

// Build makes the tree of src, version v of document id. src is neither changed nor kept.
// It takes time linear in len(src) and memory bounded by the number of headings.
//
// The only error is a fault of class resource_limit: more headings than the limit.
func Build(id doc.ID, v doc.Version, src []byte, o Options) (*doc.Tree, error) {
	sk, err := markdown.Scan(src, markdown.Options{MaxHeadings: o.MaxHeadings})
	if err != nil {
		return nil, err
	}
	b := &builder{src: src, sk: sk, o: o}
	b.gather()
	b.shape()
	if o.Windows != "" {
		b.windows, b.confidence, b.why = true, 0, o.Windows
	}
	t := b.tree()
	t.DocID, t.Version = id, v
	return t, nil
}

// builder is the state of one Build.
type builder struct {
	src []byte
	sk  markdown.Skeleton
	o   Options
	all []heading // in order of the text; demoted ones are taken out as soon as they are known

	confidence float64
	why        string
	windows    bool
	body       bool // the document has no exhibits: it is all body
	demoted    int
}

// heading is a heading on its way into the tree.
type heading struct {
	line, last int // its lines
	start, end int // its bytes, without the last line end
	written    int // level as written; 0 of synthetic ones
	level      int // true level, from 1
	parent     int // index in all, -1 for a root
	page       int // which page of the text, from 0
	title      string
	is         rule // family and number, zero when it belongs to none
	text       bool // it has text of its own
	conf       float64
	why        string
	synthetic  bool
	lent       string
}

// maxSetext is how many lines a title above an underline may have. A longer one is a paragraph
// with the rule of a page's end right below it, which the standard (4.3) reads as a heading.
const maxSetext = 3

// gather takes the document's headings from the skeleton: those in no container, with a title, and
// no paragraphs.
func (b *builder) gather() {
	if b.o.Plain {
		return
	}
	page := 0
	for _, h := range b.sk.Headings {
		for page < len(b.sk.Pages) && b.sk.Pages[page].Line <= h.Line {
			page++
		}
		title := ""
		if h.In == markdown.Top {
			title = h.Title(b.src)
		}
		if title == "" || h.Last-h.Line > maxSetext {
			continue
		}
		b.all = append(b.all, heading{line: h.Line, last: h.Last, start: h.Start, end: h.End,
			written: max(h.Level, b.o.Levels[h.Line]), level: max(h.Level, b.o.Levels[h.Line]), parent: -1, page: page, title: title})
	}
	b.findText()
}

// findText says of each heading whether text stands between it and the next.
func (b *builder) findText() {
	for i := range b.all {
		to := len(b.src)
		if i+1 < len(b.all) {
			to = b.all[i+1].start
		}
		b.all[i].text = !blank(b.src[b.all[i].end:to])
	}
}

func blank(s []byte) bool {
	for _, c := range s {
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}
