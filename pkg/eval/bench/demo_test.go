package bench

import (
	"path/filepath"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/chunker"
	"github.com/fingerpost/fingerpost/pkg/eval"
	"github.com/fingerpost/fingerpost/pkg/testenv"
	"github.com/fingerpost/fingerpost/pkg/vector/mem"
)

// TestDemoQuality holds the committed questions on the demo's documents: two editions of a report, a manual, a
// contract, a regulation in Russian. It needs nothing from outside the repository.
func TestDemoQuality(t *testing.T) {
	demo := filepath.Join(testenv.Root(), "workers", "demo")
	docs, err := Folder(filepath.Join(demo, "corpus"))
	if err != nil {
		t.Fatal(err)
	}
	qs, err := eval.ReadFile(filepath.Join(demo, "quality.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := Open(t.Context(), mem.New(0), docs, true, chunker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []floor{
		{"demo, words and rows", true, lex, [3]int{20, 25, 27}, 27, 4},
		{"demo, + routing, strict vocabulary", true, strict, [3]int{22, 29, 30}, 29, 4},
	} {
		f.held(t, run(t, f.name, qs, c.Finder(f.mode)))
	}
}
