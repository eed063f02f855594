package chunker_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/chunker"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/outline"
)

// Every window, row and chunk of a document without headings leads to bytes that hold its words.
func TestWindowsLeadToTheirBytes(t *testing.T) {
	var words, rows strings.Builder
	rows.WriteString("before\n\n| name | value |\n|---|---|\n")
	for i := range 30_000 {
		fmt.Fprintf(&words, "w%d ", i)
		fmt.Fprintf(&rows, "| r%d | v%d |\n", i, i)
	}
	for name, src := range map[string]string{
		"lines":         strings.ReplaceAll(words.String(), "00 ", "00\n"),
		"crlf":          strings.ReplaceAll(words.String(), "00 ", "00\r\n\r\n"),
		"one line":      words.String(),
		"a line within": "first\nsecond\n" + words.String() + "\nlast\n",
		"cyrillic":      strings.ReplaceAll(words.String(), "w", "слово"),
		"rows":          rows.String(),
		"short":         "only this\n",
	} {
		t.Run(name, func(t *testing.T) {
			tree, err := outline.Build("", "", []byte(src), outline.Options{})
			if err != nil || !tree.Windows {
				t.Fatalf("windows %v, %v", tree.Windows, err)
			}
			chunks, err := chunker.Chunks([]byte(src), tree, chunker.Options{})
			if err != nil {
				t.Fatal(err)
			}
			ws := chunker.Windows([]byte(src), tree, chunks)
			for _, c := range chunks {
				if c.Kind == doc.KindNode {
					continue
				}
				w := ws[0][ws.Of(0, c.Kind, c.Ordinal)]
				text := src[w.Bytes.Start:w.Bytes.End]
				fields := strings.Fields(strings.Trim(strings.ReplaceAll(c.Text, "|", " "), " "))
				last := fields[len(fields)-1]
				if c.Kind == doc.KindChunk && strings.Count(src, "\n") < 5 {
					continue // shared evenly: near, not exact
				}
				if doc.SHA256([]byte(text)) != w.SHA256 || !strings.Contains(text, last) || len(text) > 100<<10 {
					t.Fatalf("%s %d: window of lines %v, %d bytes, does not hold %q", c.Kind, c.Ordinal, w.Lines, len(text), last)
				}
			}
		})
	}
}
