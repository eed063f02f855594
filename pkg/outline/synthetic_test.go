package outline_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/outline"
)

// brief is a tree as "depth:first line:title", synthetic headings marked with a star.
func brief(t *testing.T, src string, o outline.Options) string {
	t.Helper()
	tree := build(t, []byte(src), o)
	if tree.Windows {
		return "windows: " + tree.Why
	}
	var out []string
	for i, n := range tree.Nodes[1:] {
		star := ""
		if n.Synthetic {
			star = "*"
		}
		out = append(out, fmt.Sprintf("%s%d:%d:%s", star, len(tree.Path(i+1)), n.Lines.Start, n.Title))
	}
	return strings.Join(out, " | ")
}

// Where a document has no headings, bold and numbered lines serve when there are enough of them.
func TestSyntheticHeadings(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"numbered", "1. Introduction\n\ntext\n\n1.1 Scope\n\ntext\n\n2. Method\n\ntext\n",
			"*1:1:1. Introduction | *2:5:1.1 Scope | *1:9:2. Method"},
		{"a list is none", "Steps:\n\n1. stir\n2. pour\n3. wait\n\nDone.\n", "windows: no headings"},
		{"sentences are none", "1. This is a sentence, and it ends.\n\ntext\n\n2. So is this one.\n\ntext\n", "windows: no headings"},
		{"bold", "**First matter**\n\ntext\n\n**Second matter**\n\ntext\n", "*1:1:First matter | *1:5:Second matter"},
		{"one bold line", "**Only one**\n\ntext\n", "windows: no headings"},
		{"bold words in text", "**This** is text.\n\nAnd **this**.\n", "windows: no headings"},
		{"run-in titles", "Section 1. Parties. The owner and the cow.\n\nSection 2. Term. It begins in May. It ends\nwith the grass.\n",
			"*1:1:Section 1. Parties. | *1:3:Section 2. Term."},
		{"run-in bold", "**Section 1.1 Parties.** The owner.\n\n**Section 1.2 Term.** May.\n", "*1:1:Section 1.1 Parties. | *1:3:Section 1.2 Term."},
		{"статьи", "Глава 1. Общее\n\nСтатья 1. Лодка\n\nтекст\n\nСтатья 2. Весло\n\nтекст\n\nГлава 2. Конец\n\nтекст\n",
			"*1:1:Глава 1. Общее | *2:3:Статья 1. Лодка | *2:7:Статья 2. Весло | *1:11:Глава 2. Конец"},
		{"contents are none", "**Section 1.1 History** 1\n\n**Section 1.2 Date** 5\n\ntext\n", "windows: no headings"},
		{"in code", "```\n1. Introduction\n\n2. Method\n```\n", "windows: no headings"},
		{"nothing", "just text\n\nand more\n", "windows: no headings"},
		{"real ones win", "# Real\n\n**Bold**\n\ntext\n\n**Bolder**\n\ntext\n", "1:1:Real"},
	} {
		if got := brief(t, c.src, outline.Options{}); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
	if got := brief(t, "# comment\n\n1. One\n\ntext\n\n2. Two\n\ntext\n", outline.Options{Plain: true}); got != "*1:3:1. One | *1:7:2. Two" {
		t.Errorf("plain text: %s", got)
	}
}

// A paragraph right above a rule is no heading, whatever the standard says.
func TestParagraphAboveRule(t *testing.T) {
	src := "# A\n\none\ntwo\nthree\nfour\n---\n\nTwo lines\nof title\n---\n\ntext\n"
	if got, want := brief(t, src, outline.Options{}), "1:1:A | 2:9:Two lines of title"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// An empty numbered heading lends its number to the next sibling.
func TestLent(t *testing.T) {
	tree := build(t, []byte("# Notes\n\n## NOTE 1\n\n## STRING\n\nForty miles.\n\n## NOTE 2 – Sheds\n\nOne.\n"), outline.Options{})
	for i, want := range []string{"", "", "", "NOTE 1", ""} {
		if got := tree.Nodes[i].Lent; got != want {
			t.Errorf("node %d: lent %q, want %q", i, got, want)
		}
	}
	if tree.Nodes[2].Parent != tree.Nodes[3].Parent {
		t.Error("the heading with the lent number is no sibling of the empty one")
	}
}

// Anchors survive edits elsewhere and tell equal titles apart.
func TestAnchors(t *testing.T) {
	before := build(t, []byte("# A\n\n## Same\n\nx\n\n## Same\n\ny\n\n# B\n\n## Same\n\nz\n"), outline.Options{})
	after := build(t, []byte("new\n\n# A\n\nmore\n\n## SAME\n\nx\n\n## Same!\n\nchanged\n\n# New\n\n# B\n\n## Same\n\nz\n"), outline.Options{})
	for i, k := range []int{0, 1, 2, 3, 5, 6} {
		if before.Nodes[i].Anchor != after.Nodes[k].Anchor {
			t.Errorf("node %d: anchor %s became %s", i, before.Nodes[i].Anchor, after.Nodes[k].Anchor)
		}
	}
}

// Nodes know their pages where the document tells them.
func TestPagesOfNodes(t *testing.T) {
	tree := build(t, []byte("<!-- page: 4 -->\n# A\n\ntext\n\n<!-- page: 5 -->\n\nmore\n\n# B\n\ntext\n"), outline.Options{})
	for i, want := range []string{"4-4", "4-5", "5-5"} {
		p := tree.Nodes[i].Pages
		if p == nil || fmt.Sprintf("%d-%d", p.Start, p.End) != want {
			t.Errorf("node %d: pages %v, want %s", i, p, want)
		}
	}
	if tree := build(t, []byte("# A\n"), outline.Options{}); tree.Nodes[1].Pages != nil {
		t.Errorf("pages %v where nothing tells them", tree.Nodes[1].Pages)
	}
}

// A tree that cannot be trusted gives way to windows, and says why.
func TestWindowsWhenUnsure(t *testing.T) {
	var b strings.Builder
	for i := range 30 {
		fmt.Fprintf(&b, "%s Item %d\n\n# Column %d\n\n## 20%02d\n\n### Denotes x\n\n1 2 3\n\n", "##"[i%2:], i, i, i)
	}
	tree := build(t, []byte(b.String()), outline.Options{})
	if !tree.Windows || tree.Confidence > 0.4 || tree.Why == "" {
		t.Errorf("windows %v, confidence %v, %q", tree.Windows, tree.Confidence, tree.Why)
	}
}
