package bench

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/chunker"
	"github.com/fingerpost/fingerpost/pkg/source/pdf"
	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/pkg/vector/mem"
)

// The reader of PDFs starts this program again.
func TestMain(m *testing.M) {
	pdf.ChildMain()
	os.Exit(m.Run())
}

// filingsEnv names a folder with the Source of the filings, or is "pdf": they are read anew, which takes minutes. A folder
// that is not there is made, and filled from the PDFs.
const filingsEnv = "FINGERPOST_FILINGS"

// filings is the corpus of look-alike filings, keys unknown, and its questions.
func filings(t testing.TB, o chunker.Options) (*Corpus, []PageQuestion) {
	t.Helper()
	dir := os.Getenv(filingsEnv)
	if dir == "" {
		testenv.Missing(t, filingsEnv+`: a folder with the Source of the filings, or "pdf"`)
	}
	qs, err := ReadPages(testenv.Shared(t, "bench", "filings", "questions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	docs := filingSources(t, dir)
	start := time.Now()
	c, err := Open(t.Context(), mem.New(0), docs, false, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d documents taken in within %s", len(docs), time.Since(start).Round(time.Second))
	return c, qs
}

// filingSources are the filings as filingsEnv says.
func filingSources(t testing.TB, dir string) []Document {
	t.Helper()
	_, err := os.Stat(dir)
	if dir != "pdf" && err == nil {
		docs, err := Folder(dir)
		if err != nil {
			t.Fatal(err)
		}
		return docs
	}
	docs := readPDFs(t, testenv.Shared(t, "bench", "filings", "pdf"))
	if dir == "pdf" {
		return docs
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, d := range docs {
		if err := os.WriteFile(filepath.Join(dir, d.Name), d.Text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return docs
}

// readPDFs is the Source of every PDF of a folder.
func readPDFs(t testing.TB, dir string) (docs []Document) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		r, err := pdf.Parse(t.Context(), filepath.Base(f), raw)
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, Document{strings.TrimSuffix(filepath.Base(f), ".pdf") + ".md", r.Markdown})
	}
	return docs
}

// TestFilings holds what the filings are known to be, and measures which of many look-alike documents is found first, and the page in it; words only. With
// FINGERPOST_SHOW=strict the places found for each question are printed.
func TestFilings(t *testing.T) {
	c, qs := filings(t, chunker.Options{})
	holdFacts(t, c)
	holdNames(t, c)
	bare := chosen
	bare.Vocabulary = nil
	for _, f := range []struct {
		name  string
		mode  Mode
		floor PageSum
	}{
		{"no routing", lex, PageSum{}},
		{"facts", bare, PageSum{Any: [3]int{19, 28, 31}, Doc: 40, Full: 32}},
		{"strict", chosen, PageSum{Any: [3]int{26, 35, 38}, Doc: 40, Full: 39}},
	} {
		var w io.Writer
		if os.Getenv("FINGERPOST_SHOW") == f.name {
			w = os.Stdout
		}
		rs, err := c.Pages(t.Context(), f.mode, qs, w)
		if err != nil {
			t.Fatal(err)
		}
		s := Sum(rs)
		t.Logf("%s: %s", f.name, s)
		if s.Any[0] < f.floor.Any[0] || s.Any[1] < f.floor.Any[1] || s.Any[2] < f.floor.Any[2] || s.Doc < f.floor.Doc || s.Full < f.floor.Full {
			t.Errorf("%s: below the floor %s", f.name, f.floor)
		}
	}
}

func TestPageSum(t *testing.T) {
	s := Sum([]PageResult{{Doc: 1, Any: 1, All: 4, Full: true, Clean: 100}, {Doc: 2, Any: 4}, {}})
	if want := (PageSum{N: 3, Doc: 1, Doc3: 2, Any: [3]int{1, 1, 2}, All5: 1, Full: 1, Clean: 33}); s != want {
		t.Errorf("%+v", s)
	}
}
