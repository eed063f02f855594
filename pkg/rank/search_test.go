package rank

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
	"github.com/fingerpost/fingerpost/pkg/vector/mem"
)

const tenant doc.Tenant = "t"

// index holds two documents, 'd' and 'e', with one node each; d's has a vector and is note 7.
func index(t *testing.T) vector.Index {
	t.Helper()
	ix := mem.New(0)
	t.Cleanup(func() { ix.Close() })
	place := func(d byte) doc.EntryID {
		return doc.Place{Prefix: doc.Prefix{d}, Generation: 1, Node: 1}.ID()
	}
	for k, entries := range map[doc.Kind][]vector.Entry{
		doc.KindWindow: {{ID: place('d'), Terms: []string{"goodwill", "asset"}}, {ID: place('e'), Terms: []string{"goodwill", "lease", "lease"}}},
		doc.KindRow:    {{ID: place('e'), Terms: []string{"lease", "12"}}},
		doc.KindNode: {
			{ID: place('d'), Terms: []string{"goodwill", "=note:7"}, Crumb: []string{"note", "goodwill"}},
			{ID: place('e'), Terms: []string{"lease"}, Crumb: []string{"lease"}},
		},
		doc.KindChunk: {{ID: place('d'), Vector: []float32{1, 0}}},
	} {
		if err := ix.Put(t.Context(), 1, tenant, k, entries); err != nil {
			t.Fatal(err)
		}
	}
	return ix
}

func TestSearchAsksEveryList(t *testing.T) {
	ix := index(t)
	p, err := Search(t.Context(), ix, 1, tenant, Query{Terms: []string{"lease", "goodwill"}, Refs: []string{"note:7"}, Vector: []float32{1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Windows) != 2 || len(p.Rows) != 1 || len(p.Crumbs) != 2 || len(p.Dense) != 1 || len(p.Refs) != 4 || len(p.Refs[0].Hits) != 1 {
		t.Errorf("%+v", p)
	}
	one, err := Search(t.Context(), ix, 1, tenant, Query{Terms: []string{"lease", "goodwill"}, Docs: vector.Filter{{'e'}}})
	if err != nil || len(one.Windows) != 1 || len(one.Dense) != 0 {
		t.Errorf("one document: %+v, %v", one, err)
	}
	none, err := Search(t.Context(), ix, 1, tenant, Query{})
	if err != nil || len(Rank(none, Standard())) != 0 {
		t.Errorf("no words: %+v, %v", none, err)
	}
	other, err := Search(t.Context(), ix, 1, "other", Query{Terms: []string{"lease"}})
	if err != nil || len(other.Windows) != 0 {
		t.Errorf("another tenant: %+v, %v", other, err)
	}
}

func TestSearchStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ix := index(t)
	if _, err := Search(ctx, away{ix}, 1, tenant, Query{Terms: []string{"lease"}}); !errors.Is(err, vector.ErrAway) {
		t.Errorf("got %v", err)
	}
}

// away is an index whose rows do not answer.
type away struct{ vector.Index }

func (a away) Words(ctx context.Context, b vector.Build, t doc.Tenant, k doc.Kind, f vector.Field, terms []string, docs vector.Filter, limit int) ([]vector.Hit, error) {
	return nil, vector.ErrAway
}

func TestInterleave(t *testing.T) {
	ranking := func(lex float64, nodes ...int) (r []Node) {
		for _, n := range nodes {
			r = append(r, Node{Place: doc.Place{Node: n}, Why: Why{Lex: lex}})
		}
		return r
	}
	got := order(Interleave([][]Node{ranking(5, 1, 2, 3), nil, ranking(9, 11), ranking(7, 21, 22)}))
	if want := []int{11, 21, 1, 22, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if len(Interleave(nil)) != 0 {
		t.Error("nothing interleaves to something")
	}
}

func TestFindRanksEachNamedDocument(t *testing.T) {
	ix := index(t)
	q := Query{Terms: []string{"goodwill", "lease"}}
	for _, c := range []struct {
		routed []vector.Filter
		want   string
	}{
		{nil, "ed"},
		{[]vector.Filter{{{'d'}}}, "d"},
		{[]vector.Filter{{{'d'}, {'e'}}}, "ed"},
		{[]vector.Filter{{{'d'}}, {{'e'}}}, "ed"},
		{make([]vector.Filter, MaxRouted+1), ""},
	} {
		nodes, err := Find(t.Context(), ix, 1, tenant, q, c.routed, Standard())
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, n := range nodes {
			got += string(n.Place.Prefix[0])
		}
		if got != c.want {
			t.Errorf("%v: %q, want %q", c.routed, got, c.want)
		}
	}
	if _, err := Find(t.Context(), away{ix}, 1, tenant, q, nil, Standard()); !errors.Is(err, vector.ErrAway) {
		t.Errorf("got %v", err)
	}
}
