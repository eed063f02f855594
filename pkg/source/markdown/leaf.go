package markdown

import "bytes"

// atx reads an ATX heading at next (4.2).
func (s *scanner) atx(matched int) bool {
	i := s.next
	for i < s.end && s.src[i] == '#' && i-s.next < 7 {
		i++
	}
	level := i - s.next
	if level > 6 || i < s.end && s.src[i] != ' ' && s.src[i] != '\t' {
		return false
	}
	s.close(matched)
	s.fill()
	s.leaf = none
	from, to := trimLeft(s.src, i, s.end), s.end
	to = closing(s.src, from, trimRight(s.src, from, to))
	s.emit(Heading{Line: s.line, Start: s.start, Text: from, TextEnd: to, Level: level})
	return true
}

// closing is the end of the title in src[from:to] without its closing sequence of #s: it must
// have a blank before it, and a # before that blank is part of the title.
func closing(src []byte, from, to int) int {
	i := to
	for i > from && src[i-1] == '#' {
		i--
	}
	if i == from {
		return from
	}
	if i == to || src[i-1] != ' ' && src[i-1] != '\t' {
		return to
	}
	return trimRight(src, from, i)
}

// setext ends the open paragraph as a heading if the line is an underline (4.3). Link reference
// definitions at its start are not part of the heading; a paragraph of nothing else is none.
func (s *scanner) setext(level int) bool {
	c := s.src[s.next]
	i := s.next
	for i < s.end && s.src[i] == c {
		i++
	}
	if !isBlank(s.src[i:s.end]) {
		return false
	}
	from := definitions(s.src[:s.para.end], s.para.text)
	if from >= s.para.end {
		s.leaf = none // what follows the definitions begins a paragraph of its own
		if level == 1 {
			s.text()
			return true
		}
		return false
	}
	skipped := bytes.Count(s.src[s.para.text:from], []byte{'\n'})
	start := s.para.lineStart
	if skipped > 0 {
		start = 1 + bytes.LastIndexByte(s.src[:from], '\n')
	}
	s.leaf = none
	s.pages.drop(s.para.line)
	s.emit(Heading{Line: s.para.line + skipped, Start: start, Text: from, TextEnd: s.para.end, Level: level})
	return true
}

// fenceOpens opens a fenced code block at next (4.5).
func (s *scanner) fenceOpens(matched int) bool {
	c := s.src[s.next]
	i := s.next
	for i < s.end && s.src[i] == c {
		i++
	}
	if i-s.next < 3 || c == '`' && bytes.IndexByte(s.src[i:s.end], '`') >= 0 {
		return false
	}
	s.close(matched)
	s.fill()
	s.leaf, s.fenceMark, s.fenceLength = fence, c, i-s.next
	return true
}

// fenceCloses reports whether the line closes the open fence.
func (s *scanner) fenceCloses() bool {
	if s.indent > 3 {
		return false
	}
	i := s.next
	for i < s.end && s.src[i] == s.fenceMark {
		i++
	}
	return i-s.next >= s.fenceLength && isBlank(s.src[i:s.end])
}

// isRule reports whether a thematic break begins at next (4.1). The byte that rules it out
// rules out every later start on this line too, so a line is read once for each mark.
func (s *scanner) isRule() bool {
	c := s.src[s.next]
	k := 0
	switch c {
	case '_':
		k = 1
	case '*':
		k = 2
	}
	if s.next < s.noRule[k] {
		return false
	}
	n := 0
	for i := s.next; i < s.end; i++ {
		switch s.src[i] {
		case c:
			n++
		case ' ', '\t':
		default:
			s.noRule[k] = i
			return false
		}
	}
	return n >= 3
}

func isBlank(b []byte) bool {
	for _, c := range b {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

func trimLeft(src []byte, from, to int) int {
	for from < to && (src[from] == ' ' || src[from] == '\t') {
		from++
	}
	return from
}

func trimRight(src []byte, from, to int) int {
	for to > from && (src[to-1] == ' ' || src[to-1] == '\t' || src[to-1] == '\r') {
		to--
	}
	return to
}
