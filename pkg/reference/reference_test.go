package reference

import (
	"slices"
	"strings"
	"testing"
)

func TestOfTitle(t *testing.T) {
	for title, want := range map[string]string{
		"NOTE 15 – GUARANTEES":                  "note:15",
		"Note 15":                               "note:15",
		"**Note 4 – Income Taxes**":             "note:4",
		"ITEM 7A. QUANTITATIVE AND QUALITATIVE": "item:7a",
		"Item 1. Business":                      "item:1",
		"TABLE 19: UNSECURED DEBT RATINGS":      "table:19",
		"Table A2.1.1 Growth":                   "table:a2.1.1",
		"TABLE I: Quantitative Evaluation":      "table:i",
		"Section 3.2(b) Payments":               "section:3.2(b)",
		"§ 12 Haftung":                          "section:12",
		"Article IV Termination":                "article:4",
		"ARTICLE 2":                             "article:2",
		"PART II":                               "part:2",
		"Chapter 2. Risks":                      "chapter:2",
		"Appendix C: Code":                      "appendix:c",
		"Annex 2":                               "appendix:2",
		"Exhibit 10.1":                          "exhibit:10.1",
		"Статья 15. Ответственность": "article:15",
		"Приложение 2":               "appendix:2",
		"Приложение № 2 к договору":  "appendix:2",
		"Глава 3":            "chapter:3",
		"Таблица 4 — Доходы": "table:4",
		"Kapitel 5 Recht":    "chapter:5",
		"Anhang B":           "appendix:b",
		"3.2 Method":         "section:3.2",
		"3.2. Method":        "section:3.2",
		"A.1 Details":        "section:a.1 appendix:a.1",
		"2. Related Works":   "section:2 chapter:2",
		"Fig. 7: Effect":     "figure:7",
		"Figure 3. Overview": "figure:3",
		"Notes to Consolidated Financial Statements": "",
		"Consolidated balance sheets (Note 15)":      "",
		"2022 Highlights":                            "",
		"Part of a whole":                            "",
		"Item a day":                                 "",
		"Table of Contents":                          "",
		"Noted 5 times":                              "",
		"":                                           "",
	} {
		if got := strings.Join(OfTitle(title), " "); got != want {
			t.Errorf("OfTitle(%q) = %q, want %q", title, got, want)
		}
	}
}

func TestOfQuestion(t *testing.T) {
	for q, want := range map[string]string{
		"What does Note 15 say about guarantees?": "note:15",
		"Summarise Item 7A of the AMD 10-K":       "item:7a",
		"compare notes 3 and 4":                   "note:3 note:4",
		"Notes 3, 4 and 15 to the statements":     "note:3 note:4 note:15",
		"see Table A2.1.1 and Section 3.2(b)":     "table:a2.1.1 section:3.2(b)",
		"Chapter 2?":                              "chapter:2",
		"chapter II":                              "chapter:2",
		"что говорит статья 15 и приложение № 2": "article:15 appendix:2",
		"в статье 15":                               "article:15",
		"was steht in Kapitel 3 und § 12?":          "chapter:3 section:12",
		"net income in fiscal year 2022":            "",
		"what part of revenue came from item sales": "",
		"revenue note 2022":                         "",
		"table 19 table 19":                         "table:19",
		"How is item 1A different from item 7?":     "item:1a item:7",
		"appendix B of the report":                  "appendix:b",
		"is there a table in section 4.12.3":        "section:4.12.3",
		"":                                          "",
	} {
		if got := strings.Join(OfQuestion(q), " "); got != want {
			t.Errorf("OfQuestion(%q) = %q, want %q", q, got, want)
		}
	}
}

// A title and the question that names it must meet.
func TestTitleAndQuestionMeet(t *testing.T) {
	for title, q := range map[string]string{
		"NOTE 23":           "what is in note 23",
		"Раздел II. Права":  "раздел 2",
		"ARTICLE IV":        "article 4",
		"3.2 Method":        "section 3.2",
		"Приложение А":      "приложение а",
		"Section 3.2(b)":    "Section 3.2(b)?",
		"TABLE S1: Human":   "table S1",
		"Item 9A. Controls": "item 9a",
	} {
		got, want := OfTitle(title), OfQuestion(q)
		if !slices.ContainsFunc(want, func(r string) bool { return slices.Contains(got, r) }) {
			t.Errorf("%q gives %v, %q gives %v", title, got, q, want)
		}
	}
}

func FuzzReferences(f *testing.F) {
	for _, s := range []string{"Note 15", "Section 3.2(b), 4 and 5", "статья 15", "§§§", "item\xff7", "İ note 4"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range append(OfTitle(s), OfQuestion(s)...) {
			kind, num, ok := strings.Cut(r, ":")
			if !ok || kind == "" || num == "" || strings.ContainsAny(r, " \n\t") {
				t.Errorf("%q gives %q", s, r)
			}
		}
	})
}
