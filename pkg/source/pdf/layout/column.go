package layout

import (
	"cmp"
	"slices"

	"github.com/fingerpost/fingerpost/pkg/source/pdf/content"
)

// gutter is the x between two columns of running text, 0 when the page has one column: the place
// near the middle that the fewest runs cross, with enough wide runs on both sides of it.
func gutter(p *page, runs []content.Run) float32 {
	if len(runs) < 30 {
		return 0
	}
	best, crossed := float32(0), len(runs)
	for x := p.w * 0.42; x <= p.w*0.58; x += 2 {
		n := 0
		for i := range runs {
			if runs[i].X0 < x-1 && runs[i].X1 > x+1 {
				n++
			}
		}
		if n < crossed {
			best, crossed = x, n
		}
	}
	left, right := 0, 0
	for i := range runs {
		switch r := &runs[i]; {
		case r.X1-r.X0 <= 0.25*p.w:
		case r.X1 <= best+1:
			left++
		case r.X0 >= best-1:
			right++
		}
	}
	if left < 12 || right < 12 || crossed*6 >= len(runs) {
		return 0
	}
	return best
}

// columns makes the lines of a page of two columns: between what runs over the whole width, the
// left column stands before the right one.
func columns(p *page, runs []content.Run) []*line {
	var wide, left, right []content.Run
	for _, r := range runs {
		switch {
		case r.X0 < p.gutter-2 && r.X1 > p.gutter+2:
			wide = append(wide, r)
		case r.X1 <= p.gutter+2:
			left = append(left, r)
		default:
			right = append(right, r)
		}
	}
	slices.SortStableFunc(wide, func(a, b content.Run) int { return cmp.Compare(a.Y0, b.Y0) })
	var out []*line
	above := float32(-1e9)
	for i := 0; i < len(wide); {
		k := i
		y0, y1 := wide[i].Y0, wide[i].Y1
		for k < len(wide) && wide[k].Y0 < y1+2 {
			y1 = max(y1, wide[k].Y1)
			k++
		}
		out = append(out, linesOf(p.n, band(left, above, y0), 1)...)
		out = append(out, linesOf(p.n, band(right, above, y0), 2)...)
		across := slices.Concat(wide[i:k], band(left, y0, y1), band(right, y0, y1))
		out = append(out, linesOf(p.n, across, 0)...)
		above, i = y1, k
	}
	out = append(out, linesOf(p.n, band(left, above, 1e9), 1)...)
	return append(out, linesOf(p.n, band(right, above, 1e9), 2)...)
}

// band is the runs whose middle stands between two heights.
func band(runs []content.Run, from, to float32) (out []content.Run) {
	for _, r := range runs {
		if m := (r.Y0 + r.Y1) / 2; m >= from && m < to {
			out = append(out, r)
		}
	}
	return out
}
