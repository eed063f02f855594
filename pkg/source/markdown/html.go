package markdown

import "bytes"

// htmlOpens opens an HTML block at next, of kind 1 to 7 in the standard's order (4.6).
// Kind 7 cannot interrupt a paragraph, lazy lines included.
func (s *scanner) htmlOpens(matched int, lazy bool) bool {
	line := s.src[s.next:s.end]
	kind := htmlKind(line)
	if kind == 0 || kind == 7 && lazy {
		return false
	}
	s.close(matched)
	s.fill()
	s.leaf, s.htmlKind = html, kind
	if kind == 2 && s.depth == 0 {
		s.pages.comment(s.src, s.line, s.next, s.end)
	}
	if kind < 6 && htmlEnds(line, kind) {
		s.leaf = none
	}
	return true
}

// htmlKind is the kind of HTML block that line begins, 0 for none. line[0] is '<'.
func htmlKind(line []byte) int {
	if len(line) < 2 {
		return 0
	}
	switch c := line[1]; {
	case c == '!':
		switch {
		case bytes.HasPrefix(line, []byte("<!--")):
			return 2
		case bytes.HasPrefix(line, []byte("<![CDATA[")):
			return 5
		case len(line) > 2 && isLetter(line[2]):
			return 4
		}
		return 0
	case c == '?':
		return 3
	case c != '/' && !isLetter(c):
		return 0
	}
	return tagKind(line)
}

// tagKind is htmlKind of a line that begins like a tag.
func tagKind(line []byte) int {
	i := 1
	if line[i] == '/' {
		i++
	}
	from := i
	for i < len(line) && i-from < 12 && (isLetter(line[i]) || line[i] >= '0' && line[i] <= '9') {
		i++
	}
	var name [12]byte
	for k, c := range line[from:i] {
		name[k] = c | 0x20
	}
	n := name[:i-from]
	ends := i == len(line) || line[i] == ' ' || line[i] == '\t' || line[i] == '>'
	if from == 1 && ends && raw(n) {
		return 1
	}
	if (ends || bytes.HasPrefix(line[i:], []byte("/>"))) && blockTags[string(n)] {
		return 6
	}
	if raw(n) && (ends || line[i] != '-') { // kind 7 leaves out these four, closing tags too
		return 0
	}
	if completeTag(line) {
		return 7
	}
	return 0
}

// raw reports whether the tag's content is raw text (kind 1).
func raw(name []byte) bool {
	switch string(name) {
	case "script", "pre", "style", "textarea":
		return true
	}
	return false
}

// htmlEnds reports whether line ends an HTML block of kind 1 to 5.
func htmlEnds(line []byte, kind int) bool {
	switch kind {
	case 1:
		return rawEnds(line)
	case 2:
		return bytes.Contains(line, []byte("-->"))
	case 3:
		return bytes.Contains(line, []byte("?>"))
	case 4:
		return bytes.IndexByte(line, '>') >= 0
	case 5:
		return bytes.Contains(line, []byte("]]>"))
	}
	return false
}

// rawEnds reports whether line has the end tag of a raw text element, of whichever name.
func rawEnds(line []byte) bool {
	for {
		i := bytes.Index(line, []byte("</"))
		if i < 0 {
			return false
		}
		line = line[i+2:]
		n := min(len(line), 9)
		var buf [9]byte
		for k := range n {
			buf[k] = line[k] | 0x20
		}
		for _, tag := range [...]string{"script>", "pre>", "style>", "textarea>"} {
			if bytes.HasPrefix(buf[:n], []byte(tag)) { // '>' has bit 0x20 set already
				return true
			}
		}
	}
}

// completeTag reports whether line is one complete open or closing tag and blanks (6.6).
func completeTag(line []byte) bool {
	i, n := 1, len(line)
	closingTag := line[1] == '/'
	if closingTag {
		i++
	}
	if i >= n || !isLetter(line[i]) {
		return false
	}
	for i < n && (isLetter(line[i]) || isDigit(line[i]) || line[i] == '-') {
		i++
	}
	if closingTag {
		i = trimLeft(line, i, n)
		return i < n && line[i] == '>' && isBlank(line[i+1:])
	}
	for {
		j := trimLeft(line, i, n)
		if j < n && line[j] == '/' {
			j++
			return j < n && line[j] == '>' && isBlank(line[j+1:])
		}
		if j < n && line[j] == '>' {
			return isBlank(line[j+1:])
		}
		if j == i {
			return false
		}
		if i = attribute(line, j); i < 0 {
			return false
		}
	}
}

// attribute is the end of the attribute at line[i:], -1 when there is none.
func attribute(line []byte, i int) int {
	n := len(line)
	if i >= n || !isLetter(line[i]) && line[i] != '_' && line[i] != ':' {
		return -1
	}
	for i < n && (isLetter(line[i]) || isDigit(line[i]) || bytes.IndexByte([]byte("_.:-"), line[i]) >= 0) {
		i++
	}
	j := trimLeft(line, i, n)
	if j >= n || line[j] != '=' {
		return i
	}
	j = trimLeft(line, j+1, n)
	if j >= n {
		return -1
	}
	if q := line[j]; q == '"' || q == '\'' {
		k := bytes.IndexByte(line[j+1:], q)
		if k < 0 {
			return -1
		}
		return j + 1 + k + 1
	}
	from := j
	for j < n && bytes.IndexByte([]byte(" \t\"'=<>`"), line[j]) < 0 {
		j++
	}
	if j == from {
		return -1
	}
	return j
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// blockTags are the tags that begin an HTML block of kind 6, as the standard lists them.
var blockTags = func() map[string]bool {
	m := map[string]bool{}
	for _, t := range bytes.Fields([]byte(`address article aside base basefont blockquote body caption
		center col colgroup dd details dialog dir div dl dt fieldset figcaption figure footer form frame
		frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link main menu menuitem nav
		noframes ol optgroup option p param search section summary table tbody td tfoot th thead title
		tr track ul`)) {
		m[string(t)] = true
	}
	return m
}()
