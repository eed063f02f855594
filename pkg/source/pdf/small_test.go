package pdf

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/source/pdf/pdftest"
)

// markdown parses a small file.
func markdown(t *testing.T, d *pdftest.Doc) string {
	t.Helper()
	r, err := Parse(context.Background(), "small.pdf", d.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return string(r.Markdown)
}

// wants fails for each part that does not stand in md, in that order.
func wants(t *testing.T, md string, parts ...string) {
	t.Helper()
	rest := md
	for _, p := range parts {
		_, after, ok := strings.Cut(rest, p)
		if !ok {
			t.Errorf("no %q, or not in its place, in:\n%s", p, md)
			return
		}
		rest = after
	}
}

const prose = "The quick brown fox jumps over the lazy dog and runs away"

// fill writes n lines of text.
func fill(p *pdftest.Page, y float64, n int) float64 {
	for range n {
		y = p.Lines(72, y, 10, 12, pdftest.Plain, prose)
	}
	return y + 12
}

func TestOutlineGivesLevelsAndUnboundEntriesBecomeHeadings(t *testing.T) {
	d := pdftest.New()
	for i, title := range []string{"Alpha", "Beta", "Gamma", "Delta", "Epsilon"} {
		p := d.Page()
		d.Mark(title, i, 72)
		if title != "Gamma" {
			p.Text(72, 80, 16, pdftest.Bold, title)
		}
		fill(p, 110, 8)
	}
	wants(t, markdown(t, d), "<!-- page: 1 -->", "# Alpha\n", prose, "# Beta\n", "<!-- page: 3 -->", "# Gamma\n", "# Delta\n")
}

func TestLinkedContents(t *testing.T) {
	d := pdftest.New()
	c := d.Page()
	c.Text(250, 60, 12, pdftest.Bold, "Table of Contents")
	titles := []string{"Part I", "Item 1. Business", "Item 1A. Risk Factors", "Item 2. Properties", "Item 3. Legal Proceedings", "Item 4. Safety",
		"Item 5. Market", "Item 6. Reserved", "Item 7. Discussion"}
	for i, title := range titles {
		y := 100 + 20*float64(i)
		c.Text(72, y, 10, pdftest.Plain, title).Right(540, y, 10, pdftest.Plain, string(rune('2'+i)))
		c.Link(72, y-8, 540, y+2, i+1, 60)
	}
	for _, title := range titles {
		p := d.Page()
		p.Text(72, 72, 10, pdftest.Plain, title) // in no way different from the text
		fill(p, 100, 6)
	}
	md := markdown(t, d)
	wants(t, md, "Table of Contents", "| Item 1. Business |", "# Part I\n", "## Item 1. Business\n", "## Item 7. Discussion\n")
	if strings.Contains(md, "\n## Item 1. Business\n\n| ") {
		t.Error("an entry of the contents became a heading")
	}
}

func TestTwoColumnsAreReadOneAfterTheOther(t *testing.T) {
	d := pdftest.New()
	p := d.Page()
	p.Text(180, 60, 16, pdftest.Bold, "A Paper in Two Columns")
	for i := range 30 {
		y := 100 + 12*float64(i)
		p.Text(60, y, 9, pdftest.Plain, "left words run on along to here "+string(rune('a'+i%26)))
		p.Text(320, y, 9, pdftest.Plain, "right words run on along to here "+string(rune('a'+i%26)))
	}
	md := markdown(t, d)
	wants(t, md, "# A Paper in Two Columns", "left words")
	if strings.LastIndex(md, "left words") > strings.Index(md, "right words") {
		t.Errorf("columns are mixed:\n%s", md)
	}
}

func TestTableWithWrappedLabelsSignsAndUnits(t *testing.T) {
	d := pdftest.New()
	p := d.Page()
	y := fill(p, 80, 4)
	p.Right(430, y, 8, pdftest.Bold, "2022").Right(530, y, 8, pdftest.Bold, "2021").Text(72, y, 8, pdftest.Plain, "(In millions)")
	row := func(label, a, b string) {
		y += 14
		p.Text(72, y, 8, pdftest.Plain, label)
		if a != "" {
			p.Right(430, y, 8, pdftest.Plain, a).Right(530, y, 8, pdftest.Plain, b)
		}
	}
	row("Current assets:", "", "")
	row("Cash", "1,234", "987")
	p.Text(380, y, 8, pdftest.Plain, "$").Text(480, y, 8, pdftest.Plain, "$")
	row("Receivables", "(56", "1")
	p.Text(431, y, 8, pdftest.Plain, ")")
	row("Customer and other accounts payable that are", "", "")
	y -= 4
	row("wrapped over lines", "77", "88")
	row("Total", "1,255", "1,076")
	y = fill(p, y+30, 3)
	wants(t, markdown(t, d), "| (In millions) | 2022 | 2021 |", "| --- | --- | --- |", "| Current assets: | | |", "| Cash | $1,234 | $987 |", "| Receivables | (56) | 1 |",
		"| Customer and other accounts payable that are wrapped over lines | 77 | 88 |", "| Total | 1,255 | 1,076 |")
}

func TestRunningHeadsAndPageNumbersGoAndBecomeLabels(t *testing.T) {
	d := pdftest.New()
	for i := range 8 {
		p := d.Page()
		p.Text(72, 40, 9, pdftest.Plain, "Annual Report of Somebody")
		fill(p, 100, 5)
		p.Text(300, 760, 9, pdftest.Plain, string(rune('3'+i)))
	}
	r, err := Parse(context.Background(), "x.pdf", d.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(r.Markdown), "Annual Report of Somebody"); n != 1 {
		t.Errorf("the running head stands %d times, want once", n)
	}
	if strings.Contains(string(r.Markdown), "\n4\n") {
		t.Error("a page number is text")
	}
	l, err := ReadLayout(r.Layout)
	if err != nil || len(l.Pages) != 8 || l.Pages[0].Label != "3" || l.Pages[6].Label != "9" {
		t.Errorf("pages %+v, %v", l, err)
	}
}

func TestLettersOfAllKinds(t *testing.T) {
	d := pdftest.New()
	p := d.Page()
	p.Text(72, 80, 16, pdftest.Wide, "Статья 15. Ответственность сторон")
	p.Lines(72, 120, 10, 12, pdftest.Wide, "Стороны несут ответственность за ущерб.", "日本語の文書も読める。東京都。")
	p.Lines(72, 160, 10, 12, pdftest.Plain, "The ofﬁce of the ﬂeet is efﬁcient, and inter-", "national trade is international. <b>No tag</b>.")
	md := markdown(t, d)
	wants(t, md, "# Статья 15. Ответственность сторон", "Стороны несут ответственность за ущерб.", "日本語の文書も読める。東京都。", "The office of the fleet is efficient, and international trade", `\<b>No tag\</b>`)
}

func TestRotatedPages(t *testing.T) {
	for q := range 4 {
		d := pdftest.New()
		p := d.Page().Rotate(q)
		m := [][6]int{{1, 0, 0, 1, 0, 0}, {0, 1, -1, 0, 612, 0}, {-1, 0, 0, -1, 612, 792}, {0, -1, 1, 0, 0, 792}}[q] // upright as shown
		for i, s := range []string{"First line of the page, which is upright", "Second line of the page, which is upright"} {
			p.Raw(strings.NewReplacer("A", itoa(m[0]), "B", itoa(m[1]), "C", itoa(m[2]), "D", itoa(m[3]), "E", itoa(m[4]), "F", itoa(m[5])).Replace("q A B C D E F cm") +
				" BT /F1 10 Tf 72 " + itoa(500-14*i) + " Td (" + s + ") Tj ET Q")
		}
		wants(t, markdown(t, d), "First line of the page, which is upright Second line of the page, which is upright")
	}
}

func TestTextAcrossThePageIsTurned(t *testing.T) {
	d := pdftest.New()
	p := d.Page()
	for i, s := range []string{"A wide table is printed across this page,", "line after line, from the foot upwards"} {
		p.Raw("BT /F1 10 Tf 0 1 -1 0 " + itoa(200+14*i) + " 100 Tm (" + s + ") Tj ET")
	}
	wants(t, markdown(t, d), "A wide table is printed across this page, line after line, from the foot upwards")
}

func itoa(n int) string {
	if n < 0 {
		return "-" + itoa(-n)
	}
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}

func TestBoxesLeadBackToThePage(t *testing.T) {
	d := pdftest.New()
	d.Page()
	p := d.Page()
	p.Text(72, 100, 16, pdftest.Bold, "Where It Stands")
	p.Text(72, 140, 10, pdftest.Plain, "A sentence at a known place of the page.")
	r, err := Parse(context.Background(), "x.pdf", d.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	l, err := ReadLayout(r.Layout)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(r.Markdown), "\n")
	if len(l.Lines) != len(lines)-1 {
		t.Fatalf("%d places for %d lines", len(l.Lines), len(lines)-1)
	}
	for i, s := range lines {
		if !strings.HasPrefix(s, "A sentence") {
			continue
		}
		page, b, ok := l.At(i + 1)
		if !ok || page != 2 || b[0] < 70 || b[0] > 75 || b[1] < 130 || b[3] > 145 || b[2] < 300 || b[2] > 320 {
			t.Errorf("line %d stands on page %d at %v", i+1, page, b)
		}
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	text := func() *pdftest.Doc {
		d := pdftest.New()
		fill(d.Page(), 80, 5)
		return d
	}
	scan := pdftest.New()
	for range 3 {
		scan.Page().Picture(0, 0, 612, 792)
	}
	blind := pdftest.New()
	blind.Page().Lines(72, 100, 10, 12, pdftest.Blind, prose, prose, prose)
	blank := pdftest.New()
	blank.Page()
	sound := text().Bytes()
	for name, c := range map[string]struct {
		raw     []byte
		verdict fault.Verdict
		class   doc.Class
	}{
		"a user password":    {text().Encrypt("secret").Bytes(), fault.Fail, doc.Encrypted},
		"an empty password":  {text().Encrypt("").Bytes(), 0, ""},
		"a scan":             {scan.Bytes(), fault.Fail, doc.NeedsOCR},
		"fonts without maps": {blind.Bytes(), fault.Fail, doc.NeedsOCR},
		"nothing on it":      {blank.Bytes(), fault.Skip, doc.Empty},
		"no pages":           {pdftest.NoPages(), fault.Fail, doc.Corrupt},
		"a circle of pages":  {pdftest.Loop(), fault.Fail, doc.Corrupt},
		"deep arrays":        {pdftest.Nested(100_000), fault.Fail, doc.Corrupt},
		"cut in the middle":  {sound[:len(sound)/3], fault.Fail, doc.Corrupt},
		"only a header":      {[]byte("%PDF-1.7\n"), fault.Fail, doc.Corrupt},
		"no PDF":             {[]byte("# Markdown\n"), fault.Fail, doc.Corrupt},
		"a bomb":             {pdftest.Bomb(600<<20, true), fault.Fail, doc.ResourceLimit},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := Limits{CPU: 20 * time.Second}.Parse(context.Background(), "x.pdf", c.raw)
			v, class := fault.Of(err)
			if err == nil {
				v, class = 0, ""
			}
			if v != c.verdict || class != c.class {
				t.Errorf("%v, %s, want %v, %s: %v\n%s", v, class, c.verdict, c.class, err, r.Markdown)
			}
		})
	}
}
