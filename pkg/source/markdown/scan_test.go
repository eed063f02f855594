package markdown_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/source/markdown"
	"github.com/fingerpost/fingerpost/pkg/testenv"
)

// filings are the four 10-Ks one after the other, 3.5 MB.
func filings(t testing.TB) []byte {
	var all []byte
	for _, f := range []string{"AMD", "AMEX", "Boeing", "PepsiCo"} {
		b, err := os.ReadFile(filepath.Join(testenv.Shared(t, "bench", "docs"), f+".md"))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b...)
	}
	return all
}

// BenchmarkFilings: go test -run xxx -bench Filings ./pkg/source/markdown
// MB/cpu-s is by processor time, which other work on the machine leaves alone.
func BenchmarkFilings(b *testing.B) {
	src := filings(b)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	took := testenv.CPU(func() {
		for b.Loop() {
			if _, err := markdown.Scan(src, markdown.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.ReportMetric(float64(len(src))*float64(b.N)/1e6/took.Seconds(), "MB/cpu-s")
}

// A scan allocates for headings and page marks only: less than one allocation for a hundred lines.
func TestNoAllocationALine(t *testing.T) {
	src := filings(t)
	lines := bytes.Count(src, []byte{'\n'})
	if n := testing.AllocsPerRun(5, func() { _, _ = markdown.Scan(src, markdown.Options{}) }); n > float64(lines)/100 {
		t.Errorf("%v allocations for %d lines", n, lines)
	}
}
