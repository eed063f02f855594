package outline

import (
	"fmt"
	"slices"
	"testing"
)

func TestClassify(t *testing.T) {
	for _, c := range []struct{ title, want string }{
		{"ITEM 7A. Quantitative Disclosures", "item [7 1]"},
		{"Items 10, 11 and 12. Directors", "item [10]"},
		{"PART IV", "part [4] alone"},
		{"Part of the plan", ""},
		{"NOTE 23", "note [23] alone"},
		{"Note 15 – Guarantees", "note [15]"},
		{"Notes to the Consolidated Financial Statements", "statement []"},
		{"Note that this is old", ""},
		{"Chapter 2: Install", "chapter [2]"},
		{"Article II – Definitions", "article [2]"},
		{"Article B – Special Cases", "article [2]"},
		{"An article 5 pages long", ""},
		{"Section 8.2(b) Payment", "section+1 [8 2]"},
		{"§ 5 Vertragsdauer", "section [5]"},
		{"§5 Vertragsdauer", "section [5]"},
		{"Appendix A", "appendix [1] alone"},
		{"APPENDIX ARTICLE PBG", "appendix [1000] alone"},
		{"APPENDIX", "appendix [] alone"},
		{"Schedule a meeting", ""},
		{"SCHEDULE OF FEES", ""},
		{"Exhibit 10.1 Lease", "appendix [10 1]"},
		{"3.1 Scope", "dotted+2 [3 1]"},
		{"3.1. Scope", "dotted+2 [3 1]"},
		{"2.01 Account:", "dotted+2 [2 1]"},
		{"1 Introduction", "dotted+1 [1]"},
		{"7.50% Senior Notes", ""},
		{"2019 Results", ""},
		{"737 MAX Grounding", ""},
		{"A.2.1 Proof", "dotted+3 [1 2 1]"},
		{"e.g. this", ""},
		{"IV. Results", "I. [4]"},
		{"B. Data", "A. [2]"},
		{"(a) Vesting", "(a) [1]"},
		{"(iv) Notice", "(i) [4]"},
		{"(3) Third", "(1) [3]"},
		{"Table A2.1.1: Wages", "caption [1 1 1]"},
		{"Figure 3 A gate", "caption [3]"},
		{"Глава 2. Стороны", "chapter [2]"},
		{"Статья 15", "article [15] alone"},
		{"Раздел II. Обязанности", "division [2]"},
		{"Приложение № 3", "appendix [3] alone"},
		{"Таблица 4 – Нормы", "caption [4]"},
		{"Kapitel 3 Betrieb", "chapter [3]"},
		{"Anhang B", "appendix [2] alone"},
		{"References", "frame []"},
		{"Just a title", ""},
		{"", ""},
	} {
		r := rules.classify(c.title)
		got := ""
		if r.family != "" {
			got = r.family
			switch base := rules.byName[r.family]; {
			case r.family == "dotted":
				got += fmt.Sprintf("+%d", r.rank-rankDotted)
			case base != nil && r.rank > base.Rank:
				got += fmt.Sprintf("+%d", r.rank-base.Rank)
			}
			got += " " + fmt.Sprint(r.number.parts)
			if r.alone {
				got += " alone"
			}
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.title, got, c.want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		word, kind string
		want       []int
	}{
		{"8", "digits", []int{8}},
		{"7a", "digits", []int{7, 1}},
		{"2022", "digits", nil},
		{"xiv", "roman", []int{14}},
		{"iiii", "roman", nil},
		{"c", "letter", []int{3}},
		{"б", "letter", []int{2}},
		{"3.1.12", "dotted", []int{3, 1, 12}},
		{"erw.2", "dotted", []int{5, 2}},
		{"3..1", "dotted", nil},
	} {
		if got := partsOf(c.word, c.kind); !slices.Equal(got, c.want) {
			t.Errorf("%q as %s: %v, want %v", c.word, c.kind, got, c.want)
		}
	}
	one := func(p ...int) number { return number{parts: p} }
	for _, c := range []struct {
		n, m number
		want bool
	}{
		{one(4), one(3), true}, {one(5), one(3), false}, {one(7, 1), one(7), true}, {one(8), one(7, 1), true},
		{one(3, 2), one(3, 1), true}, {one(4, 1), one(3, 9), false}, {one(3), one(3), false},
	} {
		if got := c.n.follows(c.m); got != c.want {
			t.Errorf("%v follows %v: %v", c.n.parts, c.m.parts, got)
		}
	}
}

func TestFurniture(t *testing.T) {
	for title, want := range map[string]bool{
		"Denotes a variance of 100 percent or more": true, "Column 1": true, "2022": true, "Page 12 of 90": true, "(continued)": true,
		"■ If the gate is open": true, "* * *": true, "Опись": false, "Stock Options": false, "2022 Outlook": false, "Revenue": false, "E01": false,
	} {
		if got := rules.furniture(title) != ""; got != want {
			t.Errorf("%q is furniture: %v, want %v", title, got, want)
		}
	}
}
