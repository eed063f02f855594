package pdf

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/source/pdf/pdftest"
)

func TestLimitsEndTheChild(t *testing.T) {
	many := pdftest.Many(2000)
	for name, c := range map[string]struct {
		l     Limits
		class doc.Class
	}{
		"bytes":  {Limits{Bytes: 1000}, doc.TooLarge},
		"pages":  {Limits{Pages: 100}, doc.TooLarge},
		"wall":   {Limits{Wall: time.Millisecond}, doc.ResourceLimit},
		"memory": {Limits{Memory: 40e6}, doc.ResourceLimit},
	} {
		_, err := c.l.Parse(context.Background(), "x.pdf", many)
		if v, class := fault.Of(err); v != fault.Fail || class != c.class {
			t.Errorf("%s: %v, %s, want %s", name, err, class, c.class)
		}
	}
}

func TestCancelledParseIsNoFaultOfTheFile(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("shutting down")
	cancel(why)
	_, err := Parse(ctx, "x.pdf", pdftest.Many(1))
	if v, _ := fault.Of(err); v != fault.Retry || !errors.Is(err, why) && !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestTenThousandTinyPages(t *testing.T) {
	r, err := Parse(context.Background(), "x.pdf", pdftest.Many(10_000))
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(r.Markdown, []byte("<!-- page: ")); n != 10_000 {
		t.Errorf("%d pages", n)
	}
	t.Logf("CPU %v, %d MB", r.CPU, r.MaxMemory/1e6)
	if r.MaxMemory > 500e6 {
		t.Errorf("%d MB resident", r.MaxMemory/1e6)
	}
}

func TestTheSameFileGivesTheSameBytes(t *testing.T) {
	d := pdftest.New()
	for i := range 4 {
		p := d.Page()
		p.Text(72, 72, 14, pdftest.Bold, "Heading "+itoa(i))
		fill(p, 110, 20)
	}
	raw := d.Bytes()
	one, err := Parse(context.Background(), "x.pdf", raw)
	if err != nil {
		t.Fatal(err)
	}
	two, err := Parse(context.Background(), "x.pdf", raw)
	if err != nil || !bytes.Equal(one.Markdown, two.Markdown) || !bytes.Equal(one.Layout, two.Layout) {
		t.Errorf("another answer the second time, %v", err)
	}
}
