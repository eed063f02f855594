package outline_test

import (
	"os"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/outline"
	"github.com/fingerpost/fingerpost/pkg/testenv"
)

func TestBenchDocsHaveTrees(t *testing.T) {
	for _, name := range []string{"AMD", "AMEX", "Boeing", "PepsiCo", "CLIP", "Galore", "NemoBot", "VectorFusion", "VectorPainter"} {
		src, err := os.ReadFile(testenv.Shared(t, "bench", "docs", name+".md"))
		if err != nil {
			t.Fatal(err)
		}
		tree, err := outline.Build("", "", src, outline.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d nodes, confidence %.2f %s", name, len(tree.Nodes), tree.Confidence, tree.Why)
	}
}
