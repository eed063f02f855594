package bench

import (
	"io"
	"os"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/chunker"
	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/pkg/vector/mem"
)

// filings is the corpus of look-alike filings; FINGERPOST_FILINGS names the folder with their Source.
func filings(t testing.TB) (*Corpus, []PageQuestion) {
	t.Helper()
	dir := os.Getenv("FINGERPOST_FILINGS")
	if dir == "" {
		testenv.Missing(t, "FINGERPOST_FILINGS: a folder with the Source of the filings")
	}
	qs, err := ReadPages(testenv.Shared(t, "bench", "filings", "questions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	docs, err := Folder(dir)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	c, err := Open(t.Context(), mem.New(0), docs, false, chunker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d documents taken in within %s", len(docs), time.Since(start).Round(time.Second))
	return c, qs
}

// TestFilings measures which of many look-alike documents is found, and the page in it; words only.
func TestFilings(t *testing.T) {
	c, qs := filings(t)
	for _, f := range []struct {
		name string
		mode Mode
	}{
		{"no routing", lex},
		{"by facts", Mode{Crumb: true, Rows: true, Refs: true, Clean: true, Facts: true}},
		{"by facts, strict vocabulary", Mode{Crumb: true, Rows: true, Refs: true, Clean: true, Facts: true, Route: true, Vocabulary: strict.Vocabulary}},
	} {
		var w io.Writer
		if os.Getenv("FINGERPOST_SHOW") == f.name {
			w = os.Stdout
		}
		rs, err := c.Pages(t.Context(), f.mode, qs, w)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %s", f.name, Sum(rs))
	}
}
