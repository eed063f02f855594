package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/chunker"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/embedding/scripted"
	"github.com/fingerpost/fingerpost/pkg/route"
	"github.com/fingerpost/fingerpost/pkg/vector/mem"
)

// reports are two companies' reports with the same headings.
var reports = map[string]string{
	"Acme.md": "# Acme annual report\n\nAcme Corporation makes pumps. Acme sells them.\n\n## Balance sheet\n\n" +
		"| | 2022 |\n|---|---|\n| Goodwill | 41 |\n| Inventories | 7 |\n\n## Note 7\n\n## Leases\n\nAcme leases two halls for its pumps until 2030.\n",
	"Borealis.md": "# Borealis annual report\n\nBorealis plc makes valves. Borealis rents them out.\n\n## Balance sheet\n\n" +
		"| | 2022 |\n|---|---|\n| Goodwill | 99 |\n| Inventories | 3 |\n\n## Note 7 Leases\n\nBorealis leases a ship for its valves.\n",
}

func small(t *testing.T) *Corpus {
	t.Helper()
	dir := t.TempDir()
	for name, text := range reports {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	docs, err := Folder(dir)
	if err != nil || len(docs) != 2 || docs[0].Name != "Acme.md" {
		t.Fatalf("%d documents, %v", len(docs), err)
	}
	c, err := Open(t.Context(), mem.New(0), docs, true, chunker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestFinderOnTwoReports(t *testing.T) {
	c := small(t)
	vectors, err := OpenCache(filepath.Join(t.TempDir(), "v"), scripted.New())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Embed(t.Context(), vectors, doc.LevelSections, nil); err != nil {
		t.Fatal(err)
	}
	m := Mode{Rows: true, Crumb: true, Refs: true, Clean: true, Route: true, Vocabulary: route.StandardVocabulary, Vector: vectors.Question}
	for _, q := range []struct{ question, doc, text string }{
		{"What is the goodwill of Borealis in 2022?", "Borealis.md", "| 99 |"},
		{"What is the goodwill of Acme in 2022?", "Acme.md", "| 41 |"},
		{"Please explain what Note 7 of Borealis says", "Borealis.md", "a ship"},
	} {
		places, err := c.Finder(m)(t.Context(), q.question, 3)
		if err != nil || len(places) == 0 {
			t.Fatalf("%s: %v, %v", q.question, places, err)
		}
		if p := places[0]; p.Doc != q.doc || !strings.Contains(p.Shown, q.text) || !strings.Contains(reports[q.doc], p.Text) {
			t.Errorf("%s: %s %+v: %s", q.question, p.Doc, p.Lines, p.Shown)
		}
	}
}
