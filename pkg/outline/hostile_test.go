package outline_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/outline"
	"github.com/fingerpost/fingerpost/pkg/testenv"
)

func TestTooManyHeadings(t *testing.T) {
	_, err := outline.Build("", "", bytes.Repeat([]byte("# a\n"), 1_000_000), outline.Options{})
	if v, c := fault.Of(err); v != fault.Fail || c != doc.ResourceLimit {
		t.Fatalf("a million headings: %v, want a failure of class resource_limit", err)
	}
}

// hostile are texts of about n bytes that the repair could stumble over.
var hostile = map[string]func(n int) []byte{
	"one title again and again": func(n int) []byte { return bytes.Repeat([]byte("# Acme Inc.\n"), n/12) },
	"notes that all restart":    func(n int) []byte { return bytes.Repeat([]byte("# NOTE 1\n## Item 2. x 7\n"), n/25) },
	"entries of contents": func(n int) []byte {
		var b bytes.Buffer
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, "%s Note %d x 12\n\n", "##"[:1+i%2], i%999)
		}
		return b.Bytes()
	},
	"deeper and deeper": func(n int) []byte {
		var b bytes.Buffer
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, "%s Item %d\n", strings.Repeat("#", 1+i*7%6), i%90)
		}
		return b.Bytes()
	},
	"bold lines": func(n int) []byte { return bytes.Repeat([]byte("**Item 3. x**\n\n"), n/15) },
	"items, bold and real": func(n int) []byte {
		return bytes.Repeat([]byte("# Item 1. a\n\n## Item 5. b\n\n**Item 3. x**\n\n# Item 7. c\n\n"), n/55)
	},
	"numbers on lines": func(n int) []byte {
		var b bytes.Buffer
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, "%d\n\n", i%9999)
		}
		return b.Bytes()
	},
	"one long title": func(n int) []byte { return append([]byte("# "), bytes.Repeat([]byte("[a*_`<"), n/6)...) },
}

// Twice the text takes at most 2.5 times as long (median of five), whatever the text.
func TestBuildIsLinear(t *testing.T) {
	testenv.Slow(t, "a ratio of times, which packages beside it disturb")
	for name, make := range hostile {
		t.Run(name, func(t *testing.T) {
			n := 150_000
			once := make(n)
			for n < 5_000_000 && testenv.CPU(func() { tree(once) }) < 10*time.Millisecond {
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
		a = append(a, testenv.CPU(func() { tree(once) }))
		b = append(b, testenv.CPU(func() { tree(twice) }))
	}
	slices.Sort(a)
	slices.Sort(b)
	return float64(b[2]) / float64(max(a[2], 5*time.Millisecond))
}

func tree(src []byte) { _, _ = outline.Build("", "", src, outline.Options{MaxHeadings: 1 << 20}) }

// Whatever the text, the tree keeps doc.Tree's promises.
func TestAnyTextHasATree(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		src := messyText(r)
		check(t, build(t, src, outline.Options{Plain: r.IntN(10) == 0}), src)
	}
	for _, src := range []string{"", "\n", "a", "# a", "#", "\n\n# a\n", "---\na: b\n---\n# x", "* * *\n# a\n\n# a\n", "AppendiX A0"} {
		check(t, build(t, []byte(src), outline.Options{}), []byte(src))
	}
}

func FuzzBuild(f *testing.F) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 50 {
		f.Add(messyText(r))
	}
	f.Fuzz(func(t *testing.T, src []byte) { check(t, build(t, src, outline.Options{}), src) })
}

// messyText is lines that look like headings of every family.
func messyText(r *rand.Rand) []byte {
	words := []string{"Item", "ITEM", "Note", "PART", "Chapter", "Глава", "Раздел", "Статья", "§", "Appendix", "ARTICLE", "Section", "Table", "Acme Inc.", "Signatures", "Certification", "Introduction", "x"}
	nums := []string{"1", "2", "3", "7A", "I", "IV", "1.1", "3.2.1", "A", "(a)", "(i)", "B.", "", "Consolidated Statements of Cash", "99"}
	var b strings.Builder
	for range r.IntN(40) {
		b.WriteString([]string{"# ", "## ", "### ", "###### ", "", "**", "- ", "> # "}[r.IntN(8)])
		b.WriteString(words[r.IntN(len(words))] + " " + nums[r.IntN(len(nums))])
		b.WriteString([]string{"", ". Title", "**", " 12", " to", " –", "\n==="}[r.IntN(7)])
		b.WriteString([]string{"\n", "\n\n", "\n\ntext\n\n", "\n\n12\n\n"}[r.IntN(4)])
	}
	return []byte(b.String())
}
