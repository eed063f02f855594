package route

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/facts"
)

// companies are invented, with the traps of real ones: ordinary words, a shared first word, initials, "&", a number, a
// domain, one word, a short ticker.
var companies = []facts.Facts{
	{Owner: "Larkmoor Instruments, Inc.", Registration: "00-0000001", Ticker: "LKMR", Common: []string{"instruments"}, Near: []string{"instrument"}},
	{Owner: "GOOD DEAL CO., INC.", Registration: "00-0000002", Ticker: "GDDL", Common: []string{"good", "deal"}},
	{Owner: "Harbor Corporation", Registration: "00-0000003", Ticker: "HBR", Common: []string{"harbor"}, Near: []string{"harbors"}},
	{Owner: "Northern Rail plc", Registration: "00-0000004", Ticker: "NRL", Common: []string{"northern", "rail"}},
	{Owner: "Northern Foods Company", Registration: "00-0000005", Ticker: "NFC", Common: []string{"northern", "foods"}},
	{Owner: "Advanced Tidal Machines, Inc.", Registration: "00-0000006", Ticker: "ATM", Common: []string{"advanced", "tidal", "machines"}},
	{Owner: "Quillon & Marsh Co.", Registration: "00-0000007", Ticker: "QM"},
	{Owner: "7F Company", Registration: "00-0000008", Ticker: "SVF"},
	{Owner: "Brindle.com, Inc.", Registration: "00-0000009", Ticker: "BRDL"},
	{Owner: "VELORA, Inc.", Registration: "00-0000010", Ticker: "VLR"},
	{Owner: "KPTrenton Dale & Co.", Registration: "00-0000011", Ticker: "KPT", Near: []string{"dales"}},
	{Owner: "Ostermann AG", Registration: "00-0000012", Ticker: "OSTM"},
	{Owner: "The Wexcombe Company", Registration: "00-0000013", Ticker: "WX"},
	{Owner: "Lowell's Companies, Inc.", Registration: "00-0000014", Ticker: "LWL"},
	{Owner: "Solvane International", Registration: "00-0000015", Ticker: "SLVN", Common: []string{"international"}},
	{Owner: "Grantham Express Company", Registration: "00-0000016", Ticker: "GXP", Common: []string{"express"}},
	{Owner: "Pallister Energy Partners LP", Registration: "00-0000017", Ticker: "PEP", Common: []string{"energy", "partners", "pep"}},
	{Owner: "Zennor", Registration: "00-0000018", Ticker: "ZNR"},
	{Owner: "Corvane Incorporated", Registration: "00-0000019", Ticker: "CVN", Near: []string{"coven"}},
	{Owner: "Thistle Motors Ltd", Registration: "00-0000020", Ticker: "THM", Common: []string{"motors"}},
}

// shelf is five documents of each company: annual reports of 2021 to 2023, the second quarter and the last release.
func shelf() (*Library, map[doc.Prefix]int) {
	l, of := NewLibrary(), map[doc.Prefix]int{}
	for i, c := range companies {
		for n, f := range []facts.Facts{
			{Family: "filing", Form: "10-K", Years: []int{2021}, PeriodEnd: "2021-12-31"},
			{Family: "filing", Form: "10-K", Years: []int{2022}, PeriodEnd: "2022-12-31"},
			{Family: "filing", Form: "10-K", Years: []int{2023}, PeriodEnd: "2023-12-31"},
			{Family: "filing", Form: "10-Q", Years: []int{2023}, Quarter: 2, PeriodEnd: "2023-06-30"},
			{Family: "release", Form: "earnings release", Years: []int{2022}, Quarter: 4, PeriodEnd: "2022-12-31"},
			{Family: "filing", Form: "8-K", Years: []int{2022}, PeriodEnd: "2022-07-01"},
		} {
			f.Owner, f.Registration, f.Ticker, f.Common, f.Near = c.Owner, c.Registration, c.Ticker, c.Common, c.Near
			if f.Family == "release" { // joined by its name alone
				f.Owner, f.Registration, f.Ticker = facts.Core(c.Owner), "", ""
			}
			p := doc.Prefix{byte(i), byte(n)}
			l.Add(p, f)
			of[p] = i
		}
	}
	return l, of
}

