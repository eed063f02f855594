package section

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/plain"
	"github.com/fingerpost/fingerpost/pkg/plain/inline"
	"github.com/fingerpost/fingerpost/pkg/table"
)

// splitter cuts a section into blocks: its lines, table rows and, of very long lines, sentences.
type splitter struct {
	s      Source
	size   int   // of a piece, in characters
	starts []int // byte at which each line begins, and the end of the text
	blocks []block
}

// split is the blocks of s in reading order, none much longer than size characters.
func split(s Source, size int) []block {
	sp := splitter{s: s, size: size, starts: []int{0}}
	for at := 0; ; {
		n := bytes.IndexByte(s.Text[at:], '\n')
		if n < 0 || at+n+1 == len(s.Text) {
			break
		}
		at += n + 1
		sp.starts = append(sp.starts, at)
	}
	sp.starts = append(sp.starts, len(s.Text))
	for _, b := range plain.Blocks(s.Text, s.Lines.Start) {
		sp.block(b)
	}
	return sp.blocks
}

// bytes is the range of whole lines in s.Text.
func (sp *splitter) bytes(l doc.Lines) (from, to int) {
	last := len(sp.starts) - 1
	clamp := func(n int) int { return max(0, min(n-sp.s.Lines.Start, last)) }
	return sp.starts[clamp(l.Start)], sp.starts[clamp(l.End+1)]
}

func (sp *splitter) block(b plain.Block) {
	heads := map[doc.Lines]int{} // lines of a table's header -> its block
	head := -1
	for i, text := range strings.Split(b.Text, "\n") {
		if i >= len(b.Rows) {
			break
		}
		lines := b.Rows[i]
		if b.Table == nil {
			sp.line(lines, text, b.Code)
			continue
		}
		if at, ok := heads[lines]; ok && lines.Start > 0 { // a further row of the same header
			sp.blocks[at].shown += "\n" + text
			sp.blocks[at].size += utf8.RuneCountInString(text) + 1
			continue
		}
		if isHead(b.Table, lines) {
			head = len(sp.blocks)
			heads[lines] = head
			sp.add(lines, text, -1)
			continue
		}
		sp.add(lines, clip(text, sp.size), head)
	}
}

// isHead reports whether lines are a header of t.
func isHead(t *table.Table, lines doc.Lines) bool {
	for i := range t.Heads {
		if t.Heads[i].Lines == lines {
			return true
		}
	}
	return false
}

// line adds a line of text; one that is longer than a part, in pieces.
func (sp *splitter) line(lines doc.Lines, text string, code bool) {
	from, to := sp.bytes(lines)
	if utf8.RuneCountInString(text) <= sp.size || code && lines.Start != lines.End {
		sp.add(lines, text, -1)
		return
	}
	for from < to {
		end := from + sentences(sp.s.Text[from:to], sp.size)
		shown := strings.ToValidUTF8(inline.Text(sp.s.Text[from:end]), "\uFFFD")
		sp.blocks = append(sp.blocks, block{from, end, lines, shown, utf8.RuneCountInString(shown) + 1, -1})
		from = end
	}
}

// sentences is the length of the longest run of whole sentences at the start of b that fits size characters;
// when the first is longer, of whole words, then of runes.
func sentences(b []byte, size int) int {
	if len(b) <= size {
		return len(b)
	}
	word, stop := 0, 0
	for i, n := 0, 0; i < len(b) && n < size; n++ {
		r, w := utf8.DecodeRune(b[i:])
		i += w
		if r == ' ' || r == '\t' {
			word = i
			if i >= 2 && bytes.IndexByte([]byte(".!?;"), b[i-2]) >= 0 {
				stop = i
			}
		}
		if n == size-1 && stop == 0 && word == 0 {
			return i
		}
	}
	if stop > 0 {
		return stop
	}
	if word > 0 {
		return word
	}
	return len(b)
}

func (sp *splitter) add(lines doc.Lines, shown string, head int) {
	from, to := sp.bytes(lines)
	sp.blocks = append(sp.blocks, block{from, to, lines, shown, utf8.RuneCountInString(shown) + 1, head})
}
