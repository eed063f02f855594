package pdf

import (
	"bytes"
	"context"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/source/pdf/pdftest"
)

func parse(t *testing.T, l Limits, d *pdftest.Doc) (Result, *Layout) {
	t.Helper()
	r, err := l.Parse(context.Background(), "small.pdf", d.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	side, err := ReadLayout(r.Layout)
	if err != nil {
		t.Fatal(err)
	}
	return r, side
}

// A picture becomes an object with its caption and place, and the Source links it there; a mark on every page does not.
func TestFiguresAreObjectsWithCaptionAndPlace(t *testing.T) {
	d := pdftest.New()
	for i := range 5 {
		p := d.Page()
		p.Picture(450, 20, 100, 60)
		y := fill(p, 100, 6)
		if i == 2 {
			p.Picture(100, y, 300, 150)
			p.Text(100, y+170, 10, pdftest.Plain, "Figure 7: Ships that came back from the north")
			fill(p, y+200, 6)
		}
	}
	r, side := parse(t, Limits{}, d)
	if len(r.Figures) != 1 || len(side.Figures) != 1 {
		t.Fatalf("%d images, %+v", len(r.Figures), side.Figures)
	}
	f := side.Figures[0]
	if f.Name != r.Figures[0].Name || f.Page != 3 || f.Caption != "Figure 7: Ships that came back from the north" || f.X0 != 100 || f.X1 != 400 || f.Y1-f.Y0 != 150 {
		t.Errorf("%+v", f)
	}
	wants(t, string(r.Markdown), "<!-- page: 3 -->", prose, "![Figure 7](figures/p3-1.png)\n", "Figure 7: Ships", "<!-- page: 4 -->")
	if lines := strings.Split(string(r.Markdown), "\n"); !strings.HasPrefix(lines[f.Line-1], "![Figure 7]") {
		t.Errorf("line %d is %q", f.Line, lines[f.Line-1])
	}
	img, err := png.Decode(bytes.NewReader(r.Figures[0].PNG))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() < 450 || b.Dx() > 465 || b.Dy() < 225 || b.Dy() > 235 {
		t.Errorf("%v for 300 by 150 points at %d dots an inch", b, figureDPI)
	}
}

// The file's own structure tells headings and levels that look like text; a handful of lines must say so before it counts.
func TestTagsMakeHeadings(t *testing.T) {
	d := pdftest.New()
	for _, title := range []string{"How ships are built", "How ships are repaired", "How ships are sold"} {
		p := d.Page()
		p.Tagged(1, 72, 100, 10, pdftest.Plain, title)
		fill(p, 130, 6)
		p.Tagged(3, 72, 300, 10, pdftest.Plain, "in the north of it")
		fill(p, 330, 6)
	}
	r, side := parse(t, Limits{}, d)
	wants(t, string(r.Markdown), "# How ships are built\n", "### in the north of it\n", "# How ships are repaired\n", "# How ships are sold\n")
	if !side.Tagged || side.Headings[0].Why != "tags" {
		t.Errorf("%v, %+v", side.Tagged, side.Headings)
	}
	few := pdftest.New()
	p := few.Page()
	p.Tagged(1, 72, 100, 10, pdftest.Plain, "how ships are built")
	fill(p, 130, 20)
	if md := markdown(t, few); strings.Contains(md, "# ") {
		t.Errorf("one tag made a heading:\n%s", md)
	}
}

// Levels that Markdown cannot write are kept beside it.
func TestLevelsDeeperThanMarkdownHas(t *testing.T) {
	d := pdftest.New()
	for i := range 8 {
		p := d.Page()
		title := "Level " + itoa(i+1)
		d.MarkAt(i+1, title, i, 72)
		p.Text(72, 80, 16, pdftest.Bold, title)
		fill(p, 110, 8)
	}
	r, side := parse(t, Limits{}, d)
	wants(t, string(r.Markdown), "# Level 1\n", "###### Level 6\n", "###### Level 8\n")
	if last := side.Headings[7]; last.Level != 8 || r.Levels[last.Line] != 8 || len(r.Levels) != 2 {
		t.Errorf("%+v, %v", side.Headings, r.Levels)
	}
}

// lie is a file whose font shows one text and names another.
func lie() *pdftest.Doc {
	d := pdftest.New()
	p := d.Page()
	swap := strings.NewReplacer("a", "x", "e", "q", "i", "z", "o", "v", "u", "k", "x", "a", "q", "e", "z", "i", "v", "o", "k", "u")
	for i := range 10 {
		p.Text(72, 100+14*float64(i), 10, pdftest.Plain, swap.Replace(prose))
	}
	return d
}

// A text that is none is scored low and found by windows; where poppler is configured and reads better, its text is taken.
func TestLowQualityEndsInWindowsOrWithAnotherEngine(t *testing.T) {
	r, side := parse(t, Limits{}, lie())
	if r.Quality >= lowQuality || side.Quality != r.Quality || *side.Pages[0].Quality >= lowQuality || !strings.Contains(r.Windows, "low quality") {
		t.Errorf("quality %.2f, windows %q, %+v", r.Quality, r.Windows, side.Pages)
	}
	good := pdftest.New()
	fill(good.Page(), 100, 10)
	if r, _ := parse(t, Limits{}, good); r.Quality != 1 || r.Windows != "" {
		t.Errorf("quality %.2f, windows %q", r.Quality, r.Windows)
	}
	other := filepath.Join(t.TempDir(), "pdftotext")
	write(t, other, "#!/bin/sh\n/bin/cat >/dev/null\nprintf 'The text as another engine reads it.\\n\\nIts # second\\nparagraph.\\n\\fThe other page.\\n\\f'\n")
	r, side = parse(t, Limits{Pdftotext: other}, lie())
	if want := "<!-- page: 1 -->\n\nThe text as another engine reads it.\n\nIts # second paragraph.\n\n<!-- page: 2 -->\n\nThe other page.\n\n"; string(r.Markdown) != want {
		t.Errorf("got\n%s", r.Markdown)
	}
	if page, _, ok := side.At(9); !ok || page != 2 || r.Pages != 2 || r.Windows == "" || len(r.Warnings) != 1 {
		t.Errorf("page %d, %+v", page, r)
	}
	write(t, other, "#!/bin/sh\nexit 3\n") // what fails is as if it were not there
	if r, _ := parse(t, Limits{Pdftotext: other}, lie()); !strings.Contains(r.Windows, "low quality") {
		t.Errorf("windows %q", r.Windows)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}
