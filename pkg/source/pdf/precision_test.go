package pdf_test

import (
	"os"
	"strings"
	"testing"
)

// Of 100 headings each of Boeing and the filings, drawn by a seed and judged on the page, at least
// 93 are headings. The first line of the list says how it was drawn and what counts as wrong.
func TestPrecisionJudged(t *testing.T) {
	list, err := os.ReadFile("testdata/precision.tsv")
	if err != nil {
		t.Fatal(err)
	}
	all, right := map[string]int{}, map[string]int{}
	for line := range strings.Lines(string(list)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) != 3 || f[2] != "right" && f[2] != "wrong" {
			t.Fatalf("not document, page and verdict: %q", line)
		}
		side := "filings"
		if f[0] == "Boeing" {
			side = f[0]
		}
		all[side]++
		if f[2] == "right" {
			right[side]++
		}
	}
	for _, side := range []string{"Boeing", "filings"} {
		if all[side] != 100 || right[side] < 93 {
			t.Errorf("%s: %d of %d right, want at least 93 of 100", side, right[side], all[side])
		}
	}
}
