package layout

import (
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/source/pdf/content"
)

var slanted = &content.Font{Name: "Plain-Italic", Italic: true}

// middle is run in the middle of the page.
func middle(y float32, f *content.Font, text string) content.Run {
	return run(306-2.5*float32(len(text)), y, f, text)
}

func wantTitles(t *testing.T, md string, want, not []string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(md, "# "+w+"\n") {
			t.Errorf("no title %q in\n%s", w, md)
		}
	}
	for _, w := range not {
		if strings.Contains(md, "# "+w+"\n") {
			t.Errorf("title %q in\n%s", w, md)
		}
	}
}

func TestTheTitleOverTheContents(t *testing.T) {
	runs := []content.Run{middle(60, bold, "Somebody, Inc."), middle(80, bold, "Annual Report"), middle(92, bold, "For the Year Ended June 30, 2020"), middle(120, bold, "Table of Contents")}
	for i, name := range []string{"Business", "Risk Factors", "Properties", "Legal Proceedings", "Mine Safety", "Market", "Discussion", "Controls", "Executives"} {
		y := 150 + 14*float32(i)
		runs = append(runs, run(72, y, plain, "Item "+string(rune('1'+i))+"."), run(140, y, plain, name), at(540, y, string(rune('1'+i))))
	}
	wantTitles(t, compose(sheetOf(runs...)), []string{"Somebody, Inc. Annual Report For the Year Ended June 30, 2020", "Table of Contents"}, nil)
}

func TestATitleGoesOnBelowItsDash(t *testing.T) {
	md := compose(sheetOf(middle(100, bold, "APPENDIX ARTICLE A -"), middle(118, plain, "Transition Provisions"), run(72, 150, plain, prose), run(72, 162, plain, prose)))
	wantTitles(t, md, []string{"APPENDIX ARTICLE A - Transition Provisions"}, nil)
}

func TestTotalsAndTitlesThatBeginWithTotal(t *testing.T) {
	wide := prose + " and it is dark"
	md := compose(sheetOf(run(72, 100, plain, wide), run(72, 125, bold, "Total Marketplace Spending"), run(72, 145, plain, wide), run(72, 157, plain, wide),
		run(72, 190, bold, "Total Assets"), run(72, 210, plain, "Paid"), run(72, 230, plain, wide)))
	wantTitles(t, md, []string{"Total Marketplace Spending"}, []string{"Total Assets"})
}

func TestAClauseSetOffBelowOnly(t *testing.T) {
	clauses := func(above string) string {
		return compose(sheetOf(run(72, 100, plain, prose), run(72, 111, plain, above), run(90, 122, plain, "3.03 Termination of Participation:"), run(72, 146, plain, prose), run(72, 157, plain, prose)))
	}
	wantTitles(t, clauses("with the law."), []string{"3.03 Termination of Participation:"}, nil)
	wantTitles(t, clauses("as told in Section"), nil, []string{"3.03 Termination of Participation:"})
	md := compose(sheetOf(run(72, 100, plain, prose), run(90, 122, plain, "2.16 409A Program:"), run(72, 146, plain, prose), run(72, 157, plain, prose)))
	wantTitles(t, md, []string{"2.16 409A Program:"}, nil)
}

func TestLongTitlesInSlantedLetters(t *testing.T) {
	long := "Operating Profit and Operating Profit Adjusted for Items that Affect It"
	page := func(title string) string {
		return compose(sheetOf(run(72, 100, plain, prose), run(72, 125, slanted, title), run(72, 150, plain, prose), run(72, 162, plain, prose)))
	}
	wantTitles(t, page(long), []string{long}, nil)
	version := "Statement of Principles and Practice, Restatement of January 1, 2022, Adopted"
	wantTitles(t, page(version), nil, []string{version})
}
