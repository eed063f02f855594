package markdown_test

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/source/markdown"
	"github.com/fingerpost/fingerpost/pkg/testenv"
)

// hostile are texts of about n bytes, made to be slow.
var hostile = map[string]func(n int) []byte{
	"hashes":            repeat("#"),
	"one long line":     repeat("a"),
	"headings":          repeat("# a\n"),
	"quotes":            repeat(">"),
	"quotes and blanks": repeat("> "),
	"bullets":           repeat("- "),
	"bullets, no rule":  func(n int) []byte { return append(repeat("- ")(n), 'x') },
	"stars, no rule":    func(n int) []byte { return append(repeat("* ")(n), 'x') },
	"deep list, then blank lines": func(n int) []byte {
		return append(bytes.Repeat([]byte("- "), n/4), bytes.Repeat([]byte("\n"), n/2)...)
	},
	"deep quote, then lazy lines": func(n int) []byte {
		return append(append(bytes.Repeat([]byte(">"), n/2), 'a', '\n'), bytes.Repeat([]byte("a\n"), n/4)...)
	},
	"lists, each deeper": func(n int) []byte {
		var b bytes.Buffer
		for i := 0; b.Len() < n; i++ {
			b.WriteString(strings.Repeat("  ", i%300) + "- a\n")
		}
		return b.Bytes()
	},
	"fences never closed":     repeat("```\n~~~~\n"),
	"fence marks":             repeat("`"),
	"backticks and blanks":    repeat("``` ` "),
	"html comment":            func(n int) []byte { return append([]byte("<!--"), repeat("-- >")(n)...) },
	"script never closed":     func(n int) []byte { return append([]byte("<script>\n"), repeat("</")(n)...) },
	"open tags":               repeat("<a "),
	"tags on lines":           repeat("<a b='\n"),
	"quoted attributes":       repeat("<a b=\"x\" c='"),
	"definitions":             repeat("[a]: /u\n"),
	"definitions, underlined": repeat("[a]: /u\n===\n"),
	"open labels, underlined": repeat("[a\n===\n"),
	"open titles":             repeat("[a]: /u \"t\n"),
	"underlines":              repeat("a\n=\n"),
	"underlines that are not": repeat("=\n"),
	"one paragraph":           repeat("[a]:\n"),
	"tabs":                    repeat("\t>\t-\t"),
	"numbers":                 repeat("1. 2. "),
	"page numbers": func(n int) []byte {
		var b bytes.Buffer
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, "%d\n\n", i%5000)
		}
		return b.Bytes()
	},
	"form feeds":   repeat("\f\n\n"),
	"front matter": func(n int) []byte { return append([]byte("---\n"), repeat("a: b\n")(n)...) },
}

func repeat(s string) func(n int) []byte {
	return func(n int) []byte { return bytes.Repeat([]byte(s), n/len(s)) }
}

// Twice the text takes at most 2.5 times as long (median of five), whatever the text. -long of
// the real sizes (200 MB of #, a line of 100 MB) differs in nothing but n: see BenchmarkHostile.
func TestScanIsLinear(t *testing.T) {
	testenv.Slow(t, "a ratio of times, which packages beside it disturb")
	for name, make := range hostile {
		t.Run(name, func(t *testing.T) {
			n := 400_000
			once := make(n)
			for n < 5_000_000 && testenv.CPU(func() { scan(once) }) < 10*time.Millisecond {
				n *= 2 // long enough to be measured
				once = make(n)
			}
			twice := make(2 * n)
			ratio := ratioOf(once, twice)
			for again := 0; ratio > 2.5 && again < 4; again++ { // the machine is shared
				ratio = ratioOf(once, twice)
			}
			if ratio > 2.5 {
				t.Errorf("twice the text takes %.2f times as long", ratio)
			}
		})
	}
}

// ratioOf compares medians of five; below five milliseconds there is nothing to compare.
func ratioOf(once, twice []byte) float64 {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // its moments are no part of the comparison
	var a, b []time.Duration
	for range 5 {
		runtime.GC()
		a = append(a, testenv.CPU(func() { scan(once) }))
		b = append(b, testenv.CPU(func() { scan(twice) }))
	}
	slices.Sort(a)
	slices.Sort(b)
	return float64(b[2]) / float64(max(a[2], 5*time.Millisecond))
}

func scan(src []byte) { _, _ = markdown.Scan(src, markdown.Options{MaxHeadings: 1 << 30}) }

// BenchmarkHostile: go test -run xxx -bench Hostile -benchtime 1x ./pkg/source/markdown
// (200 MB of each).
func BenchmarkHostile(b *testing.B) {
	for name, make := range hostile {
		b.Run(name, func(b *testing.B) {
			src := make(200 << 20)
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				_, _ = markdown.Scan(src, markdown.Options{})
			}
		})
	}
}

func TestLimits(t *testing.T) {
	_, err := markdown.Scan(bytes.Repeat([]byte("# a\n"), 1_000_000), markdown.Options{})
	if v, c := fault.Of(err); v != fault.Fail || c != doc.ResourceLimit {
		t.Errorf("a million headings: %v, want a failure of class resource_limit", err)
	}
	sk, err := markdown.Scan(bytes.Repeat([]byte("# a\n"), markdown.MaxHeadings), markdown.Options{})
	if err != nil || len(sk.Headings) != markdown.MaxHeadings {
		t.Errorf("at the limit: %d headings, %v", len(sk.Headings), err)
	}
	deep := []byte(strings.Repeat("> ", markdown.MaxDepth+5) + "# a\n\n# b\n")
	if got := headings(t, deep); got != "1:3:b" {
		t.Errorf("beyond the depth: %q, want the text's own heading only", got)
	}
}
