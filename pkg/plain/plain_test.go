package plain

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

func TestBlocks(t *testing.T) {
	src := `# Title

First **line**
second line.

<!-- page: 3 -->
| a | b |
|---|---|
| x &amp; y | 1 |

` + "```go\nif a < b { **x** }\n\nend\n```" + `
- item [link](http://x)
> quote
***
<table>
<tr><th>Year</th><th>2022</th></tr>
<tr><td>Sales</td><td>$1</td></tr>
</table>
End
`
	want := []struct {
		lines doc.Lines
		text  string
		table bool
		code  bool
	}{
		{doc.Lines{Start: 10, End: 10}, "Title", false, false},
		{doc.Lines{Start: 12, End: 13}, "First line\nsecond line.", false, false},
		{doc.Lines{Start: 16, End: 18}, "| a | b |\n| x & y | 1 |", true, false},
		{doc.Lines{Start: 21, End: 23}, "if a < b { **x** }\n\nend", false, true},
		{doc.Lines{Start: 25, End: 26}, "- item link\nquote", false, false},
		{doc.Lines{Start: 28, End: 31}, "| Year | 2022 |\n| Sales | $1 |", true, false},
		{doc.Lines{Start: 32, End: 32}, "End", false, false},
	}
	got := Blocks([]byte(src), 10)
	if len(got) != len(want) {
		t.Fatalf("%d blocks: %+v", len(got), got)
	}
	for i, w := range want {
		g := got[i]
		if g.Lines != w.lines || g.Text != w.text || (g.Table != nil) != w.table || g.Code != w.code {
			t.Errorf("block %d is %v %q table %v code %v, want %+v", i, g.Lines, g.Text, g.Table != nil, g.Code, w)
		}
	}
}

func TestFences(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"````\n```\n| a | b |\n|---|---|\n```\n````\n*b*", "```\n| a | b |\n|---|---|\n```\n\nb"},
		{"```\n~~~\n*a*\n```\n*b*", "~~~\n*a*\n\nb"},
		{"``` not ` a fence\n*b*", "not a fence\nb"},
		{"```\n*open*", "*open*"},
	} {
		if got := Text([]byte(c.in)); got != c.want {
			t.Errorf("Text(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestCommentsOverLines(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a\n<!-- b\nc -->\nd", "a\n\nd"},
		{"a <!-- b\nc --> d", "a\nd"},
		{"a <!-- b\nc", "a <!-- b\nc"},
	} {
		if got := Text([]byte(c.in)); strings.Trim(got, "\n") != c.want {
			t.Errorf("Text(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

// check holds what is true of every rendering.
func check(t *testing.T, src []byte) {
	t.Helper()
	blocks := Blocks(src, 1)
	last, size := 0, 0
	for _, b := range blocks {
		if b.Lines.Start < last || b.Lines.End < b.Lines.Start || b.Lines.End > bytes.Count(src, []byte("\n"))+1 {
			t.Fatalf("block at %v after line %d", b.Lines, last)
		}
		last = b.Lines.Start
		if n := strings.Count(b.Text, "\n") + 1; n != len(b.Rows) {
			t.Fatalf("block %q has %d lines and %d rows", b.Text, n, len(b.Rows))
		}
		for _, r := range b.Rows {
			if r.Start < b.Lines.Start || r.End > b.Lines.End {
				t.Fatalf("row %v of block %v", r, b.Lines)
			}
		}
		if b.Text == "" && !b.Code || !utf8.ValidString(b.Text) {
			t.Fatalf("text %q", b.Text)
		}
		size += len(b.Text)
	}
	if size > 8*len(src)+1000 {
		t.Fatalf("%d bytes of text of %d", size, len(src))
	}
	if again := Blocks(src, 1); !reflect.DeepEqual(texts(blocks), texts(again)) {
		t.Fatal("not the same twice")
	}
}

func texts(blocks []Block) (out []string) {
	for _, b := range blocks {
		out = append(out, b.Text)
	}
	return out
}

var parts = []string{"text", " ", "\n", "\n\n", "**", "*", "_", "`", "```\n", "~~~\n", "# ", "> ", "- ", "<!--", "-->", "<b>", "</b>", "<br>", "&amp;", "[a](b)",
	"<table>", "</table>", "<tr>", "<td>", "<td colspan=9 rowspan=9>", "<th>", "| a | b |\n", "|-|-|\n", "---\n", "===\n", "\r", "\t", "\x00", "\xff", "ж", "2022", "1,234",
	"Table 1: x\n", "![](tables/1)\n", "\\", "<td></td>"}

func seeded(seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 5))
	var b bytes.Buffer
	for range r.IntN(80) {
		b.WriteString(parts[r.IntN(len(parts))])
	}
	return b.Bytes()
}

func TestSeeded(t *testing.T) {
	for seed := range uint64(5000) {
		check(t, seeded(seed))
	}
	for _, s := range []string{"", "\n", "\n\n\n", "<!--\n", "```", "```\n", "\xff\xfe", strings.Repeat("<!--\n", 20000), strings.Repeat("```\nx\n", 20000)} {
		check(t, []byte(s))
	}
}

func FuzzBlocks(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seeded(seed))
	}
	f.Fuzz(check)
}
