package markdown_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/source"
	"github.com/fingerpost/fingerpost/pkg/source/markdown"
	"github.com/fingerpost/fingerpost/pkg/testenv"
)

// The table is the standard's reading of the 51 traps; the files are read from the shared
// material through the Source, as in real life.
func TestCases(t *testing.T) {
	table, err := os.ReadFile(filepath.Join("testdata", "cases.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	dir := testenv.Shared(t, "cases", "markdown")
	seen := 0
	for row := range strings.Lines(string(table)) {
		if strings.HasPrefix(row, "#") {
			continue
		}
		seen++
		file, rest, _ := strings.Cut(strings.TrimSuffix(row, "\n"), "\t")
		want, _, _ := strings.Cut(rest, "* ")
		t.Run(file, func(t *testing.T) {
			raw, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				t.Fatal(err)
			}
			src, err := source.Parse(context.Background(), file, raw)
			if err != nil {
				t.Fatal(err)
			}
			if got := headings(t, src.Markdown); got != strings.TrimSuffix(want, "\t") {
				t.Errorf("\n got %q\nwant %q", got, want)
			}
		})
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.md"))
	if seen != len(files) || seen != 51 {
		t.Errorf("%d rows for %d files, want 51", seen, len(files))
	}
}

// headings is the skeleton of src as the table writes it.
func headings(t testing.TB, src []byte) string {
	t.Helper()
	sk, err := markdown.Scan(src, markdown.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, h := range sk.Headings {
		if want := 1 + bytes.Count(src[:h.Start], []byte{'\n'}); want != h.Line {
			t.Errorf("heading at byte %d says line %d, it is line %d", h.Start, h.Line, want)
		}
		in := ""
		if h.In != markdown.Top {
			in = "in:"
		}
		out = append(out, fmt.Sprintf("%s%d:%d:%s", in, h.Level, h.Line, h.Title(src)))
	}
	return strings.Join(out, "\t")
}
