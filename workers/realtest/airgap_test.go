package realtest

import (
	"os"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/testenv"
)

// Nothing of a document leaves the machine with real servers either: in a network namespace with loopback only the same
// servers and a process a role give the same answers, the model's among them.
func TestRealServersAirGapped(t *testing.T) {
	testenv.Slow(t, "the system on real servers")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out := testenv.Alone(t, exe, "-test.v", "-test.run=^TestRealServers$/^the_same_answers$")
	if !strings.Contains(out, "--- PASS: TestRealServers/the_same_answers ") {
		t.Errorf("it has not passed:\n%s", out)
	}
}
