package table

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/testenv"
)

// hostile are inputs that make careless parsers slow, large or wrong; each about n bytes.
var hostile = map[string]func(n int) string{
	"rows": func(n int) string {
		return "<table>" + strings.Repeat("<tr><td>a<td>1<td>2</tr>\n", n/26) + "</table>"
	},
	"pipe rows": func(n int) string { return "|a|b|\n|-|-|\n" + strings.Repeat("|x|1|\n", n/6) },
	"columns": func(n int) string {
		row := "<tr>" + strings.Repeat("<td>1</td>", 5000) + "</tr>\n"
		return "<table>" + strings.Repeat(row, max(n/len(row), 2)) + "</table>"
	},
	"pipe columns": func(n int) string {
		row := strings.Repeat("|1", 5000) + "|\n"
		return strings.Repeat("|h", 5000) + "|\n" + strings.Repeat("|-", 5000) + "|\n" + strings.Repeat(row, max(n/len(row), 1))
	},
	"ragged": func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			b.WriteString("<tr>" + strings.Repeat("<td>7", i*7919%61) + "\n")
		}
		return "<table>" + b.String()
	},
	"unclosed tables":  func(n int) string { return strings.Repeat("<table>\n", n/8) },
	"unclosed in text": func(n int) string { return strings.Repeat("text <table> text\n\n", n/19) },
	"unclosed cells":   func(n int) string { return "<table>" + strings.Repeat("<td><td <tr <td x='", n/20) },
	"tables in tables": func(n int) string { return strings.Repeat("<table><tr><td>", n/15) + strings.Repeat("</table>", n/15) },
	"wide spans": func(n int) string {
		return "<table>" + strings.Repeat(`<tr><td colspan=1000000000 rowspan=1000000000>x</td><td>1</td></tr>`, n/70) + "</table>"
	},
	"many rowspans": func(n int) string {
		head := "<tr>" + strings.Repeat("<td rowspan=65534>long text in a cell</td>", n/90) + "</tr>"
		return "<table>" + head + strings.Repeat("<tr><td>1</tr>", n/30) + "</table>"
	},
	"only closers":  func(n int) string { return strings.Repeat("</table></td></tr>", n/18) },
	"one long cell": func(n int) string { return "<table><tr><td>" + strings.Repeat("x ", n/2) + "</table>" },
	"heads": func(n int) string {
		return "<table>" + strings.Repeat("<tr><td><td>2022<td>2021</tr><tr><td>a<td>1<td>2</tr>", n/53)
	},
	"sections": func(n int) string { return "<table>" + strings.Repeat("<tr><td>Section:</td><td></td></tr>", n/35) },
	"sums": func(n int) string {
		return "<table>" + strings.Repeat("<tr><td>S:<tr><td>a<td>100<td>1<tr><td>b<td>200<td>2<tr><td>c<td>300<td>3<tr><td>d<td>7<td>7\n", n/90)
	},
	"one section of sums": func(n int) string {
		return "<table><tr><td>S:" + strings.Repeat("<tr><td>a<td>0<td>0\n<tr><td>b<td>100<td>100\n", n/40)
	},
	"own names": func(n int) string {
		return "<table>" + strings.Repeat("<tr><td>North (gain)/loss of trade:<tr><td>a<td>1", n/90) + strings.Repeat("<tr><td>Total gain of north trade<td>1", n/90)
	},
	"one name": func(n int) string {
		return "<table>" + strings.Repeat("<tr><td>Assets:<tr><td>a<td>1", n/60) + strings.Repeat("<tr><td>Total assets<td>1", n/60)
	},
	"heads of repeated rows": func(n int) string {
		return "<table>" + strings.Repeat("<tr><td colspan=2>h<td>1<tr><td>a<td><td>2<tr><td>b<td><td>3\n", n/62)
	},
	"years as values": func(n int) string {
		return "<table><tr><th>x<th>From<th>To" + strings.Repeat("<tr><td>a<td>2011<td>2023\n", n/26)
	},
	"headers that hold data": func(n int) string {
		return "<table><thead>" + strings.Repeat("<tr><th>a<th>$<th>1,000\n", n/24)
	},
	"captions":      func(n int) string { return strings.Repeat("Table 1: x\n\na\n\n1\n\n2\n\n", n/22) },
	"pictures":      func(n int) string { return strings.Repeat("![](tables/1)\n", n/14) },
	"notes":         func(n int) string { return strings.Repeat("|a|b|\n|-|-|\n\n(a) note\n", n/23) },
	"open fences":   func(n int) string { return strings.Repeat("```\n<table>\n", n/12) },
	"delimiters":    func(n int) string { return strings.Repeat("|-|\n", n/4) },
	"blank lines":   func(n int) string { return "<table>" + strings.Repeat(" \n", n/2) + "<td>" },
	"empty cells":   func(n int) string { return "<table><tr>" + strings.Repeat("<td></td>", n/9) },
	"attributes":    func(n int) string { return "<table><tr><td " + strings.Repeat("colspan=", n/8) + "=3>x" },
	"open comments": func(n int) string { return "<table><tr><td>" + strings.Repeat("<!--", n/4) },
	"entities":      func(n int) string { return "<table><tr><td>" + strings.Repeat("&amp", n/4) },
}

// TestHostileIsLinear makes each input eight times as long: the time grows by eight, and may by
// three times that (caches, garbage); a quadratic one grows by sixty-four.
func TestHostileIsLinear(t *testing.T) {
	testenv.Slow(t, "a ratio of times, which packages beside it disturb")
	const size, times = 1 << 16, 8
	for name, input := range hostile {
		t.Run(name, func(t *testing.T) {
			one, many := took(input(size)), took(input(times*size))
			if many > 3*times*one && many > 100*time.Millisecond || many > 2*time.Second {
				t.Errorf("%v for %d bytes, %v for %d times as many", one, size, many, times)
			}
		})
	}
}

