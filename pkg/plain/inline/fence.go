package inline

import "bytes"

// Fence follows the code fences of a text, line by line (CommonMark 4.5): a fence ends at a run of
// its own mark that is at least as long and stands alone. The zero Fence is outside of code.
type Fence struct {
	mark byte
	size int
}

// Line takes the next line. code: the line is code or a fence; mark: it is a fence itself.
func (f *Fence) Line(line []byte) (code, mark bool) {
	line = bytes.TrimLeft(line, " ")
	if len(line) < 3 || line[0] != '`' && line[0] != '~' || line[1] != line[0] || line[2] != line[0] {
		return f.mark != 0, false
	}
	n := 3
	for n < len(line) && line[n] == line[0] {
		n++
	}
	rest := bytes.TrimSpace(line[n:])
	switch {
	case f.mark == 0:
		if line[0] == '`' && bytes.IndexByte(rest, '`') >= 0 {
			return false, false
		}
		f.mark, f.size = line[0], n
	case line[0] == f.mark && n >= f.size && len(rest) == 0:
		f.mark = 0
	default:
		return true, false
	}
	return true, true
}
