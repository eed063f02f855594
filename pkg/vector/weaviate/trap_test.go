package weaviate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// eventually waits for a fact.
func eventually(t *testing.T, what string, fact func() bool) {
	t.Helper()
	late, look := time.After(2*time.Minute), time.NewTicker(100*time.Millisecond)
	defer look.Stop()
	for !fact() {
		select {
		case <-late:
			t.Fatalf("%s: not within two minutes", what)
		case <-look.C:
		}
	}
}

// segments are the files that hold words on disk, and whether more than a reused log (4 kB) waits to join them.
func segments(t testing.TB, at tenantClass) (names string, waits bool) {
	return segmentsIn(t, server(t).Dir, at)
}

// segmentsIn are those of a server with its data in dir.
func segmentsIn(t testing.TB, dir string, at tenantClass) (names string, waits bool) {
	lsm := filepath.Join(dir, strings.ToLower(at.class), string(at.tenant), "lsm")
	files, err := filepath.Glob(filepath.Join(lsm, "property_*_searchable", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil || strings.HasSuffix(f, ".wal") && info.Size() > 4096 {
			waits = true
		}
		if strings.HasSuffix(f, ".db") {
			names += f + " "
		}
	}
	return names, waits
}

// flushing does f and waits until the server has written what it did to disk.
func flushing(t *testing.T, at tenantClass, f func()) {
	t.Helper()
	before, _ := segments(t, at)
	f()
	eventually(t, "flush of "+at.class, func() bool {
		now, waits := segments(t, at)
		return now != before && now != "" && !waits
	})
}

func place(d byte, g doc.Generation, node, ordinal int) doc.EntryID {
	return doc.Place{Prefix: prefix(d), Generation: g, Node: node, Ordinal: ordinal}.ID()
}

func prefix(d byte) doc.Prefix { return doc.Prefix{0xd0, d, 7} }

func put(t *testing.T, x vector.Index, k doc.Kind, entries ...vector.Entry) {
	t.Helper()
	if err := x.Put(t.Context(), 1, "acme", k, entries); err != nil {
		t.Fatal(err)
	}
}

// lengthsMatter puts a long and a short window that share a word, beside forty windows of another document, and
// waits until they are on disk.
func lengthsMatter(t *testing.T, x *Index) tenantClass {
	at := tenantClass{x.className(1, doc.KindWindow), "acme"}
	long := append(strings.Fields("tariff"), strings.Fields(strings.Repeat("filler ", 900))...)
	entries := []vector.Entry{{ID: place(2, 1, 1, 0), Terms: strings.Fields("tariff base")}, {ID: place(2, 1, 2, 0), Terms: long}}
	for i := range 40 {
		e := vector.Entry{ID: place(1, 1, i, 0)}
		for n := range 300 {
			e.Terms = append(e.Terms, fmt.Sprintf("word%d", i*7+n))
		}
		entries = append(entries, e)
	}
	flushing(t, at, func() { put(t, x, doc.KindWindow, entries...) })
	return at
}

// ratio is how much higher the short window scores than the long one.
func ratio(t *testing.T, x *Index) float64 {
	t.Helper()
	hits, err := x.Words(t.Context(), 1, "acme", doc.KindWindow, vector.Terms, []string{"tariff"}, nil, 9)
	if err != nil || len(hits) != 2 || hits[0].ID != place(2, 1, 1, 0) {
		t.Fatalf("tariff: %v, %v", hits, err)
	}
	return float64(hits[0].Score / hits[1].Score)
}

func TestADeletionKeepsTheLengths(t *testing.T) {
	t.Parallel()
	x := open(t, fresh(t))
	at := lengthsMatter(t, x)
	before := ratio(t, x)
	flushing(t, at, func() {
		if n, err := x.Purge(t.Context(), 1, "acme", prefix(1), 0, 1); n != 40 || err != nil {
			t.Fatalf("purged %d, %v", n, err)
		}
	})
	if after := ratio(t, x); after < before*.8 || after > before*1.25 || before < 1.5 {
		t.Errorf("the short window scores %.2f times the long one after the deletion, %.2f before", after, before)
	}
	if d, err := x.Damaged(t.Context(), 1, "acme"); len(d) > 0 || err != nil {
		t.Errorf("damaged: %v, %v", d, err)
	}
}

// The fault itself. When this fails, the server was mended, and the reserved entries may go.
func TestAnUnguardedDeletionIsSeen(t *testing.T) {
	t.Parallel()
	x := open(t, fresh(t))
	at := lengthsMatter(t, x)
	var ids []doc.EntryID
	for i := range 40 {
		ids = append(ids, place(1, 1, i, 0))
	}
	flushing(t, at, func() {
		if n, err := x.wire.remove(t.Context(), at, ids); n != 40 || err != nil {
			t.Fatalf("removed %d, %v", n, err)
		}
	})
	if r := ratio(t, x); r > 1.0001 {
		t.Errorf("the short window scores %.4f times the long one: lengths still count", r)
	}
	d, err := x.Damaged(t.Context(), 1, "acme")
	if err != nil || len(d) != 1 || d[0].Kind != doc.KindWindow || d[0].Field != vector.Terms {
		t.Errorf("damaged: %v, %v", d, err)
	}
}
