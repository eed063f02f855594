package rank

import (
	"slices"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

var balanceRows = []string{"Cash", "Total current assets", "Goodwill", "Total assets", "Accounts payable", "Total current liabilities", "Liabilities > Total liabilities", "Common stock", "Total stockholders' equity"}

// nodeChunks are a node with rows.
func nodeChunks(n int, crumb string, flags doc.Flags, labels ...string) []doc.Chunk {
	title := crumb[strings.LastIndex(crumb, "> ")+1:]
	cs := []doc.Chunk{{Kind: doc.KindNode, Node: n, Crumb: crumb, Text: strings.TrimSpace(title), Flags: flags}}
	for i, l := range labels {
		cs = append(cs, doc.Chunk{Kind: doc.KindRow, Node: n, Ordinal: i, Text: l + "\n" + l + "\n\n2022\n7"})
	}
	return cs
}

func TestMarkStatements(t *testing.T) {
	chunks := slices.Concat(
		nodeChunks(1, "Item 7 > Balance Sheet", 0),
		nodeChunks(2, "Item 15 > Schedule I > Parent company balance sheets", doc.FlagNoise, balanceRows...),
		nodeChunks(3, "Item 8. Financial Statements > Notes to statements > Note 4 - Acquisitions", 0, balanceRows...),
		nodeChunks(4, "Item 8. Financial Statements > Consolidated Balance Sheets > At December 31", 0, balanceRows...),
		nodeChunks(5, "Item 8. Financial Statements > Off-balance sheet items", 0, balanceRows[:4]...),
		nodeChunks(6, "Item 8. Financial Statements > Note 9 - Segments", 0, "North", "South", "Total"),
		nodeChunks(7, "Item 7 > Sales by region", 0, "North", "South", "Total"),
	)
	chunks[0].Refs = []string{"=item:7"}
	MarkStatements(chunks)
	got := map[int][]string{}
	for _, c := range chunks {
		if len(c.Refs) > 0 {
			got[c.Node] = c.Refs
		}
	}
	want := map[int]string{1: "=item:7", 4: "=statement:balance", 6: "=statement:breakdown", 7: "=statement:breakdown"}
	if len(got) != len(want) {
		t.Errorf("marked %v", got)
	}
	for n, ref := range want {
		if !slices.Equal(got[n], []string{ref}) {
			t.Errorf("node %d: %v, want %s", n, got[n], ref)
		}
	}
	MarkStatements(nil)
}

func TestOnePlaceForEachStatement(t *testing.T) {
	p := Parts{
		Windows: []vector.Hit{hit(1, 0, 10), hit(2, 0, 7), hit(3, 0, 6), hit(4, 0, 5)},
		Statements: []WantedHits{
			{Wanted{"balance", .6}, []vector.Hit{hit(3, 0, 1), hit(2, 0, 1)}},
			{Wanted{"cash", .6}, []vector.Hit{hit(9, 0, 1)}},
			{Wanted{Breakdown, .25}, []vector.Hit{hit(4, 0, 1), hit(2, 0, 1)}},
		},
		Prior: map[doc.Prefix]float64{{'d'}: .5},
	}
	nodes := Rank(p, Standard())
	if want := []int{2, 1, 9, 4, 3}; !slices.Equal(order(nodes), want) {
		t.Fatalf("order %v, want %v", order(nodes), want)
	}
	near(t, "the best of its kind, its document's prior", nodes[0].Score, .65*.7+.6+.5)
	near(t, "the other of the kind is not lifted", nodes[4].Score, .65*.6+.5)
	near(t, "lifted without words", nodes[2].Score, 1.1)
	if nodes[3].Why.Statement != .25 {
		t.Errorf("breakdown: %+v", nodes[3].Why)
	}
}

func TestStatementRulesNameTheLine(t *testing.T) {
	for _, in := range []string{"title: x", "[a]\ntitle: (", "[a]\nsize: x"} {
		if _, err := parseStatements(in); err == nil || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%q: %v", in, err)
		}
	}
}
