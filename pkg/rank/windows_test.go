package rank

import (
	"context"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// The windows of a document without headings are ranked among the nodes of others, each by its own hits.
func TestWindowsArePlacesOfTheirOwn(t *testing.T) {
	p := Parts{
		Windows: []vector.Hit{hit(0, 7, 10), hit(5, 0, 8), hit(0, 2, 6)},
		Rows:    []vector.Hit{hit(0, 25, 2)},
		Dense:   []vector.Hit{hit(0, 71, .9), hit(0, 99, .5), hit(6, 0, .4)},
	}
	asked := 0
	q := Query{Places: 4, Windows: func(_ context.Context, pl doc.Place) (*Located, error) {
		asked++
		if pl.Node != 0 {
			return nil, nil
		}
		return &Located{Apart: true, Of: func(k doc.Kind, o int) int {
			if k == doc.KindWindow {
				return o
			}
			return o / 10
		}}, nil
	}}
	w := Standard()
	whole := Rank(p, w)
	nodes, err := locate(t.Context(), q, p, w, Rank(p, w))
	if err != nil {
		t.Fatal(err)
	}
	var got [][2]int
	for i, n := range nodes {
		got = append(got, [2]int{n.Place.Node, n.Place.Ordinal})
		if n.Place.Node == 0 && (len(n.Windows) != 1 || n.Windows[0] != n.Place.Ordinal) {
			t.Errorf("windows %v of %v", n.Windows, n.Place)
		}
		if i > 0 && n.Score > nodes[i-1].Score {
			t.Errorf("%v: out of order", n.Place)
		}
	}
	want := [][2]int{{0, 7}, {5, 0}, {0, 2}, {0, 9}, {6, 0}}
	if len(got) != len(want) {
		t.Fatalf("%v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%v, want %v", got, want)
			break
		}
	}
	if nodes[0].Score > whole[0].Score || nodes[0].Why.Cosine < .89 || nodes[2].Why.Rows == 0 || asked != 2 {
		t.Errorf("best %v of %v, asked %d times", nodes[0].Score, whole[0].Score, asked)
	}
}
