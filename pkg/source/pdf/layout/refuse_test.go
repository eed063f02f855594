package layout

import (
	"strings"
	"testing"
)

// Each class of lines that look like titles and are none, beside titles that are near to it.
func TestRefusedClasses(t *testing.T) {
	p := &page{w: 612, h: 792, owner: "great lakes shipping company"}
	for text, want := range map[string]bool{
		"3. Inventories (Continued)": true, "3. Inventories - continued": true, "Continued Participation": false,
		"December 31, 2022": true, "Decembers 2022": false, "By: /s/ A. Person": true, "Name: A. Person": true,
		"The following table shows sales by region:": true, "Amounts recognized consist of:": true, "Year 2018 results:": false,
		"Refer to Note 10 for more": true, "OF 2002": true, "Of Mice and Men": false,
		"Interest is charged from the day on which the sum was due.": true, "Interest on Late Payments": false,
	} {
		p.lines = []*line{{full: text, cells: []cell{{text: text}}, x0: 72, x1: 400}}
		if got := p.refused(0, text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	for text, want := range map[string]bool{
		"Great Lakes Shipping Company": true, "THE GREAT LAKES SHIPPING COMPANY AND SUBSIDIARIES": true, "Other Holdings, Inc.": true, "Other Holdings and its Subsidiaries": true,
		"Some Bank, N.A.": true, "Parent Company": false, "Subsidiaries of Other Holdings, Inc.": false, "2.15 Company": false, "Agreement with Other Holdings, Inc.": false,
	} {
		if got := p.isName(text); got != want {
			t.Errorf("%q is a name: %v", text, got)
		}
	}
}

func TestTheCoverOfAFilingHasOneTitle(t *testing.T) {
	cover := sheetOf(run(200, 100, bold, "UNITED STATES"), run(200, 120, bold, "Washington, D.C. 20549"), run(220, 150, bold, "FORM 10-K"), run(200, 170, plain, "Commission file number 1-1"),
		run(200, 200, bold, "SOMEBODY, INC."), run(150, 215, plain, "(Exact name of registrant as specified in its charter)"), run(72, 300, plain, prose))
	inside := sheetOf(run(72, 100, bold, "SOMEBODY, INC."), run(72, 140, bold, "Overview of the Year"), run(72, 160, plain, prose), run(72, 172, plain, prose))
	md := compose(cover, inside)
	if n := strings.Count("\n"+md, "\n#"); n != 2 || !strings.Contains(md, "# FORM 10-K\n") || !strings.Contains(md, "# Overview of the Year\n") {
		t.Errorf("%d titles in\n%s", n, md)
	}
}

func TestABoldTitleGoesOnIntoItsLastLine(t *testing.T) {
	first := run(72, 100, bold, "We depend on a small number of customers, and the loss of one of them could do us "+strings.Repeat("x", 10))
	md := compose(sheetOf(first, run(72, 111, bold, "serious harm."), run(142, 111, plain, "Ten customers bought most of what we sold."), run(72, 122, plain, prose), run(72, 133, plain, prose)))
	if !strings.Contains(md, " serious harm.\n\nTen customers bought most of what we sold. "+prose) {
		t.Errorf("in\n%s", md)
	}
}

func TestArticlesHaveTheTitleBelowTheirNumber(t *testing.T) {
	md := compose(sheetOf(run(280, 100, plain, "ARTICLE IV"), run(245, 122, plain, "Requirements for Benefits"), run(72, 150, plain, prose), run(72, 172, plain, "4.1 Normal Pension: A member may draw a pension"), run(72, 183, plain, prose)))
	for _, want := range []string{"# ARTICLE IV Requirements for Benefits\n", " 4.1 Normal Pension\n\nA member may draw a pension " + prose} {
		if !strings.Contains(md, want) {
			t.Errorf("no %q in\n%s", want, md)
		}
	}
}

const prose = "The quick brown fox jumps over the lazy dog and runs away as fast as it can until night"
