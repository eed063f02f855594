package route

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/facts"
)

// alike are owners that are taken for one another: banks of one name in several places, one first word in two trades, parents
// and what they own, one letter between two names, a name inside another, a name that is a thing, the same initials.
var alike = []facts.Facts{
	{Owner: "First Harrow Bank of Arden", Ticker: "FHBA"},
	{Owner: "First Harrow Bancorp, Inc.", Ticker: "FHBI"},
	{Owner: "First Harrow Bankshares Corporation", Ticker: "FHBK"},
	{Owner: "Harrow First Financial Corp.", Ticker: "HFFC"},
	{Owner: "Solstra Air Lines, Inc.", Ticker: "SAL"},
	{Owner: "Solstra Apparel, Inc.", Ticker: "SLAP"},
	{Owner: "Brannock Energy Corporation", Ticker: "BNK"},
	{Owner: "Brannock Energy Partners LP", Ticker: "BEP"},
	{Owner: "Brannock Energy Carolinas, LLC"},
	{Owner: "Vestrian Holdings plc", Ticker: "VSTH"},
	{Owner: "Vestrian Holdings (Ireland) Limited"},
	{Owner: "Quince Inc.", Ticker: "QNC", Common: []string{"quince"}},
	{Owner: "Marlow Corporation", Ticker: "MLW"},
	{Owner: "Harlow Corporation", Ticker: "HLW"},
	{Owner: "Barlow Group", Ticker: "BLW"},
	{Owner: "United Tide Industries, Inc.", Ticker: "UTI"},
	{Owner: "Union Tool Industries, Inc.", Ticker: "UTII"},
	{Owner: "American Slate Company", Ticker: "ASC"},
	{Owner: "American Slate Insurance Group", Ticker: "ASIG"},
	{Owner: "Pacific Gas Works", Ticker: "PGW"},
	{Owner: "Pacific Glass Works", Ticker: "PGLW"},
	{Owner: "Tessaly", Ticker: "TSY"},
	{Owner: "Thessaly Shipping S.A.", Ticker: "THSY"},
	{Owner: "General Orbit", Ticker: "GO", Common: []string{"general"}},
	{Owner: "General Orbital Systems", Ticker: "GOS", Common: []string{"general"}},
}

// stock is three documents of each of them.
func stock() (*Library, map[doc.Prefix]int) {
	l, of := NewLibrary(), map[doc.Prefix]int{}
	for i, c := range alike {
		for n, f := range []facts.Facts{
			{Family: "filing", Form: "10-K", Years: []int{2029}, PeriodEnd: "2029-12-31"},
			{Family: "filing", Form: "10-K", Years: []int{2030}, PeriodEnd: "2030-12-31"},
			{Family: "filing", Form: "10-Q", Years: []int{2030}, Quarter: 3, PeriodEnd: "2030-09-30"},
		} {
			f.Owner, f.Ticker, f.Common = c.Owner, c.Ticker, c.Common
			f.Registration = fmt.Sprintf("77-%07d", i+1)
			p := doc.Prefix{byte(i), byte(n)}
			l.Add(p, f)
			of[p] = i
		}
	}
	return l, of
}

// TestLookAlikesAreToldApart asks 200 questions whose owners are easily taken for another: at least 95 of 100 lead to the
// owner, and none to another one.
func TestLookAlikesAreToldApart(t *testing.T) {
	l, of := stock()
	rnd := rand.New(rand.NewSource(4711))
	asks := []string{"What was the net income of %s in FY2030?", "%s 10-Q third quarter 2030 total debt", "did %s pay a dividend in 2029", "How many people worked for %s?"}
	n, right, wrong := 0, 0, 0
	for n < 200 {
		i := rnd.Intn(len(alike))
		ways := spellings(alike[i], rnd)
		way := ways[rnd.Intn(len(ways))]
		q := fmt.Sprintf(asks[rnd.Intn(len(asks))], way)
		n++
		ok := false
		for _, ch := range l.Choose(q).Choices {
			for _, d := range ch.Docs {
				if of[d.Prefix] == i {
					ok = true
				} else {
					wrong++
					t.Errorf("%q, of %s, leads to %s: %s", q, alike[i].Owner, alike[of[d.Prefix]].Owner, ch.Reason)
					break
				}
			}
		}
		if ok {
			right++
		} else {
			t.Logf("no owner: %q, of %s", q, alike[i].Owner)
		}
	}
	t.Logf("%d of %d lead to their owner, %d to another", right, n, wrong)
	if 100*right < 95*n {
		t.Errorf("%d of %d right, want 95 of 100", right, n)
	}
}

// TestHalfANameIsNotGuessed: what several owners share leads to none of them, and is said.
func TestHalfANameIsNotGuessed(t *testing.T) {
	l, of := stock()
	for _, c := range []struct{ question, say string }{
		{"What was the net income of First Harrow in 2030?", "First Harrow Bank of Arden"},
		{"Solstra revenue 2030", "Solstra Air Lines"},
		{"total debt of Solstra", "Solstra Apparel"},
		{"How is a quince tree pruned in winter?", ""},
		{"how are general terms used?", ""},
		{"Which air lines fly to Arden?", ""},
		{"Is energy cheap in the carolinas?", ""},
		{"the first bank of the river", ""},
	} {
		got := l.Choose(c.question)
		for _, ch := range got.Choices {
			t.Errorf("%q leads to %s (%s)", c.question, alike[of[ch.Docs[0].Prefix]].Owner, ch.Reason)
		}
		if !strings.Contains(got.Note, c.say) {
			t.Errorf("%q: says %q, want %q", c.question, got.Note, c.say)
		}
	}
}