// took is the less processor time of two runs.
func took(s string) time.Duration {
	run := func() time.Duration { return testenv.CPU(func() { Find([]byte(s), 1) }) }
	return min(run(), run())
}

func TestManyRowsAndColumns(t *testing.T) {
	tables := Find([]byte("<table>"+strings.Repeat("<tr><td>label<td>1<td>2</tr>\n", 100000)+"</table>"), 1)
	if len(tables) != 1 || len(tables[0].Rows) != 100000 {
		t.Fatalf("%d tables", len(tables))
	}
	if r := tables[0].Rows[99999]; r.Label != "label" || len(r.Cells) != 2 || r.Lines.Start != 100000 {
		t.Fatalf("last row %+v", r)
	}
	tables = Find([]byte(strings.Repeat("|h", 5000)+"|\n"+strings.Repeat("|-", 5000)+"|\n"+strings.Repeat("|7", 5000)+"|\n"), 1)
	if len(tables) != 1 || len(tables[0].Rows) != 1 || len(tables[0].Rows[0].Cells) != 4999 {
		t.Fatal("5,000 columns are not read")
	}
}

func TestBeyondTheLimitsTextStaysText(t *testing.T) {
	for name, row := range map[string]string{"pipe": "|x|1|\n", "html": "<tr><td>x<td>1\n"} {
		src := "<table>\n" + strings.Repeat(row, maxRows+1000)
		if name == "pipe" {
			src = "|a|b|\n|-|-|\n" + strings.Repeat(row, maxRows+1000)
		}
		tables := Find([]byte(src), 1)
		if len(tables) != 1 || len(tables[0].Rows) > maxRows || int(tables[0].Bytes.End) > len(src)-900*len(row) {
			t.Fatalf("%s: %d tables, the first to byte %v", name, len(tables), tables[0].Bytes)
		}
	}
}

// check holds what is true of every table, whatever the input.
func check(t *testing.T, src []byte, tables []Table) {
	t.Helper()
	lines, at := bytes.Count(src, []byte("\n"))+1, int64(0)
	cells := 0
	for i := range tables {
		tab := &tables[i]
		if tab.Bytes.Start < at || tab.Bytes.End < tab.Bytes.Start || tab.Bytes.End > int64(len(src)) {
			t.Fatalf("table %d has bytes %v after %d of %d", i, tab.Bytes, at, len(src))
		}
		at = tab.Bytes.End
		if tab.Lines.Start < 1 || tab.Lines.End < tab.Lines.Start || tab.Lines.End > lines {
			t.Fatalf("table %d has lines %v of %d", i, tab.Lines, lines)
		}
		if len(tab.Heads) == 0 || tab.Scale < 1 {
			t.Fatalf("table %d has no head or scale", i)
		}
		for j := range tab.Rows {
			r := &tab.Rows[j]
			if r.Head < 0 || r.Head >= len(tab.Heads) || r.Merged > len(r.Parents) || len(r.Parents) > 2*maxParents {
				t.Fatalf("row %+v", r)
			}
			for _, c := range r.Cells {
				cells++
				if c.Text == "" || c.Column < 1 || c.Span < 1 || c.Line < tab.Lines.Start || c.Line > tab.Lines.End {
					t.Fatalf("cell %+v of table %v", c, tab.Lines)
				}
				tab.Column(r, c.Column)
			}
			tab.Entry(r)
			AppendRow(nil, r)
		}
	}
	if cells > 2*len(src)+1000 {
		t.Fatalf("%d cells of %d bytes", cells, len(src))
	}
}

// parts are what seeded inputs are made of.
var parts = []string{"<table>", "</table>", "<tr>", "</tr>", "<td>", "</td>", "<th>", "</th>", "<thead>", "</thead>", "<tbody>", `<td colspan="3">`,
	`<td rowspan=2>`, `<th colspan=2 rowspan="2">`, "<caption>", "</caption>", "2022", "$", "1,234", ")", "(5", "%", "Total", "**Assets:**", "(in millions)",
	"|", "| a | 1 |\n", "|---|---|\n", "\n", "\n\n", " ", "Table 1: x", "![](tables/1.png)", "```", "<!--", "-->", "&amp;", "\\|", "> ", "—", "Year ended December 31,",
	"(a) note\n", "\x00", "\xff", "<td", "'", "\"", "# Head\n", "Таблица 2"}

func seeded(seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 3))
	var b bytes.Buffer
	for range r.IntN(120) {
		b.WriteString(parts[r.IntN(len(parts))])
	}
	return b.Bytes()
}

// TestSeeded runs a fixed number of inputs through what FuzzFind checks.
func TestSeeded(t *testing.T) {
	for seed := range uint64(5000) {
		src := seeded(seed)
		check(t, src, Find(src, 1))
	}
	for name, input := range hostile {
		t.Run(name, func(t *testing.T) {
			src := []byte(input(20000))
			check(t, src, Find(src, 1))
		})
	}
}

func FuzzFind(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seeded(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) { check(t, src, Find(src, 1)) })
}

func ExampleFind() {
	src := "In millions\n\n| | 2022 | 2021 |\n|---|---|---|\n| Net revenue | $ 23,601 | $ 16,434 |\n"
	t := Find([]byte(src), 1)[0]
	r := &t.Rows[0]
	for _, c := range r.Cells {
		fmt.Println(r.Label, t.Column(r, c.Column).Path, c.Text, t.Unit, "line", c.Line)
	}
	// Output:
	// Net revenue [2022] $ 23,601 In millions line 5
	// Net revenue [2021] $ 16,434 In millions line 5
}
