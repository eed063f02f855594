package table

import (
	"bytes"
	"sort"
)

// opening is a "<table" of the text: its place, and the byte after its "</table>"; end is -1
// when it is never closed.
type opening struct{ at, end int }

// openings are all "<table" of src in order, each matched with its end. One pass, so that
// unclosed tables cannot make the search quadratic.
func openings(src []byte) []opening {
	var all []opening
	var open []int
	for at := 0; ; at++ {
		n := bytes.IndexByte(src[at:], '<')
		if n < 0 {
			return all
		}
		at += n
		rest := src[at:]
		switch {
		case named(rest, "<table"):
			open = append(open, len(all))
			all = append(all, opening{at, -1})
		case named(rest, "</table") && len(open) > 0:
			end := at + len("</table")
			if n := bytes.IndexByte(src[end:min(len(src), end+100)], '>'); n >= 0 {
				end += n + 1
			}
			all[open[len(open)-1]].end = end
			open = open[:len(open)-1]
		}
	}
}

// opens reports whether a table begins at byte at, which lies ahead.
func (f *finder) opens(at int) bool {
	rest := f.tags[f.tag:]
	i := sort.Search(len(rest), func(i int) bool { return rest[i].at >= at })
	return i < len(rest) && rest[i].at == at
}

// named reports whether b begins with the tag name, in any case, and the name ends there.
func named(b []byte, name string) bool {
	if len(b) < len(name) || !bytes.EqualFold(b[:len(name)], []byte(name)) {
		return false
	}
	return len(b) == len(name) || bytes.IndexByte([]byte(" \t\r\n/>"), b[len(name)]) >= 0
}

// unclosed is the end of a table without "</table>": the first blank line that is followed by
// text which is no tag, or the next table, or the end.
func (f *finder) unclosed(start int) int {
	at := start
	for {
		n := bytes.IndexByte(f.src[at:], '\n')
		if n < 0 {
			return len(f.src)
		}
		at += n + 1
		rest := bytes.TrimLeft(f.src[at:], " \t\r")
		if len(rest) == 0 || rest[0] != '\n' {
			if f.opens(len(f.src) - len(rest)) {
				return at
			}
			continue
		}
		blank := len(f.src) - len(rest)
		rest = bytes.TrimLeft(rest, " \t\r\n")
		if len(rest) == 0 || rest[0] != '<' {
			return blank
		}
		at = len(f.src) - len(rest)
		if f.opens(at) {
			return at
		}
	}
}
