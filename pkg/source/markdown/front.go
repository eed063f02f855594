package markdown

import "bytes"

// maxFront bounds the lines of front matter; a longer one is text.
const maxFront = 1000

var mark = []byte("\xef\xbb\xbf")

// front goes past a byte order mark and front matter at the start of the text and is the first
// byte after them.
func (s *scanner) front() int {
	pos := 0
	if bytes.HasPrefix(s.src, mark) {
		pos = len(mark)
	}
	end, lines := frontMatter(s.src[pos:])
	s.line, s.out.Front = lines, lines
	return pos + end
}

// frontMatter is the length of the front matter that begins src, and its lines; 0 without.
// YAML's first line must look like one (a key, a comment, a list), so that a thematic break
// before a text is left alone.
func frontMatter(src []byte) (end, lines int) {
	line, rest := cutLine(src)
	fence := string(trimLine(line))
	if fence != "---" && fence != "+++" {
		return 0, 0
	}
	next, _ := cutLine(rest)
	if fence == "---" && !looksYAML(trimLine(next)) {
		return 0, 0
	}
	for lines = 2; lines <= maxFront && len(rest) > 0; lines++ {
		line, rest = cutLine(rest)
		if t := string(trimLine(line)); t == fence || fence == "---" && t == "..." {
			return len(src) - len(rest), lines
		}
	}
	return 0, 0
}

func looksYAML(line []byte) bool {
	if len(line) == 0 {
		return false
	}
	if line[0] == '#' || bytes.HasPrefix(line, []byte("- ")) || string(line) == "---" {
		return true
	}
	i := bytes.IndexByte(line, ':')
	return i > 0 && i < 80 && (i+1 == len(line) || line[i+1] == ' ')
}

// cutLine cuts src after its first line; the line has no line end.
func cutLine(src []byte) (line, rest []byte) {
	if i := bytes.IndexByte(src, '\n'); i >= 0 {
		return src[:i], src[i+1:]
	}
	return src, nil
}

func trimLine(line []byte) []byte { return bytes.TrimRight(line, " \t\r") }
