package outline

import (
	"fmt"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// Explain writes the tree for people, one line a node: lines, confidence, indented title, reason.
func Explain(t *doc.Tree) string {
	var b strings.Builder
	fmt.Fprintf(&b, "confidence %.2f", t.Confidence)
	if t.Windows {
		b.WriteString(", sliding windows")
	}
	if t.Why != "" {
		fmt.Fprintf(&b, ": %s", t.Why)
	}
	b.WriteByte('\n')
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Lines == (doc.Lines{}) {
			continue
		}
		depth := 0
		if i > 0 {
			depth = len(t.Path(i)) - 1
		}
		fmt.Fprintf(&b, "%s  L%d-%d  %.2f  %s%s", n.ID, n.Lines.Start, n.Lines.End, n.Confidence, strings.Repeat("  ", depth), n.Title)
		if n.Lent != "" {
			fmt.Fprintf(&b, " [%s]", n.Lent)
		}
		fmt.Fprintf(&b, "  (%s)\n", n.Why)
	}
	return b.String()
}
