package markdown

// block takes the current line through the block structure, as the standard's appendix
// ("Phase 1: block structure") describes it: walk the open containers, look for block starts,
// add what is left to a leaf.
func (s *scanner) block() {
	s.off, s.col, s.rest = s.start, 0, 0
	s.noRule = [3]int{}
	matched := s.match()
	all := matched == s.depth
	s.seek()
	if all && s.keep() {
		return
	}
	// A paragraph that is open now goes on if the line turns out to be text (lazy line).
	lazy := s.leaf == paragraph
	inPara := all && lazy // the innermost open block is the paragraph itself
	for {
		if s.indent >= 4 {
			if !lazy && !s.blank {
				s.close(matched)
				s.fill()
				s.leaf = code
				return
			}
			break
		}
		if s.blank {
			break
		}
		if s.leafStart(matched, inPara, lazy) {
			return
		}
		if !s.containerStart(matched, inPara) {
			break
		}
		matched, all, lazy, inPara = s.depth, true, false, false
		s.seek()
	}
	s.remainder(matched, all)
}

// remainder adds a line that starts no block: lazy line, blank line, paragraph.
func (s *scanner) remainder(matched int, all bool) {
	if !all && !s.blank && s.leaf == paragraph {
		s.text()
		return
	}
	if !all {
		s.close(matched)
	}
	if s.blank {
		s.leaf = none
		return
	}
	s.text()
}

// match walks the open containers as far as the line continues them and says how many it does.
func (s *scanner) match() int {
	for i := 0; i < s.depth; i++ {
		s.seek()
		c := &s.stack[i]
		switch {
		case c.kind == Quote:
			if s.indent > 3 || s.blank || s.src[s.next] != '>' {
				return i
			}
			s.eatQuote()
		case s.indent >= c.indent && !s.blank:
			s.advance(c.indent)
		case s.blank && !c.empty:
			s.off, s.rest = s.next, 0
		default:
			return i
		}
	}
	return s.depth
}

// keep gives the line to the open leaf if that takes it, and says whether it did.
func (s *scanner) keep() bool {
	switch s.leaf {
	case fence:
		if s.fenceCloses() {
			s.leaf = none
		}
		return true
	case html:
		line := s.src[s.off:s.end]
		if s.htmlKind < 6 {
			if htmlEnds(line, s.htmlKind) {
				s.leaf = none
			}
			return true
		}
		if !s.blank {
			return true
		}
		s.leaf = none
	case code:
		if s.indent >= 4 || s.blank {
			return true
		}
		s.leaf = none
	}
	return false
}

// leafStart opens the leaf that begins at next, if one does.
func (s *scanner) leafStart(matched int, inPara, lazy bool) bool {
	switch c := s.src[s.next]; c {
	case '#':
		return s.atx(matched)
	case '`', '~':
		return s.fenceOpens(matched)
	case '<':
		return s.htmlOpens(matched, lazy)
	case '=':
		return inPara && s.setext(1)
	case '-', '_', '*':
		if c == '-' && inPara && s.setext(2) {
			return true
		}
		if !s.isRule() {
			return false
		}
		s.close(matched)
		s.fill()
		s.leaf = none
		return true
	}
	return false
}

// containerStart opens the block quote or list item that begins at next, if one does.
func (s *scanner) containerStart(matched int, inPara bool) bool {
	if matched == MaxDepth {
		return false
	}
	if s.src[s.next] == '>' {
		s.close(matched)
		s.eatQuote()
		s.push(container{kind: Quote})
		return true
	}
	width := s.listMarker(inPara)
	if width == 0 {
		return false
	}
	s.close(matched)
	indent := s.indent
	s.advance(indent + width)
	s.seek()
	pad := s.indent
	if s.blank || pad > 4 {
		pad = 1
	}
	if !s.blank || s.next > s.off {
		s.advance(pad)
	}
	s.push(container{kind: Item, indent: indent + width + pad, empty: true})
	return true
}

func (s *scanner) push(c container) {
	s.fill()
	s.stack[s.depth] = c
	s.depth++
	s.leaf = none
}

// close closes the containers above the first n, and with them the open leaf; when there are
// none above, it closes the leaf alone.
func (s *scanner) close(n int) {
	s.depth = n
	s.leaf = none
}

// listMarker is the width of the list marker at next, 0 when there is none (5.2). A list may
// interrupt a paragraph only with content, and an ordered one only with number 1.
func (s *scanner) listMarker(inPara bool) int {
	i := s.next
	switch c := s.src[i]; {
	case c == '-' || c == '+' || c == '*':
		i++
	case c >= '0' && c <= '9':
		for i < s.end && i-s.next < 10 && s.src[i] >= '0' && s.src[i] <= '9' {
			i++
		}
		if i-s.next > 9 || i == s.end || s.src[i] != '.' && s.src[i] != ')' {
			return 0
		}
		if inPara && !(i-s.next == 1 && s.src[s.next] == '1') {
			if !isOne(s.src[s.next:i]) {
				return 0
			}
		}
		i++
	default:
		return 0
	}
	if i < s.end && s.src[i] != ' ' && s.src[i] != '\t' {
		return 0
	}
	if inPara && isBlank(s.src[i:s.end]) {
		return 0
	}
	return i - s.next
}

// isOne reports whether the digits mean 1 ("1", "01").
func isOne(digits []byte) bool {
	for i, c := range digits {
		if i == len(digits)-1 {
			return c == '1'
		}
		if c != '0' {
			return false
		}
	}
	return false
}

// seek finds the next byte that is no blank and the columns up to it.
func (s *scanner) seek() {
	i, col := s.off, s.col
	if s.rest > 0 && i < s.end { // the tab at off is consumed in part
		col += s.rest
		i++
	}
	for i < s.end {
		switch s.src[i] {
		case ' ':
			col++
		case '\t':
			col += 4 - col%4
		default:
			s.next, s.indent, s.blank = i, col-s.col, false
			return
		}
		i++
	}
	s.next, s.indent, s.blank = i, col-s.col, true
}

// advance goes n columns on; a tab may be consumed in part (2.2).
func (s *scanner) advance(n int) {
	for n > 0 && s.off < s.end {
		if s.src[s.off] != '\t' {
			s.off++
			s.col++
			n--
			continue
		}
		if s.rest == 0 {
			s.rest = 4 - s.col%4
		}
		k := min(n, s.rest)
		s.rest -= k
		s.col += k
		n -= k
		if s.rest == 0 {
			s.off++
		}
	}
}

// eatQuote goes past a ">" and the blank after it.
func (s *scanner) eatQuote() {
	s.advance(s.indent + 1)
	if s.off < s.end && (s.src[s.off] == ' ' || s.src[s.off] == '\t') {
		s.advance(1)
	}
}
