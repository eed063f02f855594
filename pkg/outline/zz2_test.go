package outline_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/outline"
)

func TestYY(t *testing.T) {
	src, _ := os.ReadFile(os.Getenv("DOC"))
	fmt.Println(outline.Explain(build(t, src, outline.Options{})))
}
