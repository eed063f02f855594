package vectortest

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// Vendor is how the suite gets an index.
type Vendor struct {
	// Open is a new, empty index. The suite closes it.
	Open func(t *testing.T) vector.Index
	// Reopen closes the index and opens what it left; nil for an index that leaves nothing.
	Reopen func(t *testing.T, ix vector.Index) vector.Index
	// Lags is of a server whose statistics of words (N, n, avg) lag behind what it holds: what Words finds is held against
	// the reference as ever, scores and order only against themselves.
	Lags bool
}

// Run holds a vendor against the contract.
func Run(t *testing.T, v Vendor) {
	for _, c := range []struct {
		name string
		test func(*testing.T, vector.Index)
	}{
		{"what is not there reads as empty", testEmpty},
		{"scores are BM25", v.testFormula},
		{"fields and kinds are apart", testFields},
		{"an id is overwritten", testOverwrite},
		{"a smaller update leaves no tail", testTail},
		{"every entry of a document is kept", testAll},
		{"a filter limits, no filter does not", testFilter},
		{"ties go by id", testTies},
		{"vectors that do not fit are refused", testVectors},
		{"any term is a term", v.testTerms},
		{"a dropped build is gone", testDrop},
		{"a cancelled call says so", testCancelled},
		{"Each ends with an error", testEach},
		{"many at once", v.testConcurrent},
	} {
		t.Run(c.name, func(t *testing.T) {
			ix := v.Open(t)
			defer close(t, ix)
			c.test(t, ix)
		})
	}
	for seed := range uint64(4) {
		t.Run("like the reference", func(t *testing.T) { testRandom(t, v, seed) })
	}
}

