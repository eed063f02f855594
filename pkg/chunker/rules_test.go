package chunker

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
)

func chunksOf(t testing.TB, src string, tree *doc.Tree, o Options) []doc.Chunk {
	t.Helper()
	c, err := Chunks([]byte(src), tree, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func ofKind(chunks []doc.Chunk, k doc.Kind) (out []doc.Chunk) {
	for _, c := range chunks {
		if c.Kind == k {
			out = append(out, c)
		}
	}
	return out
}

const report = `# PART I
## Item 7A. Risk
Rates **may** rise, and that would raise what we pay for the loans that we have taken up.

Table 4: Sensitivity

| (In millions) | 2022 | 2021 |
|---|---|---|
| Interest | $ 1 | $ 2 |
| Section: | | |
| Deep | 3 | 4 |
## NOTE 23
## Leases
We lease buildings in many towns of the country, most of them for ten years.
## Signatures
Signed by all of the persons whose names are given below, on the date that is given.
`

func TestReport(t *testing.T) {
	tree := atxTree([]byte(report))
	tree.Nodes[4].Lent = "NOTE 23"
	got := chunksOf(t, report, tree, Options{})
	want := []doc.Chunk{
		{Kind: doc.KindNode, Node: 1, Lines: doc.Lines{Start: 1, End: 1}, Crumb: "PART I", Text: "PART I", Refs: []string{"=part:1"}, Flags: doc.FlagShort},
		{Kind: doc.KindNode, Node: 2, Lines: doc.Lines{Start: 2, End: 11}, Crumb: "PART I > Item 7A. Risk", Text: "Item 7A. Risk", Refs: []string{"=item:7a", "^table:4", "~part:1"}},
		{Kind: doc.KindWindow, Node: 2, Lines: doc.Lines{Start: 3, End: 11}, Crumb: "PART I > Item 7A. Risk",
			Text: "Rates may rise, and that would raise what we pay for the loans that we have taken up.\nTable 4: Sensitivity\n| (In millions) | 2022 | 2021 |\n| Interest | $ 1 | $ 2 |\n| Section: |\n| Deep | 3 | 4 |"},
		{Kind: doc.KindRow, Node: 2, Lines: doc.Lines{Start: 9, End: 9}, Crumb: "PART I > Item 7A. Risk", Text: "Interest\nInterest\nTable 4: Sensitivity\n(In millions) 2022 2021\n$ 1 $ 2"},
		{Kind: doc.KindRow, Node: 2, Ordinal: 1, Lines: doc.Lines{Start: 11, End: 11}, Crumb: "PART I > Item 7A. Risk", Text: "Section > Deep\nSection > Deep\nTable 4: Sensitivity\n(In millions) 2022 2021\n3 4"},
		{Kind: doc.KindChunk, Node: 2, Lines: doc.Lines{Start: 3, End: 11}, Crumb: "PART I > Item 7A. Risk",
			Text: "Rates may rise, and that would raise what we pay for the loans that we have taken up.\nTable 4: Sensitivity\n| (In millions) | 2022 | 2021 |\n| Interest | $ 1 | $ 2 |\n| Section: |\n| Deep | 3 | 4 |"},
		{Kind: doc.KindNode, Node: 3, Lines: doc.Lines{Start: 12, End: 12}, Crumb: "PART I > NOTE 23", Text: "NOTE 23", Refs: []string{"=note:23", "~part:1"}, Flags: doc.FlagShort},
		{Kind: doc.KindNode, Node: 4, Lines: doc.Lines{Start: 13, End: 14}, Crumb: "PART I > Leases", Text: "Leases", Refs: []string{"+note:23", "~part:1"}},
		{Kind: doc.KindWindow, Node: 4, Lines: doc.Lines{Start: 14, End: 14}, Crumb: "PART I > Leases", Text: "We lease buildings in many towns of the country, most of them for ten years."},
		{Kind: doc.KindChunk, Node: 4, Lines: doc.Lines{Start: 14, End: 14}, Crumb: "PART I > Leases", Text: "We lease buildings in many towns of the country, most of them for ten years."},
		{Kind: doc.KindNode, Node: 5, Lines: doc.Lines{Start: 15, End: 16}, Crumb: "PART I > Signatures", Text: "Signatures", Refs: []string{"~part:1"}, Flags: doc.FlagNoise},
		{Kind: doc.KindWindow, Node: 5, Lines: doc.Lines{Start: 16, End: 16}, Crumb: "PART I > Signatures", Text: "Signed by all of the persons whose names are given below, on the date that is given.", Flags: doc.FlagNoise},
		{Kind: doc.KindChunk, Node: 5, Lines: doc.Lines{Start: 16, End: 16}, Crumb: "PART I > Signatures", Text: "Signed by all of the persons whose names are given below, on the date that is given.", Flags: doc.FlagNoise},
	}
	for i := range want {
		if i >= len(got) || !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("chunk %d is\n%+v, want\n%+v", i, at(got, i), want[i])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d chunks, want %d", len(got), len(want))
	}
}

func at(c []doc.Chunk, i int) doc.Chunk {
	if i < len(c) {
		return c[i]
	}
	return doc.Chunk{}
}

func TestTablesAreSplitBetweenRowsWithTheirHeader(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Sales\n\n| Town | 2022 | 2021 |\n|---|---|---|\n")
	for i := range 200 {
		fmt.Fprintf(&b, "| Town number %d | %d | %d |\n", i, i*7, i*3)
	}
	got := ofKind(chunksOf(t, b.String(), atxTree([]byte(b.String())), Options{}), doc.KindChunk)
	if len(got) < 10 {
		t.Fatalf("%d chunks", len(got))
	}
	next := 0
	for _, c := range got {
		lines := strings.Split(c.Text, "\n")
		if lines[0] != "| Town | 2022 | 2021 |" {
			t.Fatalf("chunk begins with %q", lines[0])
		}
		for _, l := range lines[1:] {
			if want := fmt.Sprintf("| Town number %d | %d | %d |", next, next*7, next*3); l != want {
				t.Fatalf("row %q, want %q", l, want)
			}
			next++
		}
	}
	if next != 200 {
		t.Fatalf("%d rows", next)
	}
}

func TestATableThatFitsStaysWhole(t *testing.T) {
	src := "# A\n" + strings.Repeat("Plain words are written here for the test of it. ", 9) + "\n\n| a | 2022 |\n|---|---|\n" + strings.Repeat("| some label | 1,234 |\n", 9)
	for _, c := range ofKind(chunksOf(t, src, atxTree([]byte(src)), Options{}), doc.KindChunk) {
		if n := strings.Count(c.Text, "some label"); n != 0 && n != 9 {
			t.Errorf("a chunk has %d of the 9 rows: %q", n, c.Text)
		}
	}
}

// TestNothingIsLost counts the letters of what is cut: all of them stand in windows and chunks.
func TestNothingIsLost(t *testing.T) {
	for name, src := range map[string]string{
		"one long word":   strings.Repeat("ж", 30000),
		"one long line":   strings.Repeat("some words of a line. ", 4000),
		"digits":          strings.Repeat("1234567890", 3000),
		"many lines":      strings.Repeat("line\n", 9000),
		"many paragraphs": strings.Repeat("A paragraph of text stands here.\n\n", 3000),
		"code":            "```\n" + strings.Repeat("if x { y }\n", 3000) + "```\n",
		"a wide table":    strings.Repeat("|head", 400) + "|\n" + strings.Repeat("|-", 400) + "|\n" + strings.Repeat(strings.Repeat("|cell", 400)+"|\n", 20),
		"a long cell":     "| a | b |\n|---|---|\n| x | " + strings.Repeat("words ", 5000) + "|\n",
	} {
		for _, head := range []string{"", "# Head\n", "# " + strings.Repeat("A very long heading ", 60) + "\n"} {
			src := head + src
			tree := atxTree([]byte(src))
			got := chunksOf(t, src, tree, Options{})
			want := letters(own([]byte(src), &tree.Nodes[len(tree.Nodes)-1]).text)
			for _, k := range []doc.Kind{doc.KindWindow, doc.KindChunk} {
				n := 0
				for _, c := range ofKind(got, k) {
					n += letters(c.Text)
					if !utf8.ValidString(c.Text) {
						t.Fatalf("%s: %q is no UTF-8", name, c.Text)
					}
					if k == doc.KindChunk && Estimate(c.EmbedText()) > 256 {
						t.Fatalf("%s: a chunk of %d tokens", name, Estimate(c.EmbedText()))
					}
				}
				if n < want {
					t.Errorf("%s: %ss hold %d letters of %d", name, k, n, want)
				}
			}
		}
	}
}

func letters(s string) (n int) {
	for _, r := range s {
		if r > ' ' && r != '|' {
			n++
		}
	}
	return n
}

func TestTheEmbeddersCountIsKept(t *testing.T) {
	src := "# Head\n" + strings.Repeat("Some words; and others. ", 800) + "\n" + strings.Repeat("x", 5000)
	for name, count := range map[string]func(string) int{
		"characters": utf8.RuneCountInString,
		"words":      func(s string) int { return len(strings.Fields(s)) },
		"bytes":      func(s string) int { return len(s) + 2 },
		"dear":       func(s string) int { return 3*utf8.RuneCountInString(s) + 2 },
	} {
		for _, c := range ofKind(chunksOf(t, src, atxTree([]byte(src)), Options{Count: count, Limit: 128, Target: 100}), doc.KindChunk) {
			if n := count(c.EmbedText()); n > 128 {
				t.Fatalf("%s: a chunk of %d", name, n)
			}
		}
	}
	_, err := Chunks([]byte(src), atxTree([]byte(src)), Options{Count: func(s string) int { return 1000 }})
	if err == nil {
		t.Fatal("a counter that nothing fits is no error")
	}
}

func TestNoHeadingsMakeSlidingWindows(t *testing.T) {
	src := strings.Repeat("A sentence that stands for itself in the text.\n", 1000)
	tree := &doc.Tree{Windows: true, Nodes: []doc.Node{{ID: "0000", Lines: doc.Lines{Start: 1, End: 1000}, Bytes: doc.Bytes{End: int64(len(src))}}}}
	got := ofKind(chunksOf(t, src, tree, Options{}), doc.KindWindow)
	if len(got) < 12 {
		t.Fatalf("%d windows", len(got))
	}
	for i, c := range got {
		if c.Node != 0 || c.Ordinal != i || runes(c.Text) > 4000 {
			t.Fatalf("window %d: node %d, ordinal %d, %d characters", i, c.Node, c.Ordinal, runes(c.Text))
		}
		if i > 0 && c.Lines.Start > got[i-1].Lines.End {
			t.Fatalf("windows %v and %v do not overlap", got[i-1].Lines, c.Lines)
		}
	}
	if last := got[len(got)-1]; last.Lines.End != 1000 {
		t.Fatalf("the last window ends at %d", last.Lines.End)
	}
	if got := chunksOf(t, "", &doc.Tree{Windows: true}, Options{}); len(got) != 0 {
		t.Fatalf("%d chunks of nothing", len(got))
	}
}

func TestATreeThatDoesNotFit(t *testing.T) {
	for _, b := range []doc.Bytes{{Start: -1, End: 2}, {Start: 3, End: 2}, {Start: 0, End: 99}} {
		_, err := Chunks([]byte("text"), &doc.Tree{Nodes: []doc.Node{{Bytes: b}}}, Options{})
		if verdict, class := fault.Of(err); err == nil || verdict != fault.Fail || class != doc.Internal {
			t.Errorf("bytes %v: %v", b, err)
		}
	}
	var f *fault.Fault
	if err := addressable(doc.MaxNode + 2); !errors.As(err, &f) || f.Class != doc.TooLarge {
		t.Errorf("too many nodes: %v", err)
	}
	if err := addressable(doc.MaxNode + 1); err != nil {
		t.Error(err)
	}
}

func TestCrumb(t *testing.T) {
	for _, c := range []struct {
		path  []string
		limit int
		want  string
	}{
		{[]string{"A", "B", "C"}, 400, "A > B > C"},
		{[]string{" A  b ", "", "C"}, 400, "A b > C"},
		{nil, 400, ""},
		{[]string{"Alpha", "Beta", "Gamma", "Delta"}, 22, "Alpha > … > Delta"},
		{[]string{"The first of all titles here", "The last of all titles here"}, 40, "The last of all titles here"},
		{[]string{"The first of all titles here", "The last of all titles here"}, 48, "The first of… > The last of all titles here"},
		{[]string{strings.Repeat("word ", 60)}, 400, strings.TrimSpace(strings.Repeat("word ", 23)) + "…"},
	} {
		if got := crumb(c.path, c.limit); got != c.want {
			t.Errorf("crumb(%q, %d) = %q, want %q", c.path, c.limit, got, c.want)
		}
	}
}

func TestNoise(t *testing.T) {
	for title, want := range map[string]bool{
		"TABLE OF CONTENTS": true, "Contents": true, "**INDEX**": true, "Signatures": true, "SIGNATURES.": true, "Exhibit Index": true,
		"Item 15. Exhibits, Financial Statement Schedules": true, "PART IV, Item 15. Exhibits and Financial Statement Schedules": false,
		"References": true, "7. References": true, "Acknowledgments": true, "Содержание": true, "СПИСОК ЛИТЕРАТУРЫ": true, "Inhaltsverzeichnis": true,
		"Parent Company Only Statements of Income": true, "Notes": false, "Index of prices": false, "Contents of the package": false, "Revenue": false, "": false,
		"Executive Summary": true, "Foreword": true, "List of Tables": true, "Reference method": false,
	} {
		tree := &doc.Tree{Nodes: []doc.Node{{}, {ID: "0001", Level: 1, Title: title}}}
		if got := noise(tree)[1]; got != want {
			t.Errorf("%q is noise: %v, want %v", title, got, want)
		}
	}
}
