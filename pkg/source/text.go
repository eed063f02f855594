package source

import (
	"bytes"
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/source/markdown"
)

// sample is how much of a file is looked at to tell text from binary, from each end.
const sample = 64 << 10

// isText fits text in UTF-8 or UTF-16, or in an encoding close enough to read most of it: at
// most one byte in ten of the sample (and four more) is a control character or no UTF-8.
func isText(_ string, raw []byte) bool {
	if encodingOf(raw) != utf8Text {
		return true
	}
	n := min(len(raw), sample)
	return badBytes(raw[:n])*10 <= n+40 && badBytes(raw[len(raw)-n:])*10 <= n+40
}

// badBytes counts NULs, control characters and bytes that are no UTF-8. A character that the sample's border
// cuts counts a little; it does not matter.
func badBytes(b []byte) int {
	bad := 0
	for i := 0; i < len(b); {
		c := b[i]
		if c < utf8.RuneSelf {
			if c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\v' && c != 0x1b || c == 0x7f {
				bad++
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			bad++
		}
		i += n
	}
	return bad
}

// parseText normalises the encoding and tells Markdown from plain text.
func (Reader) parseText(ctx context.Context, name string, raw []byte) (Source, error) {
	s := normalise(raw)
	if err := ctx.Err(); err != nil {
		return Source{}, err
	}
	if len(bytes.TrimSpace(s.Markdown)) == 0 {
		return Source{}, fault.Skipf(doc.Empty, "%s: the file holds only blanks", name)
	}
	s.Kind = Text
	if isMarkdownName(name) || looksMarkdown(s.Markdown) {
		s.Kind = Markdown
	}
	if s.Replaced > 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%d bytes are no valid text and became U+FFFD; save the file as UTF-8", s.Replaced))
	}
	return s, nil
}

// looksMarkdown reports whether text without a Markdown name is Markdown all the same: in its
// first 64 KiB stands a heading between blank lines. A '#' that begins a comment of a script or of a
// settings file stands right on its neighbours.
func looksMarkdown(text []byte) bool {
	head := text[:min(len(text), sample)]
	sk, err := markdown.Scan(head, markdown.Options{})
	if err != nil {
		return true
	}
	for _, h := range sk.Headings {
		before := h.Start == 0 || bytes.HasSuffix(head[:h.Start], []byte("\n\n"))
		after := bytes.HasPrefix(head[h.End:], []byte("\n\n")) || h.End >= len(head)-1
		if h.In == markdown.Top && h.TextEnd > h.Text && before && after {
			return true
		}
	}
	return false
}
