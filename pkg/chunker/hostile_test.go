package chunker

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/testenv"
)

var hostile = map[string]func(n int) string{
	"headings":    func(n int) string { return strings.Repeat("# H\n", n/4) },
	"numbered":    func(n int) string { return strings.Repeat("# NOTE 15 – Guarantees\ntext\n", n/28) },
	"long word":   func(n int) string { return "# H\n" + strings.Repeat("x", n) },
	"long line":   func(n int) string { return "# H\n" + strings.Repeat("a. B ", n/5) },
	"short lines": func(n int) string { return "# H\n" + strings.Repeat("a\n", n/2) },
	"rows":        func(n int) string { return "# H\n|a|b|\n|-|-|\n" + strings.Repeat("|label|1|\n", n/10) },
	"tables":      func(n int) string { return "# H\n" + strings.Repeat("|a|b|\n|-|-|\n|x|1|\n\n", n/19) },
	"columns": func(n int) string {
		return "# H\n" + strings.Repeat("|h", 5000) + "\n" + strings.Repeat("|-", 5000) + "\n" + strings.Repeat(strings.Repeat("|1", 5000)+"\n", n/10000+1)
	},
	"one row":           func(n int) string { return "# H\n|a|b|\n|-|-|\n|x|" + strings.Repeat("1 ", n/2) + "|\n" },
	"captions":          func(n int) string { return "# H\n" + strings.Repeat("Table 1: x\n", n/11) },
	"long title":        func(n int) string { return "# " + strings.Repeat("word ", n/5) + "\ntext of it\n" },
	"replacements":      func(n int) string { return "# H\n" + strings.Repeat("\xff", n) },
	"fences":            func(n int) string { return "# H\n" + strings.Repeat("```\nx\n", n/6) },
	"table as document": func(n int) string { return "<table>" + strings.Repeat("<tr><td>a<td>1</tr>\n", n/20) },
}

func TestHostileIsLinear(t *testing.T) {
	testenv.Slow(t, "a ratio of times, which packages beside it disturb")
	const size, times = 1 << 15, 8
	for name, input := range hostile {
		t.Run(name, func(t *testing.T) {
			one, many := took(t, input(size)), took(t, input(times*size))
			if many > 3*times*one && many > 100*time.Millisecond || many > 2*time.Second {
				t.Errorf("%v for %d bytes, %v for %d times as many", one, size, many, times)
			}
		})
	}
}

// took is the less processor time of two runs.
func took(t *testing.T, s string) time.Duration {
	tree := atxTree([]byte(s))
	run := func() time.Duration {
		return testenv.CPU(func() {
			if _, err := Chunks([]byte(s), tree, Options{}); err != nil {
				t.Fatal(err)
			}
		})
	}
	return min(run(), run())
}

// check holds what is true of the chunks of any text.
func check(t *testing.T, src []byte, tree *doc.Tree) {
	t.Helper()
	chunks, err := Chunks(src, tree, Options{})
	if err != nil {
		t.Fatal(err)
	}
	next := map[[2]any]int{}
	size := 0
	for _, c := range chunks {
		n := &tree.Nodes[c.Node]
		key := [2]any{c.Kind, c.Node}
		if c.Ordinal != next[key] {
			t.Fatalf("%s %d has ordinal %d after %d", c.Kind, c.Node, c.Ordinal, next[key]-1)
		}
		next[key]++
		if c.Lines.Start < n.Lines.Start || c.Lines.End > max(n.Lines.End, n.Lines.Start) || c.Lines.End < c.Lines.Start {
			if !tree.Windows {
				t.Fatalf("%s of node %d has lines %v, the node %v", c.Kind, c.Node, c.Lines, n.Lines)
			}
		}
		if c.Kind == doc.KindChunk && Estimate(c.EmbedText()) > 256 {
			t.Fatalf("a chunk of %d tokens", Estimate(c.EmbedText()))
		}
		if c.Kind == doc.KindWindow && runes(c.Text) > 4000+1400 {
			t.Fatalf("a window of %d characters", runes(c.Text))
		}
		if c.Kind != doc.KindNode && strings.TrimSpace(c.Text) == "" {
			t.Fatalf("%s %d/%d is empty", c.Kind, c.Node, c.Ordinal)
		}
		if c.Kind != doc.KindRow {
			size += len(c.Text)
		}
	}
	if size > 20*len(src)+10000 {
		t.Fatalf("%d bytes of chunks of %d", size, len(src))
	}
}

var parts = []string{"# ", "## ", "### NOTE 23", "Item 7A", "\n", "\n\n", "text of a sentence. ", "word ", "|", "| a | 1 |\n", "|---|---|\n", "<table>", "</table>",
	"<tr>", "<td>", "<td colspan=7>", "**bold**", "```\n", "Table 4: x\n", "===\n", "---\n", "\x00", "\xff", "жизнь ", "2022", "Contents", "<!--", "-->", "[a](b)",
	strings.Repeat("long", 300), strings.Repeat("many words ", 100)}

func seeded(seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 7))
	var b bytes.Buffer
	for range r.IntN(90) {
		b.WriteString(parts[r.IntN(len(parts))])
	}
	return b.Bytes()
}

func TestSeeded(t *testing.T) {
	for seed := range uint64(2000) {
		src := seeded(seed)
		check(t, src, atxTree(src))
		whole := &doc.Tree{Windows: true, Nodes: []doc.Node{{ID: "0000", Lines: doc.Lines{Start: 1, End: bytes.Count(src, []byte("\n")) + 1}, Bytes: doc.Bytes{End: int64(len(src))}}}}
		check(t, src, whole)
	}
}

func FuzzChunks(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seeded(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) { check(t, src, atxTree(src)) })
}
