package admin_test

import (
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/workers/admin"
	"github.com/fingerpost/fingerpost/workers/reconcile"
)

// The gaps of all passes are summed by class; what is held is that of the last one.
func TestKnown2GapsAreCounted(t *testing.T) {
	var w admin.Walks
	at := time.Unix(100, 0).UTC()
	w.Add(reconcile.Gaps{Walked: 9, Missing: 1, Changed: 2, Gone: 3, Pending: 4, Unpurged: 5, Held: 6}, at)
	w.Add(reconcile.Gaps{Walked: 9, Missing: 10, Changed: 20, Gone: 30, Pending: 40, Unpurged: 50}, at)
	if want := (admin.Walks{Passes: 2, Last: at, Missing: 11, Changed: 22, Gone: 33, Pending: 44, Unpurged: 55}); w != want {
		t.Errorf("%+v, want %+v", w, want)
	}
}
