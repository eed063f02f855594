package layout

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/source/pdf/content"
	"github.com/fingerpost/fingerpost/pkg/testenv"
)

var (
	plain = &content.Font{Name: "Plain"}
	bold  = &content.Font{Name: "Plain-Bold", Bold: true}
)

// run is a text of size 10 at (x, y); each character is 5 wide.
func run(x, y float32, f *content.Font, text string) content.Run {
	return content.Run{Text: text, X0: x, X1: x + 5*float32(len(text)), Y0: y - 7, Y1: y + 2, Base: y, Size: 10, Font: f}
}

// at is run with its right edge at x.
func at(x, y float32, text string) content.Run { return run(x-5*float32(len(text)), y, plain, text) }

func sheetOf(runs ...content.Run) content.Page {
	return content.Page{Width: 612, Height: 792, Runs: runs}
}

func compose(pages ...content.Page) string {
	return string(Compose(&content.Document{Pages: pages}, Options{}).Markdown)
}

func TestLinesCellsAndScripts(t *testing.T) {
	small := run(136, 96, plain, "(1)")
	small.Size = 6
	p := content.Page{Width: 612, Height: 792, Runs: []content.Run{run(300, 100, plain, "far"), run(72, 100, plain, "near and"), run(114, 100, bold, "bold"), small, run(72, 112, plain, "below")}}
	lines := newPage(0, &p).lines
	if len(lines) != 2 || len(lines[0].cells) != 2 {
		t.Fatalf("%d lines", len(lines))
	}
	if got := lines[0].text(); got != "near and bold (1) far" && got != "near and bold(1) far" {
		t.Errorf("%q", got)
	}
	if lines[0].bold || lines[0].lead != 0 {
		t.Error("the line is not bold")
	}
}

