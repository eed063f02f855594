package pdf

import (
	"bytes"
	"context"
	"image/png"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/source/pdf/pdftest"
)

func TestPageImageMarksTheBox(t *testing.T) {
	d := pdftest.New()
	d.Page().Text(72, 100, 20, pdftest.Bold, "Marked")
	raw := d.Bytes()
	b, err := Image(context.Background(), "x.pdf", raw, 1, 72, []Box{{1, 72, 84, 144, 104}, {2, 0, 0, 600, 700}})
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if s := img.Bounds().Size(); s.X != 612 || s.Y != 792 {
		t.Errorf("%v", s)
	}
	red := func(x, y int) bool { r, g, b, _ := img.At(x, y).RGBA(); return r > 3*g && r > 3*b }
	yellow := func(x, y int) bool { r, g, b, _ := img.At(x, y).RGBA(); return r > 0xf000 && g > 0xf000 && b < 0xb000 }
	if !red(70, 95) || !red(100, 82) || !yellow(75, 86) || red(300, 400) || yellow(300, 400) {
		t.Error("the frame is not where it belongs")
	}
	if _, err := Image(context.Background(), "x.pdf", raw, 9, 72, nil); err == nil {
		t.Error("a page that is not there was drawn")
	} else if _, class := fault.Of(err); class != doc.Corrupt {
		t.Errorf("%v", err)
	}
}
