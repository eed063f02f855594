package markdown

import (
	"bytes"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
)

// Scan reads the skeleton of src. Lines end at LF (a CR before it belongs to the line end);
// VT, FF, U+2028 and lone CRs do not end a line. The only error is a fault of class
// resource_limit: more headings than the limit.
func Scan(src []byte, o Options) (Skeleton, error) {
	if o.MaxHeadings == 0 {
		o.MaxHeadings = MaxHeadings
	}
	s := scanner{src: src, o: o}
	pos := s.front()
	for pos < len(src) {
		end, next := len(src), len(src)
		if i := bytes.IndexByte(src[pos:], '\n'); i >= 0 {
			end, next = pos+i, pos+i+1
		}
		if end > pos && src[end-1] == '\r' {
			end--
		}
		s.line++
		s.start, s.end = pos, end
		s.read()
		if s.err != nil {
			return Skeleton{}, s.err
		}
		pos = next
	}
	s.out.Lines = s.line
	s.out.Pages = s.pages.marks(s.line)
	return s.out, nil
}

// leaf is the open block that takes lines.
type leaf byte

const (
	none leaf = iota
	paragraph
	fence
	html
	code // indented
)

// container is an open block quote or list item.
type container struct {
	kind   Container
	indent int  // of items: columns its content is indented by, from the parent's content
	empty  bool // of items: nothing in it yet
}

// scanner holds the state between lines and the position in the current one.
type scanner struct {
	src   []byte
	o     Options
	out   Skeleton
	err   error
	pages pageFinder

	// The current line.
	line       int
	start, end int // its bytes, without the line end
	off        int // the next byte
	col        int // the column of off
	rest       int // columns left of a tab that is consumed in part
	next       int // the next byte that is no blank, set by seek
	indent     int // columns from off to next
	blank      bool
	noRule     [3]int // per rule mark: a rule cannot start before this byte

	// The open blocks.
	stack [MaxDepth]container
	depth int
	leaf  leaf

	fenceMark   byte
	fenceLength int
	htmlKind    int
	para        extent
}

// extent is where the open paragraph stands.
type extent struct {
	line      int // its first line
	lineStart int // first byte of that line
	text      int // first byte of its content
	end       int // end of its last line's content
}

// read takes the current line. Lines of letters and lines inside HTML, which most are, take
// the short way; the rest goes through the block structure.
func (s *scanner) read() {
	if s.depth == 0 && s.start < s.end {
		c := s.src[s.start]
		switch {
		case s.leaf == html:
			s.readHTML()
			return
		case s.leaf <= paragraph && (c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80):
			s.off, s.next = s.start, s.start
			s.text()
			return
		}
	}
	s.block()
}

func (s *scanner) readHTML() {
	if s.htmlKind >= 6 {
		if isBlank(s.src[s.start:s.end]) {
			s.leaf = none
		}
		return
	}
	if htmlEnds(s.src[s.start:s.end], s.htmlKind) {
		s.leaf = none
	}
}

// text adds the rest of the line to the open paragraph or begins one.
func (s *scanner) text() {
	first := s.leaf != paragraph
	end := trimRight(s.src, s.next, s.end)
	if first {
		s.leaf = paragraph
		s.fill()
		s.para = extent{line: s.line, lineStart: s.start, text: s.next}
	}
	s.para.end = end
	if s.depth == 0 {
		s.pages.text(s.src, s.line, s.start, s.next, end, first)
	}
	if s.o.Text != nil {
		s.o.Text(Text{Line: s.line, Start: s.next, End: end, First: first, Item: s.in() == Item})
	}
}

// fill notes that the innermost list item has content.
func (s *scanner) fill() {
	if s.depth > 0 {
		s.stack[s.depth-1].empty = false
	}
}

// in is the innermost container.
func (s *scanner) in() Container {
	if s.depth == 0 {
		return Top
	}
	return s.stack[s.depth-1].kind
}

// emit records a heading that ends on the current line.
func (s *scanner) emit(h Heading) {
	if len(s.out.Headings) >= s.o.MaxHeadings {
		s.err = fault.Failf(doc.ResourceLimit, "markdown: more than %d headings (line %d); split the document", s.o.MaxHeadings, s.line)
		return
	}
	h.Last, h.End, h.In = s.line, s.end, s.in()
	s.out.Headings = append(s.out.Headings, h)
}
