package workers_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/testenv"
)

// Nothing of a document leaves the machine, and nothing is needed from outside: in a network namespace with loopback only
// the system, a worker of its own that joins it, and the demo do what they do elsewhere.
func TestAirGapped(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tests := []string{"TestADocumentLivesAndDies", "TestAWorkerOfItsOwnJoins"}
	out := testenv.Alone(t, exe, "-test.v", "-test.run=^("+strings.Join(tests, "|")+")$")
	for _, name := range tests {
		if !strings.Contains(out, "--- PASS: "+name+" ") {
			t.Errorf("%s has not passed:\n%s", name, tail(out, 3000))
		}
	}
	testenv.Slow(t, "builds the program")
	binary := filepath.Join(t.TempDir(), "fingerpost")
	if out, err := exec.Command("go", "build", "-o", binary, "./fingerpost").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out := testenv.Alone(t, binary, "demo"); !strings.Contains(out, "5 documents are found by words") || !strings.Contains(out, "Question 5.") {
		t.Errorf("the demo says %s", tail(out, 3000))
	}
}
