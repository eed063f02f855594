package outline_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/outline"
	"github.com/fingerpost/fingerpost/pkg/testenv"
)

func TestZZ(t *testing.T) {
	src, _ := os.ReadFile(testenv.Shared(t, "bench", "docs", os.Getenv("DOC")+".md"))
	tree, err := outline.Build("", "", src, outline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(outline.Explain(tree))
}
