package query

import (
	"fmt"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
)

func record(i int, state doc.State) ledger.Record {
	key := fmt.Sprint(i, ".md")
	return ledger.Record{Tenant: "t", Bucket: "b", Key: key, DocID: doc.NewID("t", "b", key), State: state}
}

// A thousand keys are looked up in a table of a hundred thousand documents without going through it.
func TestKeysAreLookedUpNotSought(t *testing.T) {
	tb := newTable()
	for i := range 100_000 {
		tb.set(record(i, doc.Indexed))
	}
	var keys []string
	for i := range 1000 {
		keys = append(keys, fmt.Sprint(i*7, ".md"))
	}
	from := time.Now()
	f, err := tb.filter("t", keys)
	if took := time.Since(from); err != nil || len(f) != 1000 || took > 100*time.Millisecond {
		t.Errorf("%d documents in %v, %v", len(f), took, err)
	}
	tb.set(record(7, doc.Deleted))
	if _, err := tb.filter("t", keys); err == nil {
		t.Error("a deleted key is found")
	}
	tb.set(record(7, doc.Indexed))
	if f, err := tb.filter("t", keys); err != nil || len(f) != 1000 {
		t.Errorf("after its return: %d, %v", len(f), err)
	}
}
