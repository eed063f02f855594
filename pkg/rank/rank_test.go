package rank

import (
	"math"
	"slices"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// hit is an entry of node n in document 'd'.
func hit(n, ordinal int, score float32, flags ...doc.Flags) vector.Hit {
	p := doc.Place{Prefix: doc.Prefix{'d'}, Generation: 1, Node: n, Ordinal: ordinal}
	for _, f := range flags {
		p.Flags |= f
	}
	return vector.Hit{ID: p.ID(), Score: score}
}

func order(nodes []Node) (ns []int) {
	for _, n := range nodes {
		ns = append(ns, n.Place.Node)
	}
	return ns
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-6 {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestRankMixesTheParts(t *testing.T) {
	p := Parts{
		Windows: []vector.Hit{hit(1, 3, 8), hit(1, 0, 6), hit(2, 0, 5)},
		Rows:    []vector.Hit{hit(2, 9, 4), hit(2, 1, 4), hit(2, 2, 4), hit(2, 3, 4)},
		Crumbs:  []vector.Hit{hit(2, 0, 5), hit(3, 0, 1)},
		Dense:   []vector.Hit{hit(3, 0, .75), hit(2, 1, .5), hit(2, 0, .25)},
	}
	nodes := Rank(p, Standard())
	if !slices.Equal(order(nodes), []int{2, 1, 3}) {
		t.Fatalf("order %v: %+v", order(nodes), nodes)
	}
	two := nodes[0].Why
	near(t, "rows 4*(1+.5+.25)", two.Rows, 7)
	near(t, "lex 5+.4*7+.45*5", two.Lex, 10.05)
	near(t, "base", two.Base, 1)
	near(t, "dense (.5-.25)/(.75-.25)", two.Dense, .5)
	near(t, "score .65+.35*.5", nodes[0].Score, .825)
	one := nodes[1]
	near(t, "lex is the best window", one.Why.Lex, 8)
	if !slices.Equal(one.Windows, []int{3, 0}) {
		t.Errorf("windows %v", one.Windows)
	}
	near(t, "breadcrumb and vector alone", nodes[2].Score, .65*.45/10.05+.35)
}

func TestStructureNoiseAndShortHeadings(t *testing.T) {
	ref := func(way byte, hits ...vector.Hit) RefHits { return RefHits{Ref: "note:7", Way: way, Hits: hits} }
	p := Parts{
		Windows: []vector.Hit{hit(1, 0, 10), hit(2, 0, 9.9, doc.FlagNoise), hit(3, 0, 9), hit(4, 0, 9.5, doc.FlagShort)},
		Refs: []RefHits{
			ref('=', hit(5, 0, 1, doc.FlagShort)), ref('+', hit(6, 0, 1)),
			ref('^', hit(7, 0, 1)), {Ref: "item:8", Way: '~', Hits: []vector.Hit{hit(6, 0, 1), hit(8, 0, 1)}},
			ref('~', hit(9, 0, 1)), // below the bare heading 5
		},
	}
	nodes := Rank(p, Standard())
	if want := []int{6, 5, 9, 7, 8, 1, 3, 2, 4}; !slices.Equal(order(nodes), want) {
		t.Fatalf("order %v, want %v", order(nodes), want)
	}
	if nodes[0].Why.Ref != "+note:7" || nodes[4].Why.Ref != "~item:8" {
		t.Errorf("refs %q %q", nodes[0].Why.Ref, nodes[3].Why.Ref)
	}
	near(t, "an exact title is never short: 2*1 + the document's best", nodes[1].Score, 3)
}

func TestRankOfLittle(t *testing.T) {
	if got := Rank(Parts{}, Standard()); len(got) != 0 {
		t.Errorf("nothing: %v", got)
	}
	nodes := Rank(Parts{Dense: []vector.Hit{hit(1, 0, .3)}}, Standard())
	near(t, "a single chunk", nodes[0].Score, .35)
	same := Rank(Parts{Windows: []vector.Hit{hit(9, 0, 1), hit(4, 0, 1)}}, Standard())
	if !slices.Equal(order(same), []int{4, 9}) {
		t.Errorf("ties by place: %v", order(same))
	}
}

func TestNamedWords(t *testing.T) {
	analyse := func(s string) []string { return []string{s} }
	for _, c := range []struct {
		c            doc.Chunk
		terms, crumb []string
	}{
		{doc.Chunk{Kind: doc.KindWindow, Crumb: "A > B", Text: "x"}, []string{"AMD\nA > B\nx"}, nil},
		{doc.Chunk{Kind: doc.KindRow, Text: "x"}, []string{"AMD\nx"}, nil},
		{doc.Chunk{Kind: doc.KindNode, Crumb: "A > B", Text: "B", Refs: []string{"=note:7"}}, []string{"B", "=note:7"}, []string{"A > B"}},
		{doc.Chunk{Kind: doc.KindChunk, Crumb: "A", Text: "x"}, nil, nil},
	} {
		terms, crumb := NamedWords(NameOf("10k/AMD.md"), c.c, analyse)
		if !slices.Equal(terms, c.terms) || !slices.Equal(crumb, c.crumb) {
			t.Errorf("%+v: %q %q", c.c, terms, crumb)
		}
	}
}

func TestNameOf(t *testing.T) {
	for key, want := range map[string]string{
		"AMD.md": "AMD", "10k/AMD 2022.v2.md": "AMD 2022.v2", "a.zip!/b/c.txt": "c", "": "", "/": "", ".md": "", "docs/": "docs",
	} {
		if got := NameOf(key); got != want {
			t.Errorf("%q: %q, want %q", key, got, want)
		}
	}
}
