package words

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/testenv"
)

func TestRealReports(t *testing.T) {
	dir := testenv.Shared(t, "bench", "docs")
	files, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no reports: %v", err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if l := Detect(string(b)); l != English {
			t.Errorf("%s is %q", filepath.Base(f), l)
		}
		began := time.Now()
		n := len(Analyze(string(b), English))
		t.Logf("%s: %d terms of %d bytes in %s", filepath.Base(f), n, len(b), time.Since(began))
	}
}
