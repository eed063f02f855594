package pdf

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
	"github.com/fingerpost/fingerpost/pkg/source/pdf/pdftest"
)

// Damaged files are read as far as they go, or end in a class; never in an error that asks for another try. The
// number of inputs is fixed; FINGERPOST_MUTATIONS sets another.
func TestDamagedFilesEndInAClass(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("FINGERPOST_MUTATIONS"))
	if err != nil {
		n = 16
	}
	d := pdftest.New()
	for i := range 5 {
		p := d.Page()
		d.Mark("Chapter "+itoa(i+1), i, 72)
		p.Text(72, 72, 14, pdftest.Bold, "Chapter "+itoa(i+1)).Link(72, 60, 300, 80, (i+1)%5, 100)
		fill(p, 110, 10)
	}
	sound := d.Bytes()
	for seed := range n {
		raw := damage(sound, rand.New(rand.NewPCG(uint64(seed), 7)))
		_, err := Parse(context.Background(), "x.pdf", raw)
		v, class := fault.Of(err)
		if err != nil && (v == fault.Retry || !slices.Contains([]doc.Class{doc.Corrupt, doc.Encrypted, doc.NeedsOCR, doc.Empty, doc.ResourceLimit, doc.TooLarge}, class)) {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

// damage changes numbers, drops and doubles pieces, and cuts the end off.
func damage(sound []byte, r *rand.Rand) []byte {
	b := slices.Clone(sound)
	for range 1 + r.IntN(12) {
		at := r.IntN(len(b))
		switch r.IntN(5) {
		case 0:
			b[at] = byte(r.Uint32())
		case 1:
			b = slices.Delete(b, at, min(len(b), at+r.IntN(200)))
		case 2:
			piece := slices.Clone(b[at:min(len(b), at+r.IntN(200))])
			b = slices.Insert(b, r.IntN(len(b)), piece...)
		case 3:
			b = bytes.Replace(b, []byte(" 0 R"), []byte(" "+itoa(r.IntN(40))+" R"), 1+r.IntN(3))
		case 4:
			if r.IntN(4) == 0 {
				b = b[:at]
			}
		}
		if len(b) == 0 {
			return []byte("%PDF-1.4")
		}
	}
	return b
}
