package query

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
)

func record(i int, state doc.State) ledger.Record {
	key := fmt.Sprint(i, ".md")
	return ledger.Record{Tenant: "t", Bucket: "b", Key: key, DocID: doc.NewID("t", "b", key), Standing: ledger.Standing{State: state}}
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

// Trees are held by their nodes, not only by their number.
func TestTreesAreBoundedByNodes(t *testing.T) {
	loads := 0
	c := newTrees(100, 1000, func(context.Context, artefact.Ref) (*shape, error) {
		loads++
		return &shape{Tree: &doc.Tree{Nodes: make([]doc.Node, 300)}, windows: doc.Windows{0: make([]doc.Window, 99)}}, nil
	})
	get := func(i int) {
		t.Helper()
		if _, err := c.get(t.Context(), artefact.Ref{Doc: doc.ID(fmt.Sprint(i))}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 50 {
		get(i)
		if c.nodes > 1000 || c.order.Len() > 2 || len(c.byRef) != c.order.Len() {
			t.Fatalf("%d nodes of %d trees", c.nodes, c.order.Len())
		}
	}
	if get(49); loads != 50 {
		t.Errorf("%d loads", loads)
	}
	c.most = 10
	if get(50); c.order.Len() != 1 || c.nodes != 400 {
		t.Errorf("a large tree: %d nodes of %d trees", c.nodes, c.order.Len())
	}
}
