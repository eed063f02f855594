package table

import "testing"

// TestFaultsOfJudgedTables holds faults that a judge found in tables of real documents, retold.
func TestFaultsOfJudgedTables(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"years as values below named columns": {
			"<table><tr><th>Ship</th><th>Laid down</th><th>Sails</th></tr>\n" +
				"<tr><td>Ane</td><td>2011</td><td>2023</td></tr>\n<tr><td>Bo</td><td>2017</td><td>2024</td></tr></table>",
			`html 1-3 "" "" 1 ""
2 Laid down [] {}
3 Sails [] {}
-
2: Ane | 2=2011 3=2023
3: Bo | 2=2017 3=2024
`},
		"spans of years as values": {
			"<table><tr><th colspan=3>Audits</th></tr>\n" +
				"<tr><td>Peru</td><td>2014-2021</td><td>2014-2019</td></tr>\n<tr><td>Chile</td><td>2014-2020</td><td>none</td></tr></table>",
			`html 1-3 "" "" 1 ""
2 Audits [] {}
3 Audits [] {}
-
2: Peru | 2=2014-2021 3=2014-2019
3: Chile | 2=2014-2020 3=none
`},
		"years as values, labelled by years": {
			"| Given in | Due from | Due to |\n|---|---|---|\n| 2019 | 2021 | 2022 |\n| 2020 | 2022 | 2024 |\n",
			`pipe 1-4 "" "" 1 ""
2 Due from [] {}
3 Due to [] {}
-
3: 2019 | 2=2021 3=2022
4: 2020 | 2=2022 3=2024
`},
		"years as values below a shared label": {
			"| Line | From | To |\n|---|---|---|\n| Ulm | 2001 | 2003 |\n| | 2011 | 2014 |\n| | 2015 | 2017 |\n| Bonn | 2000 | 2001 |\n",
			`pipe 1-6 "" "" 1 ""
2 From [] {}
3 To [] {}
-
3: Ulm | 2=2001 3=2003
4:  | 2=2011 3=2014
5:  | 2=2015 3=2017
6: Bonn | 2=2000 3=2001
`},
		"years with a label above amounts are a header": {
			"<table><tr><th colspan=3>Year ended June 30,</th></tr>\n" +
				"<tr><td>Income</td><td>2022</td><td>2021</td></tr>\n<tr><td>Rent</td><td>10</td><td>20</td></tr></table>",
			`html 1-3 "" "" 1 ""
2 Year ended June 30, / 2022 [Year ended June 30, 2022] {}
3 Year ended June 30, / 2021 [Year ended June 30, 2021] {}
-
2: Income |
3: Income > Rent | 2=10 3=20
`},
		"a list of contents has no header": {
			"<table><thead><tr><th>Book I</th><th></th><th>1</th></tr></thead>\n" +
				"<tr><td>1.</td><td>Ships</td><td>1</td></tr>\n<tr><td>Book II</td><td></td><td>38</td></tr>\n<tr><td>2.</td><td>Ports</td><td>38</td></tr></table>",
			`html 1-4 "" "" 1 ""
-
1: Book I | 3=1
2: 1. | 2=Ships 3=1
3: Book II | 3=38
4: 2. | 2=Ports 3=38
`},
		"amounts in a header are data, the text above them a section": {
			"<table><thead><tr><th>Notes due</th><th></th><th colspan=2></th></tr>\n" +
				"<tr><th>Trade</th><th></th><th>$</th><th>8,192</th></tr></thead>\n<tr><td>Other</td><td></td><td colspan=2>2,121</td></tr></table>",
			`html 1-3 "" "" 1 ""
-
1: Notes due |
2: Notes due > Trade | 2=$8,192
3: Notes due > Other | 2=2,121
`},
		"a time over two header rows": {
			"<table><tr><th></th><th>Least</th><th>Ratios as of June</th></tr><tr><th></th><th></th><th>30, 2022</th></tr>\n<tr><td>Core</td><td>7</td><td>9</td></tr></table>",
			`html 1-2 "" "" 1 ""
2 Least [] {}
3 Ratios as of June / 30, 2022 [as of June 30, 2022] {}
-
2: Core | 2=7 3=9
`},
		"a time with the mark of a footnote": {
			"| | 2022(a) | 2021 (b) |\n|---|---|---|\n| Debt | 1 | 2 |\n",
			`pipe 1-3 "" "" 1 ""
2 2022(a) [2022] {}
3 2021 (b) [2021] {}
-
3: Debt | 2=1 3=2
`},
		"units are in no path": {
			"<table><tr><th colspan=3>Years ended June 30, (Millions, except percentages)</th><th>Change</th></tr>\n" +
				"<tr><th>Costs</th><th>2022</th><th>2021</th><th></th></tr>\n<tr><td>Rent</td><td>1</td><td>2</td><td>3</td></tr></table>",
			`html 1-3 "" "Millions, except percentages" 1e+06 ""
2 Years ended June 30, / 2022 [Years ended June 30, 2022] {}
3 Years ended June 30, / 2021 [Years ended June 30, 2021] {}
4 Change [] {}
-
2: Costs |
3: Costs > Rent | 2=1 3=2 4=3
`},
		"a column with nothing but a unit": {
			"| | (In millions) |\n|---|---|\n| Cash | $5 |\n",
			`pipe 1-3 "" "In millions" 1e+06 ""
-
3: Cash | 2=$5
`},
		"prose that leads to nothing is no caption": {
			"# Fees\n\nThe fees below are yearly. They fell.\n\nNobody complained in 2021.\n\n| | Fee |\n|---|---|\n| Port | 21 |\n",
			`pipe 7-9 "Fees" "" 1 ""
2 Fee [] {}
-
9: Port | 2=21
`},
		"a short form ends no sentence": {
			"Rates rose. A bridge from the U.S. federal rate to that of Acme Inc. in 2022 follows:\n\n| | Rate |\n|---|---|\n| Law | 21 |\n",
			`pipe 3-5 "A bridge from the U.S. federal rate to that of Acme Inc. in 2022 follows:" "" 1 "2022"
2 Rate [] {}
-
5: Law | 2=21
`},
	} {
		t.Run(name, func(t *testing.T) {
			tables := Find([]byte(c.src), 1)
			if len(tables) != 1 {
				t.Fatalf("%d tables", len(tables))
			}
			if got := shape(&tables[0]); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestANumberedTitleIsNoFootnote(t *testing.T) {
	src := "| a | b |\n|---|---|\n| x | 1 |\n\nNothing else is owed.\n\n### 3. Papers\n\n| 3.1 | Deed |\n| 3.2 | Will |\n\n128\n\n| 3.3 | Bond |\n| 3.4 | Note |\n"
	tables := Find([]byte(src), 1)
	if len(tables) != 3 || tables[1].Caption != "3. Papers" || tables[2].Caption != "3. Papers" {
		t.Fatalf("%+v", tables)
	}
}

func TestWhen(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"section":          {"| | East | West |\n|---|---|---|\n| 2022 | | |\n| Sales | 1 | 2 |\n", "2022"},
		"label":            {"| Due | Sum | Rate |\n|---|---|---|\n| 2024 | 1 | 2 |\n", "2024"},
		"column":           {"| | 2021 | 2020 |\n|---|---|---|\n| Notes of 2019 | | |\n| Sum | 1 | 2 |\n", "2021"},
		"column and row":   {"| Years ended June 30, | East | West |\n|---|---|---|\n| 2022(a) | | |\n| Sales | 1 | 2 |\n", "Years ended June 30, 2022"},
		"table":            {"At June 30, 2022 we had:\n\n| | East | West |\n|---|---|---|\n| Sales | 1 | 2 |\n", "June 30, 2022"},
		"nothing says one": {"| | East | West |\n|---|---|---|\n| Sales | 1 | 2 |\n", ""},
	} {
		tab := Find([]byte(c.src), 1)[0]
		r := &tab.Rows[len(tab.Rows)-1]
		if got := tab.When(r, &r.Cells[0]); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestAUnitOfSharesIsNotThatOfPrices(t *testing.T) {
	src := `<table><tr><th></th><th colspan=2>Options</th><th>Worth</th></tr>
<tr><th>(Shares in thousands)</th><th>Shares</th><th>Exercise price</th><th></th></tr>
<tr><td>Open</td><td>3,104</td><td>93.33</td><td>$7</td></tr></table>`
	tab := Find([]byte(src), 1)[0]
	r := &tab.Rows[0]
	for i, want := range []float64{1e3, 1, 1} {
		if unit, scale := tab.Measure(r, &r.Cells[i]); scale != want || (scale == 1) != (unit == "") {
			t.Errorf("cell %d: %q %g", i, unit, scale)
		}
	}
}
