package fault_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
)

var errCause = errors.New("cause")

func TestOf(t *testing.T) {
	for _, c := range []struct {
		name    string
		err     error
		verdict fault.Verdict
		class   doc.Class
	}{
		{"no verdict", errCause, fault.Retry, doc.Internal},
		{"nil", nil, fault.Retry, doc.Internal},
		{"skip", fault.Skipf(doc.Empty, "of %d bytes: %w", 0, errCause), fault.Skip, doc.Empty},
		{"fail, wrapped twice", fmt.Errorf("b: %w", fmt.Errorf("a: %w", fault.Failf(doc.Corrupt, "x: %w", errCause))), fault.Fail, doc.Corrupt},
		{"superseded", fault.Supersededf("gone: %w", errCause), fault.Superseded, ""},
		{"outage", fault.Outagef("away: %w", errCause), fault.Outage, ""},
		{"the outer one decides", fmt.Errorf("o: %w", fault.Failf(doc.TooLarge, "i: %w", fault.Skipf(doc.Empty, "s"))), fault.Fail, doc.TooLarge},
		{"joined", errors.Join(errCause, fault.Skipf(doc.Excluded, "s")), fault.Skip, doc.Excluded},
	} {
		if v, class := fault.Of(c.err); v != c.verdict || class != c.class {
			t.Errorf("%s: verdict %d, class %q", c.name, v, class)
		}
	}
	if err := fault.Failf(doc.Corrupt, "page 3: %w", errCause); !errors.Is(err, errCause) || err.Error() != "page 3: cause" {
		t.Errorf("the cause is lost: %v", err)
	}
}
