package notice

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/testenv"
)

// TestKnownFailuresHaveTheirTests holds the list of known.go to the tests there are.
func TestKnownFailuresHaveTheirTests(t *testing.T) {
	list, err := os.ReadFile("known.go")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, name := range regexp.MustCompile(`\bTest[A-Z]\w+`).FindAllString(string(list), -1) {
		named[name] = name == "TestKnown" // the prefix itself
	}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err = filepath.WalkDir(testenv.Root(), func(file string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, "_test.go") {
			return err
		}
		b, err := os.ReadFile(file)
		for _, m := range declared.FindAllSubmatch(b, -1) {
			if _, ok := named[string(m[1])]; ok {
				named[string(m[1])] = true
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, there := range named {
		if !there {
			t.Errorf("%s is named and does not exist", name)
		}
	}
	if len(named) < 15 {
		t.Errorf("%d tests are named", len(named))
	}
}
