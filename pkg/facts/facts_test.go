package facts

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

const cover10K = `<!-- page: 1 -->
UNITED STATES
SECURITIES AND EXCHANGE COMMISSION
# FORM 10-K
[x] ANNUAL REPORT PURSUANT TO SECTION 13 OR 15(d)
For the fiscal year ended January 28, 2023
[ ] TRANSITION REPORT PURSUANT TO SECTION 13
**LARKMOOR T OOLS CO., INC.**
(Exact name of registrant as specified in its charter)
| Oregon | 00-4417290 |
| Common Stock | LKM | New York Stock Exchange |
<!-- page: 2 -->
Larkmoor Tools Co., Inc. makes tools. Tools are made, and no tool is like Larkmoor Tools. These tools and those tools are tools.
`

func TestOf(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      map[string]string
	}{
		{"10-K", cover10K, map[string]string{"family": "filing", "form": "10-K", "owner": "Larkmoor Tools Co., Inc.",
			"registration": "00-4417290", "ticker": "LKM", "years": "2023; 2022", "period_end": "2023-01-28", "common": "tools", "near": "tool"}},
		{"10-K behind a letter, without the formula of the name",
			"<!-- page: 1 -->\nDear shareholders\n<!-- page: 3 -->\nSecurities and Exchange Commission\nForm 10-K\nAnnual report pursuant to section 13\n" +
				"For the fiscal year ended June 30, 2024\nCommission file number 1-22\nHEATH COMPANY\nState: Maine\n",
			map[string]string{"family": "filing", "form": "10-K", "owner": "HEATH COMPANY", "years": "2024", "period_end": "2024-06-30"}},
		{"10-Q, quarter from the year's end",
			"Form 10-Q\nQuarterly report under section 13\nFor the quarterly period ended\nfile December 31, 2022\nHeath plc\n" +
				"(Exact name of registrant)\nSee the Form 10-K for the fiscal year ended June 30, 2022.\n",
			map[string]string{"family": "filing", "form": "10-Q", "owner": "Heath plc", "years": "2023", "quarter": "2", "period_end": "2022-12-31"}},
		{"10-Q, quarter from the longest period",
			"Form 10-Q\nQuarterly period ended September 30, 2022\nHeath plc\n(Exact name of registrant)\nNine months ended September 30\nnine months ended\n",
			map[string]string{"family": "filing", "form": "10-Q", "owner": "Heath plc", "years": "2022", "quarter": "3", "period_end": "2022-09-30"}},
		{"8-K", "FORM 8-K\nDate of Report (date of earliest event): July 1, 2022 (June 30, 2022)\nHeath plc\n(Exact name of registrant)\n",
			map[string]string{"family": "filing", "form": "8-K", "owner": "Heath plc", "years": "2022", "period_end": "2022-07-01"}},
		{"a name of two lines", "FORM 8-K\nDate of Report: July 1, 2022\nHEATH AND MOOR\nGROUP, INC.\n(Exact name of registrant)\n",
			map[string]string{"family": "filing", "form": "8-K", "owner": "HEATH AND MOOR GROUP, INC.", "years": "2022", "period_end": "2022-07-01"}},
		{"release", "# Heath Reports Second Quarter Results\nBATH, August 29, 2023 -- Heath Co., Inc. (NYSE: HTH) today announced results for the quarter ended July 29, 2023, compared to the quarter ended July 30, 2022.\n",
			map[string]string{"family": "release", "form": "earnings release", "owner": "Heath Co., Inc.", "ticker": "HTH", "years": "2024; 2023",
				"quarter": "2", "period_end": "2023-07-29", "date": "2023-08-29", "title": "Heath Reports Second Quarter Results"}},
		{"contract", "# SUPPLY AGREEMENT\nbetween\n**HEATH LLC**, a company (\"Seller\"),\nand\n**MOOR LTD**, a company\nDated as of March 3, 2025. Agreement number HM-7.\n",
			map[string]string{"family": "contract", "form": "contract", "title": "SUPPLY AGREEMENT", "owner": "HEATH LLC", "parties": "HEATH LLC; MOOR LTD",
				"years": "2025", "date": "2025-03-03", "number": "HM-7"}},
		{"paper", "# On Moors\nA. Heath, University of Bath\narXiv:2407.04003v1 [cs.CV] 4 Jul 2024\n## Abstract\nMoors are wet.\n",
			map[string]string{"family": "paper", "form": "paper", "title": "On Moors", "number": "2407.04003v1", "years": "2024", "date": "2024-07-04"}},
		{"manual with front matter", "---\ntitle: Moor API Manual\nproduct: Moor\nversion: \"4.2\"\n---\n# Moor API Manual\n\nVersion 4.2, 15 September 2025.\n",
			map[string]string{"family": "manual", "form": "manual", "title": "Moor API Manual", "owner": "Moor", "edition": "4.2", "years": "2025", "date": "2025-09-15"}},
		{"standard", "ISO 9001:2015\nQuality management systems\nFifth edition 2015-09-15\n",
			map[string]string{"family": "standard", "form": "standard", "number": "ISO 9001:2015", "edition": "Fifth edition", "years": "2015", "date": "2015-09-15",
				"title": "ISO 9001:2015"}},
		{"Russian regulation", "# РЕГЛАМЕНТ ЭКСПЛУАТАЦИИ\nУтверждён приказом от 14 апреля 2025 года № 62.\n",
			map[string]string{"family": "regulation", "form": "regulation", "title": "РЕГЛАМЕНТ ЭКСПЛУАТАЦИИ", "years": "2025", "date": "2025-04-14", "number": "62"}},
		{"anything else", "# Notes\n\nBuy milk.\n", map[string]string{}},
		{"nothing", "", map[string]string{}},
		{"no text", "\x00\xff\xfe<!-- page: 1 -->\n\f\f\f", map[string]string{}},
	} {
		f := Of([]byte(c.src), nil)
		got := f.Flat()
		delete(got, "content")
		if c.want["family"] == "filing" { // named by the other facts: TestFilingsAreNamedByOwnerFormAndYear
			delete(got, "title")
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %v\nwant %v", c.name, got, c.want)
		}
		back := Read(f.Flat())
		if f.Why = nil; !reflect.DeepEqual(back, f) {
			t.Errorf("%s: read back %+v, want %+v", c.name, back, f)
		}
	}
}

