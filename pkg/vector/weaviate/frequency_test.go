package weaviate

import (
	"fmt"
	"math"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

func TestScoresTellMeanAndHolders(t *testing.T) {
	const mean, total = 7.25, 190_000
	for _, n := range []int{1, 2, 70, 1_000, 95_000, 189_999} {
		idf := math.Log(1 + (total-float64(n)+.5)/(float64(n)+.5))
		hit := func(tf, length float64) made {
			m := made{tf: tf, length: length}
			m.score = float64(float32(idf * m.part(mean)))
			return m
		}
		got := meanBehind([]made{hit(3, 4), hit(11, 12)})
		if math.Abs(got-mean) > .01 {
			t.Errorf("%d holders: mean %v", n, got)
		}
		if h := hit(2, 9); math.Abs(float64(holders(h.score/h.part(got), total)-n)) > .001*float64(n) {
			t.Errorf("%d holders: %d", n, holders(h.score/h.part(got), total))
		}
	}
	if !math.IsNaN(meanBehind([]made{{1, 1, 1}})) {
		t.Error("one hit tells a mean")
	}
}

func TestSaid(t *testing.T) {
	const why = ", BM25F_10:30_propLength:31, BM25F_10:30_frequency:2"
	for _, c := range []struct {
		word, what string
		want       float64
	}{{"10:30", "frequency", 2}, {"10:30", "propLength", 31}, {"30", "frequency", 0}} {
		if got := said(why, c.word, c.what); got != c.want {
			t.Errorf("%s of %q: %v, want %v", c.what, c.word, got, c.want)
		}
	}
}

// Above exactUpTo entries the counts come from scores, below from counting; both are right.
func TestFrequenciesOfManyEntries(t *testing.T) {
	t.Parallel()
	x := open(t, fresh(t))
	words := []string{"each", "third", "hundredth", "once", "never"}
	for _, total := range []int{300, 3000} {
		var rows []vector.Entry
		for i := range total {
			e := vector.Entry{ID: place(byte(i%9), 1, i, 0), Terms: []string{"each", fmt.Sprint("w", i)}}
			if i%3 == 0 {
				e.Terms = append(e.Terms, "third", "third")
			}
			if i%100 == 0 {
				e.Terms = append(e.Terms, "hundredth")
			}
			if i == 7 {
				e.Terms = append(e.Terms, "once", "once", "once")
			}
			rows = append(rows, e)
		}
		b := vector.Build(1)
		if total > exactUpTo {
			b = 2
		}
		if err := x.Put(t.Context(), b, "acme", doc.KindRow, rows); err != nil {
			t.Fatal(err)
		}
		n, have, err := x.Frequencies(t.Context(), b, "acme", doc.KindRow, vector.Terms, words)
		if err != nil || have != total {
			t.Fatalf("%d entries, %v", have, err)
		}
		for i, want := range []int{total, (total + 2) / 3, total / 100, 1, 0} {
			if math.Abs(float64(n[i]-want)) > .002*float64(want) {
				t.Errorf("of %d entries %d hold %s, want %d", total, n[i], words[i], want)
			}
		}
	}
}
