package pdf

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/testenv"
)

// benchFiles are the shared PDFs: all with FINGERPOST_BENCH=all (scripts/bench pdf), else eight by a fixed order of chance.
func benchFiles(t *testing.T) []string {
	var all []string
	for _, dir := range [][]string{{"bench", "pdf"}, {"bench", "filings", "pdf"}} {
		files, _ := filepath.Glob(filepath.Join(testenv.Shared(t, dir...), "*.pdf"))
		all = append(all, files...)
	}
	if len(all) == 0 {
		testenv.Missing(t, "shared PDFs")
	}
	if os.Getenv("FINGERPOST_BENCH") == "all" {
		return all
	}
	rank := func(p string) uint64 {
		h := fnv.New64a()
		h.Write([]byte(filepath.Base(p)))
		return h.Sum64()
	}
	slices.SortFunc(all, func(a, b string) int { return int(rank(a)>>40) - int(rank(b)>>40) })
	if testing.Short() {
		return all[:3]
	}
	return all[:8]
}

// Every shared PDF parses, within 1 s and .05 s a page of CPU time and 500 MB; over all at least 50 pages a CPU second.
func TestSharedPDFs(t *testing.T) {
	pages, cpu := 0, time.Duration(0)
	for _, p := range benchFiles(t) {
		name := filepath.Base(p)
		r, _ := shared(t, p)
		limit := time.Second + time.Duration(r.Pages)*50*time.Millisecond
		line := fmt.Sprintf("%-36s %4d pages %6.2f s %4.0f pages/s %4d MB", name, r.Pages, r.CPU.Seconds(), float64(r.Pages)/r.CPU.Seconds(), r.MaxMemory/1e6)
		t.Log(line, strings.Join(r.Warnings, "; "))
		if r.CPU > limit || r.MaxMemory > 500e6 {
			t.Errorf("%s: over %v or 500 MB", line, limit)
		}
		pages += r.Pages
		cpu += r.CPU
	}
	rate := float64(pages) / cpu.Seconds()
	t.Logf("%d pages in %.1f s of CPU: %.0f pages a second", pages, cpu.Seconds(), rate)
	if rate < 50 {
		t.Errorf("%.0f pages a CPU second, want 50", rate)
	}
}
