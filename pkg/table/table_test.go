package table

import (
	"fmt"
	"strings"
	"testing"
)

// shape writes a table as text, for comparison with literals.
func shape(t *Table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d-%d %q %q %g %q\n", t.Kind, t.Lines.Start, t.Lines.End, t.Caption, t.Unit, t.Scale, t.Period)
	for _, h := range t.Heads {
		for i, c := range h.Columns {
			if len(c.Path) > 0 && i > 0 {
				fmt.Fprintf(&b, "%d %s [%s] {%s}\n", i+1, strings.Join(c.Path, " / "), c.Period, c.Unit)
			}
		}
		b.WriteString("-\n")
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		fmt.Fprintf(&b, "%d: %s |", r.Lines.Start, r.Full())
		for _, c := range r.Cells {
			fmt.Fprintf(&b, " %d=%s", c.Column, c.Text)
		}
		b.WriteByte('\n')
	}
	for _, n := range t.Notes {
		fmt.Fprintf(&b, "note %s %s\n", n.Mark, n.Text)
	}
	return b.String()
}

func TestTables(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"pipe": {
			"# Sales\n\n| Town | 2022 | 2021 |\n|:---|---:|---:|\n| *Ulm* | 1,000 | (2) |\n| a \\| b | — | 3% |\n",
			`pipe 3-6 "Sales" "" 1 ""
2 2022 [2022] {}
3 2021 [2021] {}
-
5: Ulm | 2=1,000 3=(2)
6: a | b | 2=— 3=3%
`},
		"pipe with split cells": {
			"(In thousands)\n\n| | 2022 | | 2021 | | |\n|---|---|---|---|---|---|\n| Net sales | $ | 1,000 | $ | 900 | |\n| Loss | | (20 | ) | (10 | ) |\n| Margin | | 5 | | 4 | % |\n",
			`pipe 3-7 "" "In thousands" 1000 ""
2 2022 [2022] {}
3 2021 [2021] {}
-
5: Net sales | 2=$1,000 3=$900
6: Loss | 2=(20) 3=(10)
7: Margin | 2=5 3=4%
`},
		"html with split cells": {
			"<table><tr><th></th><th colspan=\"3\">2022</th><th colspan=\"3\">2021</th></tr>\n" +
				"<tr><td>Sales</td><td>$</td><td>1,000</td><td></td><td>$</td><td>900</td><td></td></tr>\n" +
				"<tr><td>Loss</td><td></td><td>(20</td><td>)</td><td></td><td>(10</td><td>)</td></tr>\n" +
				"<tr><td>Share</td><td></td><td>7</td><td>%</td><td></td><td>8</td><td>%</td></tr></table>",
			`html 1-4 "" "" 1 ""
2 2022 [2022] {}
3 2021 [2021] {}
-
2: Sales | 2=$1,000 3=$900
3: Loss | 2=(20) 3=(10)
4: Share | 2=7% 3=8%
`},
		"spans, sections, totals, notes": {
			`TABLE 7: ASSETS

<table>
<thead>
<tr><th rowspan="2">(Dollars in millions)</th><th colspan="2">Year Ended December 31,</th><th rowspan="2">Life<br/>(In years)</th></tr>
<tr><th>2022</th><th>2021</th></tr>
</thead>
<tbody>
<tr><td colspan="4">**ASSETS**</td></tr>
<tr><td>Current assets:</td><td> </td><td> </td><td></td></tr>
<tr>
  <td>Cash<sup>(a)</sup></td>
  <td>$10</td>
  <td>$20</td>
  <td>—</td>
</tr>
<tr><td>Total current assets</td><td>10</td><td>20</td><td></td></tr>
<tr><td>Goodwill</td><td>5</td><td>5</td><td>9</td></tr>
</tbody>
</table>

(a) Held in banks.
(b) Not used.

Text goes on.
`,
			`html 3-20 "TABLE 7: ASSETS" "Dollars in millions" 1e+06 ""
2 Year Ended December 31, / 2022 [Year Ended December 31, 2022] {}
3 Year Ended December 31, / 2021 [Year Ended December 31, 2021] {}
4 Life (In years) [] {}
-
9: ASSETS |
10: ASSETS > Current assets: |
11: ASSETS > Current assets > Cash(a) | 2=$10 3=$20 4=—
17: ASSETS > Current assets > Total current assets | 2=10 3=20
18: ASSETS > Goodwill | 2=5 3=5 4=9
note (a) Held in banks.
note (b) Not used.
`},
		"merged labels": {
			`<table><tr><th>Entity</th><th></th><th>Grade</th></tr>
<tr><td rowspan=2>Bank</td><td>Long</td><td>A2</td></tr>
<tr><td>Short</td><td>P-1</td></tr></table>`,
			`html 1-3 "" "" 1 ""
3 Grade [] {}
-
2: Bank > Long | 3=A2
3: Bank > Short | 3=P-1
`},
		"a header further down": {
			`<table><tr><th></th><th>2022</th><th>2021</th></tr>
<tr><td>Sales</td><td>1</td><td>2</td></tr>
<tr><td>(In thousands)</td><td>2020</td><td>2019</td></tr>
<tr><td>Sales</td><td>3</td><td>4</td></tr></table>`,
			`html 1-4 "" "In thousands" 1000 ""
2 2022 [2022] {}
3 2021 [2021] {}
-
2 2020 [2020] {}
3 2019 [2019] {}
-
2: Sales | 2=1 3=2
4: Sales | 2=3 3=4
`},
		"a header without its corner": {
			`<table><tr><th colspan=2>Amount</th><th>Where</th></tr><tr><th>2022</th><th colspan=3>2021</th></tr>
<tr><td>Gains</td><td>1</td><td>2</td><td>Sales</td></tr>
<tr><td>Losses</td><td>3</td><td>4</td><td>Costs</td></tr></table>`,
			`html 1-3 "" "" 1 ""
2 Amount / 2022 [2022] {}
3 Amount / 2021 [2021] {}
4 Where [] {}
-
2: Gains | 2=1 3=2 4=Sales
3: Losses | 2=3 3=4 4=Costs
`},
		"a header in one cell": {
			`<table><tr><th colspan="5">U.S. International
2022 2021 2022 2021</th></tr>
<tr><td>Rate</td><td>3.1</td><td>2.6</td><td>4.2</td><td>2.7</td></tr></table>`,
			`html 1-3 "" "" 1 ""
2 2022 [2022] {}
3 2021 [2021] {}
4 2022 [2022] {}
5 2021 [2021] {}
-
3: Rate | 2=3.1 3=2.6 4=4.2 5=2.7
`},
		"nested and unclosed": {
			"<table><tr><td>A<td><table><tr><td>x<td>y</table><td>1\n<tr><td>B<td>z\n\nText after it.\n",
			`html 1-2 "" "" 1 ""
-
1: A | 2=x y 3=1
2: B | 2=z
`},
		"russian": {
			"Таблица 3. Выручка\n\nв миллионах рублей\n\n| Показатель | 2022 год | 2021 год |\n|---|---|---|\n| Выручка | 1 234 | 1 100 |\n| Итого | 1 234 | 1 100 |\n",
			`pipe 5-8 "Таблица 3. Выручка" "в миллионах рублей" 1e+06 ""
2 2022 год [2022 год] {}
3 2021 год [2021 год] {}
-
7: Выручка | 2=1 234 3=1 100
8: Итого | 2=1 234 3=1 100
`},
		"flat": {
			"Table 8: Scores.\n\n![](tables/8.png)\n\nExact\n\nF1\n\nBase\n\n80.8\n\n88.4\n\nOurs\n\n80.5\n\n88.2\n\nA sentence that is far too long to be a cell of any table goes on here, as text does.\n",
			`flat 5-19 "Table 8: Scores." "" 1 ""
2 Exact [] {}
3 F1 [] {}
-
9: Base | 2=80.8 3=88.4
15: Ours | 2=80.5 3=88.2
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

func TestNoTables(t *testing.T) {
	for _, src := range []string{
		"", "a | b\nc | d\n", "a | b\n", "```\n| a | b |\n|---|---|\n```\n", "~~~\n<table><tr><td>1</table>\n~~~\n",
		"Table 1: words\n\nsome\n\nshort\n\nlines\n\nof text\n", "Table 2: ragged\n\nA\n\nB\n\nx\n\n1\n\n2\n\ny\n\n3\n", "text <tablet> text\n", "---\n",
	} {
		if tables := Find([]byte(src), 1); len(tables) != 0 {
			t.Errorf("%q has %d tables: %s", src, len(tables), shape(&tables[0]))
		}
	}
}

func TestTwoTablesShareACaption(t *testing.T) {
	tables := Find([]byte("The balances (in millions) were as follows:\n\n| 2022 | Sum |\n|---|---|\n| a | 1 |\n\n12\n\n| 2021 | Sum |\n|---|---|\n| a | 2 |\n"), 1)
	if len(tables) != 2 || tables[1].Caption != tables[0].Caption || tables[1].Unit != "in millions" || tables[0].Period != "2022" || tables[1].Period != "2021" {
		t.Fatalf("%+v", tables)
	}
}

func TestATableGoesOnOnTheNextPage(t *testing.T) {
	tables := Find([]byte("Debt was:\n\n| | 2022 | 2021 |\n|---|---|---|\n| a | 1 | 2 |\n\n7\n\n[Table of Contents](#toc)\n\n<table><tr><td>b</td><td>3</td><td>4</td></tr></table>\n"), 1)
	if len(tables) != 2 || !tables[1].Continues {
		t.Fatalf("%+v", tables)
	}
	if r := &tables[1].Rows[0]; tables[1].Column(r, 2).Period != "2022" || tables[1].Caption != "Debt was:" {
		t.Fatalf("%+v", tables[1])
	}
}

func TestMeasure(t *testing.T) {
	src := `(In millions, except per share amounts)

| | 2022 | Life (in years) |
|---|---|---|
| Sales | 1,000 | 3 |
| Volume (billions) | 1.5 | |
| Margin | 40% | |
| Earnings per share: | | |
| Basic | $ 0.85 | |
`
	tab := Find([]byte(src), 1)[0]
	var got []string
	for i := range tab.Rows {
		for j := range tab.Rows[i].Cells {
			unit, scale := tab.Measure(&tab.Rows[i], &tab.Rows[i].Cells[j])
			got = append(got, fmt.Sprintf("%s %g", unit, scale))
		}
	}
	want := "In millions, except per share amounts 1e+06; in years 1; billions 1e+09; % 1;  1"
	if s := strings.Join(got, "; "); s != want {
		t.Errorf("%q, want %q", s, want)
	}
}

func TestUnits(t *testing.T) {
	for s, want := range map[string]float64{
		"(In millions)": 1e6, "In millions, except per share amounts": 1e6, "Dollars in thousands": 1e3, "($ in Billions)": 1e9, "(Millions)(a)": 1e6,
		"(in years)": 1, "(000s)": 1e3, "в тыс. рублей": 1e3, "в млн руб.": 1e6, "in Mio. EUR": 1e6, "(Shares in thousands)": 1e3,
		"Common Shares": 0, "Shares": 0, "Total": 0, "In the year": 0, "2022": 0, "Percentage": 0, "(Loss) income": 0, "": 0,
	} {
		_, scale, ok := unitText(s)
		if !ok {
			scale = 0
		}
		if scale != want {
			t.Errorf("unitText(%q) has scale %g, want %g", s, scale, want)
		}
	}
}

func TestPeriods(t *testing.T) {
	for s, want := range map[string]bool{
		"2022": true, "December 31, 2022": true, "Year Ended December 31,": true, "Years ended December 31": true, "FY22": true, "Q3 2021": true, "2022(a)": true,
		"2022 vs. 2021": true, "12/31/2022": true, "Three Months Ended March 31, 2022": true, "As of December 31, 2022": true, "Dec. 2021": true, "31 декабря 2022 года": true,
		"2022 год": true, "2028 - 2032": true, "31. Dezember 2022": true, "Year Ended": true, "Fiscal Year 2022": true,
		"2,022": false, "$2022": false, "Total": false, "Plan to Date through 12/31/2022": false, "2022 acquisitions": false, "March": false, "In thousands": false, "1999.5": false, "": false,
	} {
		if got := isPeriod(s); got != want {
			t.Errorf("isPeriod(%q) = %v", s, got)
		}
	}
}
