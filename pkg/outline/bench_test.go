package outline_test

import (
	"os"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/outline"
	"github.com/fingerpost/fingerpost/pkg/testenv"
)

var filings = []string{"AMD", "AMEX", "Boeing", "PepsiCo"}

// BenchmarkFilings: go test -run xxx -bench Filings -cpu 1 ./pkg/outline
func BenchmarkFilings(b *testing.B) {
	var docs [][]byte
	total := 0
	for _, f := range filings {
		src := read(b, f)
		docs = append(docs, src)
		total += len(src)
	}
	b.SetBytes(int64(total))
	b.ReportAllocs()
	took := testenv.CPU(func() {
		for b.Loop() {
			for _, src := range docs {
				if _, err := outline.Build("", "", src, outline.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.ReportMetric(took.Seconds()*1000/float64(b.N), "cpu-ms/op")
}

// read is a document of the benchmark.
func read(t testing.TB, name string) []byte {
	t.Helper()
	src, err := os.ReadFile(testenv.Shared(t, "bench", "docs", name+".md"))
	if err != nil {
		t.Fatal(err)
	}
	return src
}