func TestWith(t *testing.T) {
	f, refused := Of([]byte(cover10K), nil).With(map[string]string{"x-amz-meta-owner": "Moor AG", "Fiscal-Year": "FY2021", "quarter": "7",
		"ticker": "", "author": "x", "period-end": "June 30, 2021", "date": "soon", "aliases": "Moor; M"})
	if f.Owner != "Moor AG" || f.Years[0] != 2021 || f.Ticker != "" || f.PeriodEnd != "2021-06-30" || !slices.Equal(f.Aliases, []string{"Moor", "M"}) {
		t.Errorf("%+v", f)
	}
	if f.Why["owner"] != "metadata" || f.Why["form"] != "filing, page 1" || f.Form != "10-K" {
		t.Errorf("why %v", f.Why)
	}
	if !slices.Equal(refused, []string{"date", "quarter"}) {
		t.Errorf("refused %v", refused)
	}
}

func TestCoreAndSquash(t *testing.T) {
	for _, c := range []struct{ name, core, squash string }{
		{"BEST BUY CO., INC.", "BEST BUY", "bestbuy"},
		{"The Heath Company", "Heath", "heath"},
		{"JPMorgan Chase & Co.", "JPMorgan Chase", "jpmorganchase"},
		{"Amazon.com, Inc.", "Amazon.com", "amazoncom"},
		{"NIKE, Inc .", "NIKE", "nike"},
		{"Johnson & Johnson", "Johnson & Johnson", "johnsonjohnson"},
		{"Moor /DE/", "Moor", "moor"},
		{"The Company", "The Company", "thecompany"},
		{"Lowe's Companies, Inc.", "Lowe's Companies", "lowecompanies"},
		{"", "", ""},
	} {
		if got := Core(c.name); got != c.core {
			t.Errorf("core of %q: %q", c.name, got)
		}
		if got := Squash(c.core); got != c.squash {
			t.Errorf("squash of %q: %q", c.core, got)
		}
	}
}

