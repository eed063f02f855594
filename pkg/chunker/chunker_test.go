package chunker

import (
	"bytes"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/testenv"
)

// atxTree is a tree of the lines that begin with '#', by their number of marks: enough for tests.
func atxTree(src []byte) *doc.Tree {
	t := &doc.Tree{Confidence: 1}
	var open []int // the nodes that are open, outermost first
	add := func(level, line int, at int64, title string) {
		n := doc.Node{ID: doc.NodeIDOf(len(t.Nodes)), Level: level, Title: title}
		n.Lines.Start, n.Bytes.Start = line, at
		if len(t.Nodes) > 0 {
			last := &t.Nodes[len(t.Nodes)-1]
			last.Lines.End, last.Bytes.End = line-1, at
			for len(open) > 0 && t.Nodes[open[len(open)-1]].Level >= level {
				open = open[:len(open)-1]
			}
			if len(open) > 0 {
				n.Parent = t.Nodes[open[len(open)-1]].ID
			}
			open = append(open, len(t.Nodes))
		}
		t.Nodes = append(t.Nodes, n)
	}
	add(0, 1, 0, "")
	at, line := int64(0), 0
	for l := range bytes.Lines(src) {
		line++
		if n := len(l) - len(bytes.TrimLeft(l, "#")); n > 0 && n <= 6 && len(l) > n && l[n] == ' ' {
			add(n, line, at, strings.TrimSpace(string(l[n:])))
		}
		at += int64(len(l))
	}
	last := &t.Nodes[len(t.Nodes)-1]
	last.Lines.End, last.Bytes.End = line, at
	return t
}

func benchDoc(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(testenv.Shared(t, "bench", "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestFilingsHoldTheLimits(t *testing.T) {
	for _, name := range []string{"AMD.md", "AMEX.md", "Boeing.md", "PepsiCo.md", "CLIP.md", "Galore.md"} {
		src := benchDoc(t, name)
		tree := atxTree(src)
		chunks, err := Chunks(src, tree, Options{})
		if err != nil {
			t.Fatal(name, err)
		}
		again, _ := Chunks(src, tree, Options{})
		if !reflect.DeepEqual(chunks, again) {
			t.Fatal(name, "is not the same twice")
		}
		count := map[doc.Kind]int{}
		for _, c := range chunks {
			count[c.Kind]++
			n := tree.Nodes[c.Node]
			if c.Lines.Start < n.Lines.Start || c.Lines.End > n.Lines.End {
				t.Fatalf("%s: %s %d/%d has lines %v, its node %v", name, c.Kind, c.Node, c.Ordinal, c.Lines, n.Lines)
			}
			if c.Kind == doc.KindChunk && Estimate(c.EmbedText()) > 256 {
				t.Fatalf("%s: chunk of %d tokens", name, Estimate(c.EmbedText()))
			}
			if c.Kind == doc.KindWindow && runes(c.Text) > 5000 {
				t.Fatalf("%s: window of %d characters", name, runes(c.Text))
			}
		}
		t.Log(name, len(tree.Nodes), count)
	}
}

func BenchmarkFilings(b *testing.B) {
	var docs [][]byte
	var trees []*doc.Tree
	size := 0
	for _, name := range []string{"AMD.md", "AMEX.md", "Boeing.md", "PepsiCo.md"} {
		src := benchDoc(b, name)
		docs, trees, size = append(docs, src), append(trees, atxTree(src)), size+len(src)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for i := range docs {
			if _, err := Chunks(docs[i], trees[i], Options{}); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// TestSpeed keeps tables and chunks of the four filings within half a second of processor time;
// the benchmark says what it really is.
func TestSpeed(t *testing.T) {
	var took time.Duration
	for _, name := range []string{"AMD.md", "AMEX.md", "Boeing.md", "PepsiCo.md"} {
		src := benchDoc(t, name)
		tree := atxTree(src)
		took += testenv.CPU(func() {
			if _, err := Chunks(src, tree, Options{}); err != nil {
				t.Fatal(err)
			}
		})
	}
	if took > 500*time.Millisecond {
		t.Errorf("%v", took)
	}
	t.Logf("processor time %v", took)
}