// spellings are ways in which people write an owner.
func spellings(f facts.Facts, rnd *rand.Rand) (out []string) {
	core := facts.Core(f.Owner)
	add := func(s string) {
		if s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	add(f.Owner)
	add(core)
	add(strings.ToUpper(core))
	add(strings.ReplaceAll(core, " ", ""))
	add(strings.ReplaceAll(core, "&", "and"))
	add(f.Ticker)
	if !slices.Contains(f.Common, strings.ToLower(core)) {
		add(strings.ToLower(core))
	}
	if len([]rune(core)) > 6 {
		r := []rune(core)
		at := 1 + rnd.Intn(len(r)-2)
		add(string(slices.Delete(slices.Clone(r), at, at+1)))
		if r[at] != r[at+1] && r[at] != ' ' && r[at+1] != ' ' {
			s := slices.Clone(r)
			s[at], s[at+1] = s[at+1], s[at]
			add(string(s))
		}
		s := slices.Clone(r)
		s[at] = 'x'
		add(string(s))
	}
	return out
}

// TestTwoHundredNames asks for every company under many spellings: at least 95 of 100 must be right, none another's.
func TestTwoHundredNames(t *testing.T) {
	l, of := shelf()
	rnd := rand.New(rand.NewSource(1))
	frames := []string{"What was the total revenue of %s in 2022?", "%s net income FY2022", "Did %s's margins improve in 2022?", "how much debt had %s in 2022"}
	n, right := 0, 0
	for round := 0; n < 240; round++ {
		for i, c := range companies {
			for _, s := range spellings(c, rnd) {
				q := fmt.Sprintf(frames[(n+round)%len(frames)], s)
				n++
				got := l.Choose(q)
				if len(got.Choices) == 0 {
					t.Logf("none: %s", q)
					continue
				}
				for _, ch := range got.Choices {
					for _, d := range ch.Docs {
						if of[d.Prefix] != i {
							t.Errorf("wrong: %s: %s", q, ch.Reason)
						}
					}
				}
				first := got.Choices[0].Docs[0].Prefix
				if first[0] == byte(i) && first[1] == 1 {
					right++
				} else {
					t.Logf("document %d: %s", first[1], q)
				}
			}
		}
	}
	t.Logf("%d of %d right", right, n)
	if 100*right < 95*n {
		t.Errorf("%d of %d right, want 95 of 100", right, n)
	}
}

// TestNobodyIsNamed holds that ordinary words name nobody.
func TestNobodyIsNamed(t *testing.T) {
	l, _ := shelf()
	for _, q := range []string{
		"Which harbor has the most traffic?", "How does the northern network work?", "What are advanced machines?",
		"Why did international sales fall?", "express your opinion", "what is pep", "this morning the coven met",
		"What is Tesseract's revenue in 2022?", "Compare energy partners", "", "?!", strings.Repeat("what ", 3000),
	} {
		if got := l.Choose(q); len(got.Choices) > 0 {
			t.Errorf("%.60q: %s", q, got.Choices[0].Reason)
		}
	}
}

func TestChoose(t *testing.T) {
	l, _ := shelf()
	for _, c := range []struct {
		question string
		want     []string // the documents, best first
	}{
		{"Velora's revenue for FY2022", []string{"VELORA, Inc., 10-K, 2022", "VELORA, earnings release, Q4, 2022", "VELORA, Inc., 8-K, 2022, 2022-07-01"}},
		{"What was Velora's adjusted EBITDA in 2022?", []string{"VELORA, earnings release, Q4, 2022", "VELORA, Inc., 10-K, 2022", "VELORA, Inc., 8-K, 2022, 2022-07-01"}},
		{"Velora revenue in Q2 2023", []string{"VELORA, Inc., 10-Q, Q2, 2023"}},
		{"Velora revenue in the first half of FY23", []string{"VELORA, Inc., 10-Q, Q2, 2023"}},
		{"the 8-K of Velora dated 1st July 2022", []string{"VELORA, Inc., 8-K, 2022, 2022-07-01"}},
		{"Velora's growth between FY21 and FY22", []string{"VELORA, Inc., 10-K, 2022", "VELORA, earnings release, Q4, 2022", "VELORA, Inc., 8-K, 2022, 2022-07-01"}},
		{"Velora 10-K 2021", []string{"VELORA, Inc., 10-K, 2021"}},
		{"What does Velora make?", []string{"VELORA, Inc., 10-K, 2023"}},
		{"Velora's plans for 2040", []string{"VELORA, Inc., 10-K, 2023"}},
	} {
		got := l.Choose(c.question)
		if len(got.Choices) != 1 {
			t.Errorf("%s: %+v", c.question, got.Choices)
			continue
		}
		var docs []string
		for _, d := range got.Choices[0].Docs {
			docs = append(docs, d.What)
		}
		if len(docs) < len(c.want) || !slices.Equal(docs[:len(c.want)], c.want) {
			t.Errorf("%s:\n got %q\nwant %q (%s)", c.question, docs, c.want, got.Choices[0].Reason)
		}
		if got.Choices[0].Reason == "" || got.Choices[0].RunnerUp == "" {
			t.Errorf("%s: no reason or runner-up: %+v", c.question, got.Choices[0])
		}
	}
}

func TestChooseSeveralAndNone(t *testing.T) {
	l, of := shelf()
	got := l.Choose("Compare the goodwill of Zennor and Ostermann in 2022")
	if len(got.Choices) != 2 || got.Choices[0].Owner != "Zennor" || got.Choices[1].Owner != "Ostermann AG" {
		t.Errorf("two: %+v", got.Choices)
	}
	got = l.Choose("Which had the greatest goodwill in Q2 2023?")
	if len(got.Choices) != 0 || len(got.Prior) != len(of) || !strings.Contains(got.Note, "no owner is named: all 120 documents of 20 owners") {
		t.Errorf("none: %d choices, %d priors, %q", len(got.Choices), len(got.Prior), got.Note)
	}
	if q2 := got.Prior[doc.Prefix{3, 3}]; q2 != 1.8 {
		t.Errorf("prior of the quarter's report: %v", q2)
	}
	for p := range of {
		if p[0] != 9 {
			l.Remove(p)
		}
	}
	if got := l.Choose("Zennor"); len(got.Choices) != 0 {
		t.Errorf("a removed owner: %+v", got.Choices)
	}
	if got := l.Choose("velora"); len(got.Choices) != 1 {
		t.Errorf("the one that stays: %+v", got.Choices)
	}
	if got := NewLibrary().Choose("Zennor 2022"); got.Choices != nil || got.Prior != nil {
		t.Errorf("an empty library: %+v", got)
	}
}

func TestReadWithLibrary(t *testing.T) {
	l, _ := shelf()
	r := Rules{Library: l}.Read("What was Velora's total revenue in FY2022 according to the 10-K?")
	if !strings.Contains(r.Text, "total revenue") || strings.Contains(r.Text, "Velora") || strings.Contains(r.Text, "2022") {
		t.Errorf("text %q", r.Text)
	}
	if len(r.Named) != 1 || r.Named[0].Word != "Velora's" || len(r.Named[0].Docs) == 0 {
		t.Errorf("named %+v", r.Named)
	}
}

// BenchmarkChoose is the choice among 120 documents.
func BenchmarkChoose(b *testing.B) {
	l, _ := shelf()
	for b.Loop() {
		l.Choose("What was Velora's adjusted EBITDA margin in FY2022, compared to the second quarter of 2023?")
	}
}

func TestAliasesAndDoubt(t *testing.T) {
	l, _ := shelf()
	if err := l.Aliases("# ours\nZennor = the old mill; ZN Works\n"); err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"What did the old mill earn?", "znworks goodwill 2022"} {
		if got := l.Choose(q).Choices; len(got) != 1 || got[0].Owner != "Zennor" {
			t.Errorf("%s: %+v", q, got)
		}
	}
	if err := l.Aliases("a = b\nZennor\n"); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("a broken file: %v", err)
	}
	if got := l.Choose("the old mill").Choices; len(got) != 1 {
		t.Errorf("a broken file changed the names: %+v", got)
	}
	got := l.Choose("What did Northern earn in 2022?")
	if len(got.Choices) != 0 || !strings.HasPrefix(got.Note, `"northern" may be Northern Foods Company or Northern Rail plc; `) {
		t.Errorf("in doubt: %q %+v", got.Note, got.Choices)
	}
}

