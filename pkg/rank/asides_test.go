package rank

import (
	"slices"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

func TestMarkAsides(t *testing.T) {
	few := []string{"Sales", "Costs", "Profit"}
	chunks := slices.Concat(
		nodeChunks(1, "Report > Segment results", 0, few...),
		nodeChunks(2, "Report > Consolidated statements of income", 0, few...),
		nodeChunks(3, "Report > Segment results, continued", 0, few[:2]...),
		nodeChunks(4, "Report > Parent company > Balance sheet", 0, few...),
		nodeChunks(5, "Report > Inventories", 0, few...),
	)
	MarkStatements(chunks)
	want := map[int]doc.Flags{1: doc.FlagAside, 2: doc.FlagWhole, 4: doc.FlagAside}
	for _, c := range chunks {
		if c.Flags != want[c.Node] {
			t.Errorf("node %d, %s: flags %d, want %d", c.Node, c.Kind, c.Flags, want[c.Node])
		}
	}
	alone := nodeChunks(1, "Report > Segment results", 0, few...)
	MarkStatements(alone)
	if alone[0].Flags != 0 {
		t.Error("a table of a part is no look-alike where no whole is printed")
	}
}

func TestAsksAside(t *testing.T) {
	for q, want := range map[string]bool{
		"What was net income?": false, "What was the parent's net income?": true, "Income of the Pumps Segment?": true,
		"Which regions grew?": true, "Pro forma revenue?": true, "net income in Q3": true, "transparent figures": false,
		"Выручка сегмента?": true, "": false,
	} {
		if got := AsksAside(q); got != want {
			t.Errorf("%q: %v", q, got)
		}
	}
}

func TestTheWholeBeforeItsLookAlike(t *testing.T) {
	p := Parts{Windows: []vector.Hit{hit(1, 0, 10, doc.FlagAside), hit(2, 0, 9, doc.FlagWhole)},
		Rows: []vector.Hit{hit(1, 0, 4, doc.FlagAside), hit(2, 0, 4, doc.FlagWhole)}}
	if got := order(Rank(p, Standard())); !slices.Equal(got, []int{2, 1}) {
		t.Errorf("order %v: the row they share is meant of the whole", got)
	}
	p.Aside = true
	if got := order(Rank(p, Standard())); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("order %v: the part is asked for", got)
	}
	p.Aside, p.Rows[0].Score = false, 6
	if got := order(Rank(p, Standard())); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("order %v: the part's row says more of what is asked", got)
	}
}

func TestAsideRulesNameTheLine(t *testing.T) {
	for _, in := range []string{"title: (", "ask: x", "title: a\ntitle: b", "size: x"} {
		if _, err := parseAsides(in); err == nil || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%q: %v", in, err)
		}
	}
}
