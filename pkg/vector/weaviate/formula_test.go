package weaviate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/vector/vectortest"
)

// On entries that were only inserted, and are on disk, lists are the port's formula with the reserved entries counted in.
// (Of words still in memory the server's search gives the first written that fill the limit, not the best.)
func TestScoresAreTheFormulaWithTheReservedEntries(t *testing.T) {
	t.Parallel()
	var same, all int
	x, ref, r := open(t, fresh(t)), vectortest.NewReference(), rand.New(rand.NewPCG(1, 2))
	for _, k := range []doc.Kind{doc.KindNode, doc.KindWindow, doc.KindRow} {
		var entries []vector.Entry
		for i := range 200 {
			e := vector.Entry{ID: place(byte(i%5), 1, i, 0), Terms: words(r, 1+r.IntN(60))}
			if k == doc.KindNode {
				e.Crumb = words(r, 1+r.IntN(9))
			}
			entries = append(entries, e)
		}
		flushing(t, tenantClass{x.className(1, k), "acme"}, func() { put(t, x, k, entries...) })
		put(t, ref, k, entries...)
		put(t, ref, k, reservedEntries(k)...)
		for _, f := range searchable(k) {
			for range 20 {
				n, m := sameScores(t, x, ref, k, f, words(r, 1+r.IntN(5)))
				same, all = same+n, all+m
			}
		}
	}
	if t.Logf("%d of %d hits belong among the first twenty", same, all); float64(same) < .95*float64(all) {
		t.Errorf("only %d of %d hits belong among the first twenty", same, all)
	}
}

func words(r *rand.Rand, n int) (out []string) {
	for range n {
		out = append(out, vectortest.Word(r, 80))
	}
	return out
}

// reservedEntries are the reserved entries as the port has entries.
func reservedEntries(k doc.Kind) (out []vector.Entry) {
	objects, _ := reserve(k)
	for _, o := range objects {
		out = append(out, vector.Entry{ID: o.id, Terms: strings.Fields(o.words["terms"]), Crumb: strings.Fields(o.words["crumb"])})
	}
	return out
}

// sameScores holds every hit's score against the formula, and gives how many of the server's first twenty belong there.
func sameScores(t *testing.T, x, ref vector.Index, k doc.Kind, f vector.Field, terms []string) (same, all int) {
	t.Helper()
	for _, docs := range []vector.Filter{nil, {prefix(1), prefix(3)}} {
		got, err := x.Words(t.Context(), 1, "acme", k, f, terms, docs, 20)
		if err != nil {
			t.Fatal(err)
		}
		want, err := ref.Words(t.Context(), 1, "acme", k, f, terms, docs, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != min(20, len(want)) {
			t.Fatalf("%s %s %q: %d hits of %d", k, f, terms, len(got), len(want))
		}
		right := map[doc.EntryID]float32{}
		for _, h := range want {
			right[h.ID] = h.Score
		}
		for i, h := range got {
			if !alike(h.Score, right[h.ID]) {
				t.Fatalf("%s %s %q: hit %d has %v, want %v", k, f, terms, i, h, right[h.ID])
			}
			if last := want[len(got)-1].Score; h.Score >= last || alike(h.Score, last) {
				same++
			}
			all++
		}
	}
	return same, all
}

func alike(a, b float32) bool { return math.Abs(float64(a-b)) <= 1e-4*math.Max(1, float64(b)) }

// No text of a question is anything but words to the server, whichever way it travels.
func TestNoTermIsACommand(t *testing.T) {
	terms := []string{
		`"}){_additional{id}} Other(limit:9`, `\"}`, `\`, `"`, `""`, `{`, `}`, `$x`, `#comment`, "`", `\u0022`, `\x00`, "\n", "terms^9", "*", "a OR b",
		`"]},where:{path:["doc"]`, strings.Repeat(`\"`, 100), "\U000e0001", "\u202e", "%s%d%!", "[]", "null",
	}
	for name, conf := range map[string]func(testing.TB) Config{"gRPC": fresh, "REST": byREST} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := open(t, conf(t))
			var entries []vector.Entry
			for i, s := range terms {
				entries = append(entries, vector.Entry{ID: place(1, 1, i, 0), Terms: []string{s, fmt.Sprintf("word%d", i)}})
			}
			put(t, x, doc.KindRow, entries...)
			for i, s := range terms {
				hits, err := x.Words(t.Context(), 1, "acme", doc.KindRow, vector.Terms, []string{s}, nil, 99)
				if err != nil || len(hits) != 1 || hits[0].ID != place(1, 1, i, 0) {
					t.Errorf("%q: %v, %v", s, hits, err)
				}
				n, total, err := x.Frequencies(t.Context(), 1, "acme", doc.KindRow, vector.Terms, []string{s, "nobody", s})
				if err != nil || !slices.Equal(n, []int{1, 0, 1}) || total != len(terms) {
					t.Errorf("frequencies of %q: %v of %d, %v", s, n, total, err)
				}
			}
			for _, tenant := range []doc.Tenant{`acme", limit: 9`, `acme"`, "", "ACME", "a b"} {
				if hits, err := x.Words(t.Context(), 1, tenant, doc.KindRow, vector.Terms, []string{"word1"}, nil, 9); len(hits) > 0 || err != nil {
					t.Errorf("tenant %q: %v, %v", tenant, hits, err)
				}
				if err := x.Put(t.Context(), 1, tenant, doc.KindRow, entries); err == nil {
					t.Errorf("tenant %q is written to", tenant)
				}
			}
		})
	}
}