// TestEqualTextsCountOnce holds that a copy under another key takes no room.
func TestEqualTextsCountOnce(t *testing.T) {
	l := NewLibrary()
	f := facts.Facts{Owner: "Zennor", Form: "10-K", Years: []int{2022}, Content: "ab"}
	l.Add(doc.Prefix{1}, f)
	l.Add(doc.Prefix{2}, f)
	f.Content = "cd"
	l.Add(doc.Prefix{3}, f)
	if got := l.Choose("Zennor 2022").Choices; len(got) != 1 || len(got[0].Docs) != 2 {
		t.Errorf("%+v", got)
	}
}

// BenchmarkMany is the choice among 20,000 documents of 5,000 owners, none of them named: typos are looked for in all.
func BenchmarkMany(b *testing.B) {
	l := NewLibrary()
	rnd := rand.New(rand.NewSource(1))
	for i := range 5000 {
		name := make([]byte, 5+rnd.Intn(6))
		for j := range name {
			name[j] = byte('a' + rnd.Intn(26))
		}
		for n := range 4 {
			l.Add(doc.Prefix{byte(i), byte(i >> 8), byte(n)}, facts.Facts{Owner: "N" + string(name) + " Works Inc.", Form: "10-K", Years: []int{2020 + n}})
		}
	}
	l.Choose("")
	b.ResetTimer()
	for b.Loop() {
		l.Choose("What was the adjusted operating margin of nothing at all in FY2022, compared to the second quarter of 2023?")
	}
}