func TestWhatBeginsATitle(t *testing.T) {
	for text, want := range map[string]bool{"Risk Factors": true, "risk factors": false, "(a) In general": true, "(in millions)": false, "• Point": false, "Sold, and": true,
		"Sold;": false, "12 Monkeys": true, "“Quoted” Title": true, "日本": true, "*Footnote": false} {
		if got := begins(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestJoinSigns(t *testing.T) {
	for _, c := range []struct {
		in   string
		want string
	}{
		{"Cash|$|1,234|$|987", "Cash|$1,234|$987"},
		{"Loss|(56|)|(7|)", "Loss|(56)|(7)"},
		{"Share|12|%|(3|)%", "Share|12%|(3)%"},
		{"Both|1,234 987", "Both|1,234|987"},
		{"Text|more text 12", "Text|more text 12"},
		{"Next|(2.02) $|3.88", "Next|(2.02)|$3.88"},
		{"Dash|—|$|—", "Dash|—|$—"},
	} {
		var cells []cell
		for i, s := range strings.Split(c.in, "|") {
			cells = append(cells, cell{text: s, x0: float32(100 * i), x1: float32(100*i + 50)})
		}
		var got []string
		for _, x := range joinSigns(cells) {
			got = append(got, x.text)
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%s: %s, want %s", c.in, strings.Join(got, "|"), c.want)
		}
	}
}

func TestPageNumbersRise(t *testing.T) {
	for text, want := range map[string]int{"12": 12, "- 12 -": 12, "Page 3 of 90": 3, "12.": 0, "2022": 2022, "xii": 0, "": 0, "12 apples": 0} {
		if n, ok := pageNumber(text); n != want && ok || ok != (want > 0) {
			t.Errorf("%q: %d %v", text, n, ok)
		}
	}
	for text, want := range map[string]int{"2019 FORM 10-K 41": 41, "42 NIKE, INC.": 42, "Note 7": 0, "Clause 12": 0, "Annual Report": 0} {
		if n, _ := numberBeside(text); n != want {
			t.Errorf("%q: %d, want %d", text, n, want)
		}
	}
}

func TestHyphensAtLineEnds(t *testing.T) {
	w := &writer{words: map[string]int{"international": 3, "long-term": 2}}
	for _, c := range [][3]string{{"inter\u00ad", "national trade", "international trade"}, {"a long\u00ad", "term loan", "a long-term loan"},
		{"a long-", "term loan", "a long-term loan"}, {"end.", "Next", "end. Next"}, {"10\u00ad", "K filing", "10-K filing"}} {
		if got := w.join(c[0], c[1]); got != c[2] {
			t.Errorf("%q + %q = %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

func TestLettersThatFontsLose(t *testing.T) {
	w := &writer{words: map[string]int{"effectively": 4, "ectively": 1, "sheet": 9, "shee": 1, "office": 5, "ice": 2, "operations": 9}}
	slanted := &line{italic: true}
	for in, want := range map[string]string{"ef ectively": "effectively", "cost of ice": "cost ofice"} {
		got := w.mend(slanted, in)
		if in == "cost of ice" {
			want = "cost office" // the price of the rule: only in slanted letters, and only where the word is frequent
		}
		if got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{"Balance Shee t": "Balance Sheet", "RESULTS OF OPERATI ONS": "RESULTS OF OPERATIONS", "Registrant’ s Stock": "Registrant’s Stock", "Plan A is good": "Plan A is good"} {
		if got := w.close(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestEscapes(t *testing.T) {
	for in, want := range map[string]string{"# no title": `\# no title`, "a < b": "a < b", "<script>": `\<script>`, "- a point": `\- a point`, "-5 degrees": "-5 degrees",
		"===": `\===`, "```": "\\```", "plain": "plain", "| bar": `\| bar`} {
		if got := escape(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := pipe([]string{"a|b", "", "c"}); got != `| a\|b | | c |` {
		t.Errorf("%q", got)
	}
}

func TestLevelsOfAFiling(t *testing.T) {
	d := &ladder{items: 6}
	for _, c := range []struct {
		title string
		score float64
		level int
	}{
		{"PART II", 100, 1}, {"Item 7. Discussion", 100, 2}, {"Overview", 110, 3}, {"Outlook", 106, 4}, {"Results", 110, 3},
		{"Item 8. Financial Statements", 100, 2}, {"Consolidated Balance Sheets", 106, 3}, {"Notes to Consolidated Financial Statements", 106, 3},
		{"NOTE 1 — Basis", 106, 4}, {"Estimates", 104, 5}, {"NOTE 2 — Revenue", 106, 4}, {"SIGNATURES", 106, 1}, {"Exhibit 21", 100, 1}, {"Subsidiaries", 106, 2}, {"EXHIBIT 23.1", 100, 1},
	} {
		h := &head{title: c.title, score: c.score, style: fmt.Sprint(c.score)}
		if d.put(h); h.level != c.level {
			t.Errorf("%q: level %d, want %d", c.title, h.level, c.level)
		}
	}
}

func TestCountedNotesAndDottedSections(t *testing.T) {
	d := &ladder{items: 6}
	for _, c := range []struct {
		title string
		level int
	}{{"Item 8. Financial Statements", 2}, {"Notes to Consolidated Financial Statements", 3}, {"1. Policies", 4}, {"Use of Estimates", 5}, {"2. Revenue", 4}, {"4. Out of Count", 5}} {
		h := &head{title: c.title, score: 100, style: "x" + c.title[:3]}
		if d.put(h); h.level != c.level {
			t.Errorf("%q: level %d, want %d", c.title, h.level, c.level)
		}
	}
	d = &ladder{dotted: 3}
	for title, level := range map[string]int{"2 Method": 1, "2.1 Data": 2, "2.1.3 Labels": 3} {
		h := &head{title: title, score: 100, style: "y"}
		if d.put(h); h.level != level {
			t.Errorf("%q: level %d, want %d", title, h.level, level)
		}
	}
}

func TestStatementPageGetsAHeading(t *testing.T) {
	labels := []string{"Cash and equivalents", "Receivables", "Inventories", "Total current assets", "Property", "Total assets", "Accounts payable", "Total current liabilities",
		"Long-term debt", "Common stock", "Retained earnings", "Total equity", "Total liabilities and equity"}
	var runs []content.Run
	for i, l := range labels {
		y := 120 + 14*float32(i)
		runs = append(runs, run(72, y, plain, l), at(400, y, fmt.Sprint(1000+i)), at(500, y, fmt.Sprint(900+i)))
	}
	if md := compose(sheetOf(runs...)); !strings.Contains(md, "# Balance sheet\n") {
		t.Errorf("no heading in\n%s", md)
	}
	named := append([]content.Run{run(72, 80, plain, "Consolidated Statements of Financial Condition")}, runs...)
	if md := compose(sheetOf(named...)); strings.Contains(md, "# Balance sheet") || !strings.Contains(md, "# Consolidated Statements of Financial Condition\n") {
		t.Errorf("the line that names it is no heading in\n%s", md)
	}
}

// hostile is a page of runs at random places, sizes and lengths.
func hostile(r *rand.Rand) content.Page {
	p := content.Page{Width: r.Float32() * 2000, Height: r.Float32() * 2000}
	words := []string{"Item 7", "1,234", "$", ")", "%", "Total assets", "A|B", "<b>", "# x", "\u00ad", "Note 3", "2022", "—", strings.Repeat("x", 300), "ARTICLE I", "  ", "\x00", "١٢", "10.1"}
	for range r.IntN(120) {
		x, y, s := r.Float32()*2000-200, r.Float32()*2000-200, r.Float32()*60
		p.Runs = append(p.Runs, content.Run{Text: words[r.IntN(len(words))], X0: x, X1: x + r.Float32()*300 - 20, Y0: y, Y1: y + s, Base: y + s, Size: s - 5, Font: []*content.Font{plain, bold}[r.IntN(2)]})
	}
	for range r.IntN(12) {
		p.Links = append(p.Links, content.Link{X0: r.Float32() * 600, X1: 700, Y0: r.Float32() * 600, Y1: 700, Page: r.IntN(3), Y: r.Float32()*900 - 1})
	}
	return p
}

// Whatever stands on the pages: an answer, a place a line, every page marked, the same twice.
func TestAnythingAnywhere(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		d := &content.Document{Pages: []content.Page{hostile(r), hostile(r), hostile(r)}}
		for range r.IntN(9) {
			d.Bookmark = append(d.Bookmark, content.Bookmark{Title: "Item 7", Depth: r.IntN(40), Page: r.IntN(4) - 1, Y: r.Float32() * 800})
		}
		res := Compose(d, Options{})
		if n := bytes.Count(res.Markdown, []byte("\n")); n != len(res.Places) {
			t.Fatalf("seed %d: %d places for %d lines", seed, len(res.Places), n)
		}
		if n := bytes.Count(res.Markdown, []byte("<!-- page: ")); n != 3 {
			t.Fatalf("seed %d: %d pages", seed, n)
		}
		if bytes.ContainsAny(res.Markdown, "\x00\r") {
			t.Fatalf("seed %d: control characters", seed)
		}
		if again := Compose(d, Options{}); !bytes.Equal(again.Markdown, res.Markdown) {
			t.Fatalf("seed %d: another Markdown the second time", seed)
		}
	}
}

// One page of everything that a page may hold takes time that grows no faster than it does.
func TestFullPagesTakeLinearTime(t *testing.T) {
	took := func(n int) time.Duration {
		p := content.Page{Width: 612, Height: 792}
		for i := range n {
			p.Runs = append(p.Runs, run(float32(72+i%5*100), float32(20+i/5), plain, "1,234"))
		}
		return testenv.CPU(func() { compose(p) })
	}
	took(2000)
	small, large := took(4000), took(32_000)
	if large > 40*small+200*time.Millisecond {
		t.Errorf("8 times as much took %v instead of %v", large, small)
	}
}

func FuzzText(f *testing.F) {
	f.Add("Item 7. Discussion", "1,234", "(56")
	f.Add("# x", "<!-- page: 9 -->", "| a |")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		md := compose(sheetOf(run(72, 100, bold, a), run(72, 120, plain, b), at(500, 120, c), run(72, 140, plain, c), at(500, 140, b)))
		if n := strings.Count(md, "\n<!-- page: ") + strings.Count(md[:min(11, len(md))], "<!-- page: "); n != 1 {
			t.Errorf("%d page marks in %q", n, md)
		}
	})
}

func TestTableOverAPageBreakKeepsItsHeader(t *testing.T) {
	rows := func(y float32, from, to int) (out []content.Run) {
		for i := from; i < to; i++ {
			out = append(out, run(72, y, plain, fmt.Sprintf("Row number %c", 'a'+i)), at(400, y, fmt.Sprint(1000+i)), at(500, y, fmt.Sprint(9000+i)))
			y += 14
		}
		return out
	}
	first := append([]content.Run{at(400, 100, "2022"), at(500, 100, "2021")}, rows(114, 0, 6)...)
	md := compose(sheetOf(first...), sheetOf(rows(80, 6, 12)...))
	if n := strings.Count(md, "| | 2022 | 2021 |"); n != 2 {
		t.Errorf("the header stands %d times, want on both pages:\n%s", n, md)
	}
	md = compose(sheetOf(first...), sheetOf(append([]content.Run{run(72, 60, bold, "Another Matter")}, rows(100, 6, 12)...)...))
	if n := strings.Count(md, "| | 2022 | 2021 |"); n != 1 {
		t.Errorf("the header of a table before other text was repeated:\n%s", md)
	}
}
