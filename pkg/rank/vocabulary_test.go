package rank

import (
	"slices"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/vector"
)

func TestVocabularySpeaksWhereNoRowDoes(t *testing.T) {
	p := Parts{
		Windows:      []vector.Hit{hit(1, 0, 6), hit(2, 0, 3)},
		Rows:         []vector.Hit{hit(1, 0, 1)},
		ExtraWindows: []vector.Hit{hit(2, 0, 6), hit(3, 0, 2)},
		ExtraRows:    []vector.Hit{hit(2, 1, 5), hit(2, 0, 5)},
		Titles:       [][]vector.Hit{{hit(2, 0, 3), hit(3, 0, 1)}, {hit(2, 0, 1)}, {hit(2, 0, 1)}},
		Idf:          10,
	}
	nodes := Rank(p, Standard())
	if !slices.Equal(order(nodes), []int{2, 1, 3}) {
		t.Fatalf("order %v", order(nodes))
	}
	y := nodes[0].Why
	near(t, "extra .5*(6+.5*(5+.8*5))", y.Extra, 5.25)
	near(t, "lex", y.Lex, 8.25)
	near(t, "two titles at most", y.Titles, .4)
	near(t, "base", y.Base, 1.4)
	if nodes[2].Why.Titles != 0 {
		t.Error("a third of a title's score is not the title")
	}
	p.ExtraWindows[0].Score = 100
	near(t, "never more than twice the question's best, 6.4", Rank(p, Standard())[0].Why.Extra, .5*2*6.4)
	p.Rows[0].Score = 5 // the row holds 1.75*5/10 of the question
	nodes = Rank(p, Standard())
	if nodes[0].Place.Node != 1 || nodes[0].Why.Extra != 0 || nodes[1].Why.Titles != 0 {
		t.Errorf("a row says it already: %+v", nodes[0])
	}
}

func TestOtherWordsWeighLess(t *testing.T) {
	p := Parts{
		Windows:     []vector.Hit{hit(1, 0, 6), hit(2, 0, 3)},
		SameWindows: []vector.Hit{hit(3, 0, 5), hit(2, 0, 4), hit(2, 1, 2)},
	}
	nodes := Rank(p, Standard())
	if !slices.Equal(order(nodes), []int{1, 2, 3}) {
		t.Fatalf("order %v", order(nodes))
	}
	near(t, "half of the best window's", nodes[1].Why.Same, 2)
	near(t, "found by them alone", nodes[2].Why.Lex, 2.5)
	p.SameWindows[0].Score = 60
	nodes = Rank(p, Standard())
	near(t, "never more than half of the question's own best, 6", nodes[1].Why.Same+nodes[2].Why.Same, 3+3*4./60)
	near(t, "nothing of the question's own", Rank(Parts{SameWindows: p.SameWindows}, Standard())[0].Why.Same, 30)
}

func TestMeaningCountsMoreWhereTheWordsStandNowhere(t *testing.T) {
	p := Parts{Windows: []vector.Hit{hit(1, 0, 3)}, Dense: []vector.Hit{hit(2, 0, .6), hit(1, 0, .5)}, WindowIdf: 10}
	for _, c := range []struct {
		what         string
		idf          float64
		extra        []vector.Hit
		words, dense float64
	}{
		{"a window says half of it", 6, nil, .65, .35},
		{"a third", 10, nil, .5, .5},
		{"hardly anything", 100, nil, .35, .65},
		{"the vocabulary knows where it stands", 100, []vector.Hit{hit(9, 0, .001)}, .65, .35},
		{"not counted", 0, nil, .65, .35},
	} {
		p.WindowIdf, p.ExtraWindows = c.idf, c.extra
		for _, n := range Rank(p, Standard()) {
			if n.Place.Node != 9 {
				near(t, c.what, n.Score, c.words*n.Why.Base+c.dense*n.Why.Dense)
			}
		}
	}
}
