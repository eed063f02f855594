package pdf

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/outline"
	"github.com/fingerpost/fingerpost/pkg/source/pdf/pdftest"
	"github.com/fingerpost/fingerpost/pkg/testenv"
)

// Levels come from the numbers of titles and from their style, over the whole document: they are neither all equal nor counted anew on
// each page.
func TestKnown58LevelsAreInferred(t *testing.T) {
	d := pdftest.New()
	for i, page := range [][]string{{"1 Ships", "1.1 Hulls", "1.1.1 Planks"}, {"1.1.2 Nails", "1.2 Sails", "2 Harbours"}} {
		p := d.Page()
		y := 80.0
		for _, title := range page {
			p.Text(72, y, 12, pdftest.Bold, title)
			y = fill(p, y+24, 5+i) + 12
		}
	}
	r, err := Parse(context.Background(), "x.pdf", d.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	tree, err := outline.Build("", "", r.Markdown, outline.Options{KeepLevels: r.KnownLevels})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range tree.Nodes[1:] {
		got = append(got, itoa(n.Level)+" "+n.Title)
	}
	if s := strings.Join(got, "; "); s != "1 1 Ships; 2 1.1 Hulls; 3 1.1.1 Planks; 3 1.1.2 Nails; 2 1.2 Sails; 1 2 Harbours" {
		t.Error(s)
	}
}

// A table that goes on, on the next page, keeps its header there.
func TestKnown60TablesOverPagesKeepTheirHeader(t *testing.T) {
	d := pdftest.New()
	for page := range 2 {
		p := d.Page()
		y := 100.0
		if page == 0 {
			p.Text(72, y, 8, pdftest.Plain, "(In millions)").Right(430, y, 8, pdftest.Bold, "2022").Right(530, y, 8, pdftest.Bold, "2021")
		}
		for i := range 12 {
			y += 14
			p.Text(72, y, 8, pdftest.Plain, "Row "+itoa(12*page+i)).Right(430, y, 8, pdftest.Plain, itoa(100+i)).Right(530, y, 8, pdftest.Plain, itoa(200+i))
		}
	}
	wants(t, markdown(t, d), "| (In millions) | 2022 | 2021 |", "| Row 11 | 111 | 211 |", "<!-- page: 2 -->", "| (In millions) | 2022 | 2021 |", "| Row 12 | 100 | 200 |")
}

// The process that asks stays small while a child reads: what it holds is the answer, not the file's pages.
func TestTheParentStaysSmall(t *testing.T) {
	before := used(os.Getpid()).memory
	if before == 0 {
		testenv.Missing(t, "/proc to read our own memory from")
	}
	raw, done, peak := pdftest.Many(3000), make(chan struct{}), make(chan int64)
	go func() {
		most := int64(0)
		for tick := time.NewTicker(5 * time.Millisecond); ; {
			select {
			case <-done:
				tick.Stop()
				peak <- most
				return
			case <-tick.C:
				most = max(most, used(os.Getpid()).memory)
			}
		}
	}()
	_, err := Parse(context.Background(), "x.pdf", raw)
	close(done)
	grown := <-peak - before
	if err != nil || grown > 150e6 {
		t.Errorf("%d MB more, %v", grown/1e6, err)
	}
	t.Logf("%d MB resident before, %d MB more while a file of 3,000 pages was read", before/1e6, grown/1e6)
}

// With a warm cache a child is up and has read one page in .3 s of processor time: the best of five counts, the machine is busy.
func TestAChildIsUpSoon(t *testing.T) {
	raw, best := pdftest.Many(1), time.Hour
	for range 5 {
		r, err := Parse(context.Background(), "x.pdf", raw)
		if err != nil {
			t.Fatal(err)
		}
		best = min(best, r.CPU)
	}
	t.Logf("%v", best)
	if best > 300*time.Millisecond {
		t.Errorf("%v", best)
	}
}
