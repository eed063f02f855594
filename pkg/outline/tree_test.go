package outline_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/outline"
)

var update = flag.Bool("update", false, "write the golden trees anew")

func build(t testing.TB, src []byte, o outline.Options) *doc.Tree {
	t.Helper()
	tree, err := outline.Build("doc", "version", src, o)
	if err != nil {
		t.Fatal(err)
	}
	check(t, tree, src)
	return tree
}

func file(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A document whose levels are sound comes out as it is written.
func TestSoundDocumentsStay(t *testing.T) {
	paths, _ := filepath.Glob("testdata/sound/*.md")
	if len(paths) != 10 {
		t.Fatalf("%d sound documents, want 10", len(paths))
	}
	for _, p := range paths {
		src := file(t, p)
		got, want := build(t, src, outline.Options{}), build(t, src, outline.Options{KeepLevels: true})
		if got.Confidence != 1 || got.Windows || shape(got) != shape(want) {
			t.Errorf("%s changed: confidence %v, %s\n%s", p, got.Confidence, got.Why, outline.Explain(got))
		}
	}
}

// shape is levels and parents.
func shape(t *doc.Tree) string {
	var b strings.Builder
	for _, n := range t.Nodes {
		fmt.Fprintln(&b, n.ID, n.Level, n.Parent, n.Title)
	}
	return b.String()
}

// Messy documents against trees made by hand: of all headings, nine in ten have the right parent.
func TestMessyDocuments(t *testing.T) {
	for _, name := range []string{"filing", "flat", "dogovor"} {
		src := file(t, filepath.Join("testdata", "messy", name+".md"))
		tree := build(t, src, outline.Options{})
		right, all := 0, 0
		for row := range strings.Lines(string(file(t, filepath.Join("testdata", "messy", name+".tsv")))) {
			if strings.HasPrefix(row, "#") {
				continue
			}
			line, want, _ := strings.Cut(strings.TrimSpace(row), "\t")
			all++
			if got := parentOf(tree, line); got == want {
				right++
			} else {
				t.Logf("%s line %s: parent %s, want %s", name, line, got, want)
			}
		}
		t.Logf("%s: %d of %d parents right", name, right, all)
		if right*10 < all*9 {
			t.Errorf("%s: %d of %d parents right, want .90\n%s", name, right, all, outline.Explain(tree))
		}
	}
}

// parentOf is the line of the parent of the heading on a line, as the tables write it.
func parentOf(t *doc.Tree, line string) string {
	n, _ := strconv.Atoi(line)
	for _, node := range t.Nodes[1:] {
		if node.Lines.Start != n {
			continue
		}
		if node.Parent == "" {
			return "0"
		}
		return strconv.Itoa(t.Nodes[node.Parent.Number()].Lines.Start)
	}
	return "-"
}

func TestGoldenTrees(t *testing.T) {
	paths, _ := filepath.Glob("testdata/*/*.md")
	for _, p := range paths {
		golden := filepath.Join("testdata", "golden", filepath.Base(filepath.Dir(p))+"-"+strings.TrimSuffix(filepath.Base(p), ".md")+".txt")
		got := outline.Explain(build(t, file(t, p), outline.Options{}))
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if want := string(file(t, golden)); got != want {
			t.Errorf("%s: the tree changed (go test -update)\n%s", p, got)
		}
	}
}

// check holds what doc.Tree promises of every tree.
func check(t testing.TB, tree *doc.Tree, src []byte) {
	t.Helper()
	at := int64(0)
	seen := map[string]bool{}
	for i, n := range tree.Nodes {
		if n.ID.Number() != i {
			t.Fatalf("node %d has id %s", i, n.ID)
		}
		if n.Bytes.Start != at || n.Bytes.End < n.Bytes.Start {
			t.Fatalf("node %s: bytes %v do not follow %d", n.ID, n.Bytes, at)
		}
		at = n.Bytes.End
		if n.SHA256 != doc.SHA256(src[n.Bytes.Start:n.Bytes.End]) {
			t.Fatalf("node %s: hash of other bytes", n.ID)
		}
		if n.Bytes.Len() > 0 {
			if first := 1 + strings.Count(string(src[:n.Bytes.Start]), "\n"); len(src) < 1<<20 && first != n.Lines.Start {
				t.Fatalf("node %s: lines %v, its bytes begin on line %d", n.ID, n.Lines, first)
			}
		}
		if n.Span.Start != n.Lines.Start || n.Span.End < n.Lines.End {
			t.Fatalf("node %s: span %v, lines %v", n.ID, n.Span, n.Lines)
		}
		if p := n.Parent.Number(); i > 0 && n.Parent != "" && (p < 1 || p >= i || tree.Nodes[p].Span.End < n.Span.End || tree.Nodes[p].Level >= n.Level) {
			t.Fatalf("node %s (level %d): parent %s", n.ID, n.Level, n.Parent)
		}
		if seen[n.Anchor] || !anchorForm.MatchString(n.Anchor) {
			t.Fatalf("node %s: anchor %q", n.ID, n.Anchor)
		}
		seen[n.Anchor] = true
	}
	if at != int64(len(src)) {
		t.Fatalf("the nodes end at byte %d of %d", at, len(src))
	}
}
