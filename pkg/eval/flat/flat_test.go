package flat

import (
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

func TestWindows(t *testing.T) {
	for _, c := range []struct {
		text string
		want []Window
	}{
		{"", nil},
		{"ab\ncd", []Window{{"ab\ncd", doc.Lines{Start: 1, End: 2}}}},
		{"ab\ncdef\ng", []Window{{"ab\ncde", doc.Lines{Start: 1, End: 2}}, {"def\ng", doc.Lines{Start: 2, End: 3}}}},
		{"äöü\n\nßxyz", []Window{{"äöü\n\nß", doc.Lines{Start: 1, End: 3}}, {"\nßxyz", doc.Lines{Start: 2, End: 3}}}},
	} {
		got := Windows(c.text, 6, 2)
		if len(got) != len(c.want) {
			t.Errorf("%q: %+v, want %+v", c.text, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%q window %d: %+v, want %+v", c.text, i, got[i], c.want[i])
			}
		}
	}
}

func TestWindowsHoldTheWholeText(t *testing.T) {
	text := strings.Repeat("eine Zeile mit ß\n", 1000)
	ws := Windows(text, Size, Overlap)
	var sb strings.Builder
	for i, w := range ws {
		if i > 0 {
			w.Text = w.Text[offset(w.Text, Overlap):]
		}
		sb.WriteString(w.Text)
	}
	if sb.String() != text || ws[len(ws)-1].Lines.End != 1000 {
		t.Errorf("%d windows do not join to the text, or end at line %d", len(ws), ws[len(ws)-1].Lines.End)
	}
}
