package plain

import "bytes"

// rule reports whether a line is a thematic break or a setext underline: three or more of one mark.
func rule(line []byte) bool {
	line = bytes.TrimSpace(line)
	if len(line) < 3 || bytes.IndexByte([]byte("-*_="), line[0]) < 0 {
		return false
	}
	for _, c := range line {
		if c != line[0] && c != ' ' {
			return false
		}
	}
	return true
}

// unmark drops the marks at the start of a line: block quote, heading, and the indent.
func unmark(line []byte) []byte {
	line = bytes.TrimLeft(line, " \t")
	for len(line) > 0 && line[0] == '>' {
		line = bytes.TrimLeft(line[1:], " \t")
	}
	n := 0
	for n < len(line) && line[n] == '#' {
		n++
	}
	if n > 0 && n <= 6 && (n == len(line) || line[n] == ' ' || line[n] == '\t') {
		line = bytes.TrimLeft(line[n:], " \t")
		line = bytes.TrimRight(bytes.TrimRight(line, "#"), " \t")
	}
	if len(line) > 1 && line[0] == '*' && (line[1] == ' ' || line[1] == '\t') {
		return append([]byte("-"), line[1:]...)
	}
	return line
}

// uncomment cuts HTML comments that go over lines; those within a line are left to inline.
func (r *render) uncomment(line []byte) []byte {
	if r.comment {
		end := bytes.Index(line, []byte("-->"))
		if end < 0 {
			return nil
		}
		r.comment = false
		line = line[end+3:]
	}
	if bytes.IndexByte(line, '<') < 0 {
		return line
	}
	if open := bytes.LastIndex(line, []byte("<!--")); open >= 0 && !bytes.Contains(line[open:], []byte("-->")) {
		if r.closes(r.at + len(line)) {
			r.comment = true
			return line[:open]
		}
	}
	return line
}

// closes reports whether a comment that is open at byte at ever ends; one that does not is text.
// The place of the next end is kept, so that many open comments cost one search.
func (r *render) closes(at int) bool {
	at = min(at, len(r.src))
	if r.commentEnd < at && r.commentEnd >= 0 {
		if r.commentEnd = bytes.Index(r.src[at:], []byte("-->")); r.commentEnd >= 0 {
			r.commentEnd += at
		}
	}
	return r.commentEnd >= 0
}