func close(t *testing.T, ix vector.Index) {
	if err := ix.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

var ctx = context.Background()

// id is an entry's id: document d, generation g, node, ordinal.
func id(d byte, g doc.Generation, node, ordinal int) doc.EntryID {
	return doc.Place{Prefix: prefix(d), Generation: g, Node: node, Ordinal: ordinal}.ID()
}

func prefix(d byte) doc.Prefix { return doc.Prefix{0xd0, d, 7} }

func words(i doc.EntryID, terms string) vector.Entry {
	return vector.Entry{ID: i, Terms: strings.Fields(terms)}
}

func put(t *testing.T, ix vector.Index, b vector.Build, tenant doc.Tenant, k doc.Kind, entries ...vector.Entry) {
	t.Helper()
	if err := ix.Put(ctx, b, tenant, k, entries); err != nil {
		t.Fatalf("put: %v", err)
	}
}

func find(t *testing.T, ix vector.Index, terms string) []doc.EntryID {
	t.Helper()
	return findIn(t, ix, 1, "acme", doc.KindWindow, vector.Terms, terms, nil)
}

func findIn(t *testing.T, ix vector.Index, b vector.Build, tenant doc.Tenant, k doc.Kind, f vector.Field, terms string, docs vector.Filter) []doc.EntryID {
	t.Helper()
	hits, err := ix.Words(ctx, b, tenant, k, f, strings.Fields(terms), docs, 100)
	if err != nil {
		t.Fatalf("words: %v", err)
	}
	return ids(hits)
}

func ids(hits []vector.Hit) []doc.EntryID {
	out := []doc.EntryID{}
	for _, h := range hits {
		out = append(out, h.ID)
	}
	return out
}

func same(t *testing.T, what string, got []doc.EntryID, want ...doc.EntryID) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func testEmpty(t *testing.T, ix vector.Index) {
	same(t, "words", find(t, ix, "tariff"))
	if hits, err := ix.Near(ctx, 1, "acme", []float32{1, 0}, nil, 5); err != nil || len(hits) != 0 {
		t.Errorf("near: %v, %v", hits, err)
	}
	if n, err := ix.Purge(ctx, 1, "acme", prefix(1), 0, doc.MaxGeneration); n != 0 || err != nil {
		t.Errorf("purge: %d, %v", n, err)
	}
	if n, err := ix.Count(ctx, 1, "acme", prefix(1), 1); len(n) != 0 || err != nil {
		t.Errorf("count: %v, %v", n, err)
	}
	if n, total, err := ix.Frequencies(ctx, 1, "acme", doc.KindRow, vector.Terms, []string{"x"}); !slices.Equal(n, []int{0}) || total != 0 || err != nil {
		t.Errorf("frequencies: %v, %d, %v", n, total, err)
	}
	if err := ix.DropBuild(ctx, 9); err != nil {
		t.Errorf("drop: %v", err)
	}
	put(t, ix, 1, "acme", doc.KindWindow)
}

func (v Vendor) testFormula(t *testing.T, ix vector.Index) {
	put(t, ix, 1, "acme", doc.KindWindow, words(id(1, 1, 1, 0), "tariff tariff base"), words(id(1, 1, 2, 0), "base"))
	// N 2, avg 2; tariff: n 1, idf ln(1 + 1.5/1.5); length 3.
	want := math.Ln2 * 2 / (2 + 1.2*(.25+.75*3./2))
	for _, docs := range []vector.Filter{nil, {prefix(1)}} {
		for given := 1; given <= 2; given++ {
			hits, err := ix.Words(ctx, 1, "acme", doc.KindWindow, vector.Terms, []string{"tariff", "tariff"}[:given], docs, 9)
			if err != nil || len(hits) != 1 || !v.scores(hits[0].Score, float32(want)*float32(given)) {
				t.Errorf("given %d times: %v, %v; want one hit of %v", given, hits, err, want*float64(given))
			}
		}
	}
}

func testFields(t *testing.T, ix vector.Index) {
	n := id(1, 1, 1, 0)
	put(t, ix, 1, "acme", doc.KindNode, vector.Entry{ID: n, Terms: []string{"title"}, Crumb: []string{"part", "title"}})
	put(t, ix, 1, "acme", doc.KindRow, words(n, "label"))
	same(t, "title", findIn(t, ix, 1, "acme", doc.KindNode, vector.Terms, "title", nil), n)
	same(t, "title by a crumb's word", findIn(t, ix, 1, "acme", doc.KindNode, vector.Terms, "part", nil))
	same(t, "crumb", findIn(t, ix, 1, "acme", doc.KindNode, vector.Crumb, "part", nil), n)
	same(t, "row", findIn(t, ix, 1, "acme", doc.KindRow, vector.Terms, "label title", nil), n)
	same(t, "crumb of a row", findIn(t, ix, 1, "acme", doc.KindRow, vector.Crumb, "label", nil))
	same(t, "window", find(t, ix, "label title"))
	same(t, "another tenant", findIn(t, ix, 1, "zeta", doc.KindRow, vector.Terms, "label", nil))
	same(t, "another build", findIn(t, ix, 2, "acme", doc.KindRow, vector.Terms, "label", nil))
}

func testOverwrite(t *testing.T, ix vector.Index) {
	a, b := id(1, 1, 1, 0), id(1, 1, 1, 1)
	put(t, ix, 1, "acme", doc.KindWindow, words(a, "old"), words(b, "other"))
	put(t, ix, 1, "acme", doc.KindWindow, words(a, "never"), words(a, "new"))
	same(t, "old", find(t, ix, "old never"))
	same(t, "new", find(t, ix, "new"), a)
	same(t, "other", find(t, ix, "other"), b)
	n, total, err := ix.Frequencies(ctx, 1, "acme", doc.KindWindow, vector.Terms, []string{"old", "new", "other"})
	if !slices.Equal(n, []int{0, 1, 1}) || total != 2 || err != nil {
		t.Errorf("frequencies %v of %d, %v", n, total, err)
	}
}

func testTail(t *testing.T, ix vector.Index) {
	for i := range 5 {
		put(t, ix, 1, "acme", doc.KindWindow, words(id(1, 1, 1, i), "tariff"))
		put(t, ix, 1, "acme", doc.KindChunk, vector.Entry{ID: id(1, 1, 1, i), Vector: []float32{1, 0}})
	}
	put(t, ix, 1, "acme", doc.KindWindow, words(id(2, 1, 1, 0), "tariff"))
	for i := range 3 {
		put(t, ix, 1, "acme", doc.KindWindow, words(id(1, 2, 1, i), "tariff"))
	}
	if n, err := ix.Purge(ctx, 1, "acme", prefix(1), 0, 1); n != 10 || err != nil {
		t.Errorf("purged %d, %v; want 10", n, err)
	}
	same(t, "after the purge", find(t, ix, "tariff"), id(1, 2, 1, 0), id(1, 2, 1, 1), id(1, 2, 1, 2), id(2, 1, 1, 0))
	counts(t, ix, 1, map[doc.Kind]int{})
	counts(t, ix, 2, map[doc.Kind]int{doc.KindWindow: 3})
	if hits, err := ix.Near(ctx, 1, "acme", []float32{1, 0}, nil, 9); len(hits) != 0 || err != nil {
		t.Errorf("near finds %v, %v", hits, err)
	}
}

// counts checks document 1.
func counts(t *testing.T, ix vector.Index, g doc.Generation, want map[doc.Kind]int) {
	t.Helper()
	got, err := ix.Count(ctx, 1, "acme", prefix(1), g)
	if err != nil {
		t.Errorf("count: %v", err)
	}
	for _, k := range doc.Kinds {
		if got[k] != want[k] {
			t.Errorf("generation %d has %d entries of kind %s, want %d", g, got[k], k, want[k])
		}
	}
}

func testAll(t *testing.T, ix vector.Index) {
	var want []doc.EntryID
	for i := range 40 {
		put(t, ix, 1, "acme", doc.KindWindow, words(id(1, 1, i/7, i%7), "tariff"))
		want = append(want, id(1, 1, i/7, i%7))
	}
	same(t, "entries put one by one", find(t, ix, "tariff"), want...)
	counts(t, ix, 1, map[doc.Kind]int{doc.KindWindow: 40})
}

func testFilter(t *testing.T, ix vector.Index) {
	for d := byte(1); d <= 4; d++ {
		put(t, ix, 1, "acme", doc.KindWindow, words(id(d, 1, 1, 0), "tariff"))
		put(t, ix, 1, "acme", doc.KindChunk, vector.Entry{ID: id(d, 1, 1, 0), Vector: []float32{1, 0}})
	}
	for _, c := range []struct {
		docs vector.Filter
		want []doc.EntryID
	}{
		{nil, []doc.EntryID{id(1, 1, 1, 0), id(2, 1, 1, 0), id(3, 1, 1, 0), id(4, 1, 1, 0)}},
		{vector.Filter{}, nil},
		{vector.Filter{prefix(3), prefix(1), prefix(99), prefix(3)}, []doc.EntryID{id(1, 1, 1, 0), id(3, 1, 1, 0)}},
	} {
		same(t, "words", findIn(t, ix, 1, "acme", doc.KindWindow, vector.Terms, "tariff", c.docs), c.want...)
		hits, err := ix.Near(ctx, 1, "acme", []float32{1, 0}, c.docs, 9)
		if err != nil {
			t.Errorf("near: %v", err)
		}
		same(t, "near", ids(hits), c.want...)
	}
}

func testTies(t *testing.T, ix vector.Index) {
	for _, d := range []byte{9, 2, 7, 4} {
		put(t, ix, 1, "acme", doc.KindWindow, words(id(d, 1, 1, 0), "tariff base"))
	}
	hits, err := ix.Words(ctx, 1, "acme", doc.KindWindow, vector.Terms, []string{"base", "tariff"}, nil, 3)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the first three", ids(hits), id(2, 1, 1, 0), id(4, 1, 1, 0), id(7, 1, 1, 0))
	if hits, _ := ix.Words(ctx, 1, "acme", doc.KindWindow, vector.Terms, []string{"base"}, nil, 0); len(hits) != 0 {
		t.Errorf("limit 0 gives %v", hits)
	}
}

func testVectors(t *testing.T, ix vector.Index) {
	e := func(v ...float32) vector.Entry { return vector.Entry{ID: id(1, 1, 1, len(v)), Vector: v} }
	put(t, ix, 1, "acme", doc.KindChunk, e(0, 1))
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, bad := range []vector.Entry{e(), e(1, 0, 0), e(nan, 0), e(inf, 0), e(0, 0), e(3, 4)} {
		if err := ix.Put(ctx, 1, "acme", doc.KindChunk, []vector.Entry{bad}); !errors.Is(err, vector.ErrVector) {
			t.Errorf("vector %v is taken: %v", bad.Vector, err)
		}
	}
	if err := ix.Put(ctx, 1, "zeta", doc.KindChunk, []vector.Entry{e(1, 0, 0)}); !errors.Is(err, vector.ErrVector) {
		t.Errorf("another tenant puts three dimensions in a build of two: %v", err)
	}
	put(t, ix, 2, "acme", doc.KindChunk, e(1, 0, 0))
	if _, err := ix.Near(ctx, 1, "acme", []float32{1, 0, 0}, nil, 5); !errors.Is(err, vector.ErrVector) {
		t.Errorf("a question of three dimensions in a build of two: %v", err)
	}
	hits, err := ix.Near(ctx, 1, "acme", []float32{.6, .8}, nil, 5)
	if err != nil || len(hits) != 1 || !near(hits[0].Score, .8) {
		t.Errorf("near: %v, %v; want one hit of .8", hits, err)
	}
}

func (v Vendor) testTerms(t *testing.T, ix vector.Index) {
	hostile := []string{"a b", "прибыль", "東京", "3.2(b)", "/healthz", "'; drop table x; --", "\x00", "%_*?\"\\", strings.Repeat("x", 5000), "\xff\xfe"}
	for i, h := range hostile {
		put(t, ix, 1, "acme", doc.KindWindow, vector.Entry{ID: id(1, 1, 1, i), Terms: []string{h, "all"}})
	}
	put(t, ix, 1, "acme", doc.KindWindow, vector.Entry{ID: id(1, 1, 2, 0)}, vector.Entry{ID: id(1, 1, 2, 1), Terms: slices.Repeat([]string{"often"}, 700)})
	for i, h := range hostile {
		hits, err := ix.Words(ctx, 1, "acme", doc.KindWindow, vector.Terms, []string{h}, nil, 9)
		if err != nil || len(hits) != 1 || hits[0].ID != id(1, 1, 1, i) {
			t.Errorf("term %.20q: %v, %v", h, hits, err)
		}
	}
	hits, err := ix.Words(ctx, 1, "acme", doc.KindWindow, vector.Terms, []string{"often"}, nil, 9)
	avg := float64(2*len(hostile)+700) / float64(len(hostile)+2)
	want := math.Log(1+(float64(len(hostile)+2)-.5)/1.5) * 700 / (700 + 1.2*(.25+.75*700/avg))
	if err != nil || len(hits) != 1 || !v.scores(hits[0].Score, float32(want)) {
		t.Errorf("700 times in one entry: %v, %v; want %v", hits, err, want)
	}
}

func testDrop(t *testing.T, ix vector.Index) {
	a := id(1, 1, 1, 0)
	for b := vector.Build(1); b <= 2; b++ {
		put(t, ix, b, "acme", doc.KindWindow, words(a, "tariff"))
		put(t, ix, b, "acme", doc.KindChunk, vector.Entry{ID: a, Vector: []float32{1, 0}})
	}
	for range 2 {
		if err := ix.DropBuild(ctx, 1); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "dropped", find(t, ix, "tariff"))
	counts(t, ix, 1, nil)
	same(t, "the other", findIn(t, ix, 2, "acme", doc.KindWindow, vector.Terms, "tariff", nil), a)
	put(t, ix, 1, "acme", doc.KindChunk, vector.Entry{ID: a, Vector: []float32{0, 0, 1}})
	put(t, ix, 1, "acme", doc.KindWindow, words(a, "again"))
	same(t, "filled anew", find(t, ix, "tariff again"), a)
}

func testCancelled(t *testing.T, ix vector.Index) {
	put(t, ix, 1, "acme", doc.KindWindow, words(id(1, 1, 1, 0), "tariff"))
	over, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := ix.Words(over, 1, "acme", doc.KindWindow, vector.Terms, []string{"tariff"}, nil, 9); err == nil {
		t.Error("words: no error")
	}
	if err := ix.Put(over, 1, "acme", doc.KindWindow, []vector.Entry{words(id(1, 1, 1, 1), "tariff")}); err == nil {
		t.Error("put: no error")
	}
	if _, err := ix.Count(over, 1, "acme", prefix(1), 1); err == nil {
		t.Error("count: no error")
	}
}

func testEach(t *testing.T, ix vector.Index) {
	put(t, ix, 1, "acme", doc.KindRow, words(id(1, 1, 1, 0), "a"), words(id(2, 1, 1, 0), "b"))
	enough, calls := errors.New("enough"), 0
	err := ix.Each(ctx, 1, "acme", doc.KindRow, func(doc.EntryID) error { calls++; return enough })
	if !errors.Is(err, enough) || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
}