func TestDay(t *testing.T) {
	for in, want := range map[string]string{
		"dated 1st July 2022":     "2022-07-01",
		"June30,2021":             "2021-06-30",
		"February 3, 2018, or so": "2018-02-03",
		"2022-12-31":              "2022-12-31",
		"7/1/2022":                "2022-07-01",
		"1.7.2022":                "2022-07-01",
		"3. März 2024":            "2024-03-03",
		"14 апреля 2025 года":     "2025-04-14",
		"February 31, 2022":       "",
		"in 2022":                 "",
		"":                        "",
	} {
		got, ok := Day(in)
		if s := got.Format(time.DateOnly); ok != (want != "") || ok && s != want {
			t.Errorf("%q: %s, %v", in, s, ok)
		}
	}
}

func TestOneEdit(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"amcor", "amcr", true}, {"amcor", "amcoor", true}, {"amcor", "ancor", true}, {"amcor", "macor", true}, {"amcor", "mcor", true},
		{"amcor", "amcor", false}, {"amcor", "ammco", false}, {"amcor", "a", false}, {"", "a", true}, {"москва", "масква", true},
	} {
		if got := OneEdit(c.a, c.b); got != c.want {
			t.Errorf("%s %s: %v", c.a, c.b, got)
		}
	}
}

func TestHostileTextsEndSoon(t *testing.T) {
	for name, s := range map[string]string{
		"one line": strings.Repeat("year ended ", 400_000), "marks": strings.Repeat("<!-- page: 1 -->\n", 100_000),
		"open tags": strings.Repeat("<a ", 1_000_000), "names": strings.Repeat("A B C Inc. ", 200_000),
		"front matter": "---\n" + strings.Repeat("title: x\n", 100_000), "form feeds": strings.Repeat("\f", 1_000_000),
		"key": cover10K + strings.Repeat("l a r k m o o r ", 200_000),
	} {
		start := time.Now()
		Of([]byte(s), nil)
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("%s: %v for %d bytes", name, took, len(s))
		}
	}
}

func TestRulesNameTheLine(t *testing.T) {
	for in, want := range map[string]string{
		"[a]\nsign: any: (": "line 2", "x: any: (y)": "no [family]", "[a]\nowner: any: y": "no capture", "[a]\nowner: there: (y)": "no scope",
		"[a]\nsize: any: (y)": "no field", "[a]\nform: x": "want form",
	} {
		if _, err := parseRules(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", in, err, want)
		}
	}
}

// A filing is not called what its cover prints first, the name of the agency.
func TestFilingsAreNamedByOwnerFormAndYear(t *testing.T) {
	quarterly := "UNITED STATES SECURITIES AND EXCHANGE COMMISSION\nForm 10-Q\nQuarterly report under section 13\nFor the quarterly period ended December 31, 2022\nHeath plc\n" +
		"(Exact name of registrant)\nSee the Form 10-K for the fiscal year ended June 30, 2022.\n"
	for src, want := range map[string]string{cover10K: "Larkmoor Tools Co., Inc. 10-K 2023", quarterly: "Heath plc 10-Q Q2 2023"} {
		if f := Of([]byte(src), nil); f.Title != want {
			t.Errorf("%q, want %q", f.Title, want)
		}
	}
}
