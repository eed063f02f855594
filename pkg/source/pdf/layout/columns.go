package layout

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// columnsOf finds where columns of values stand: numbers by their right edges, what is left by overlap.
func columnsOf(rows []row) []columnBox {
	type number struct {
		cell
		row int
	}
	var nums []number
	var rest []cell
	for i, r := range rows {
		for _, c := range r.cells {
			switch {
			case reYear.MatchString(c.text):
			case amount(c.text):
				nums = append(nums, number{c, i})
			default:
				rest = append(rest, c)
			}
		}
	}
	slices.SortFunc(nums, func(a, b number) int { return cmp.Compare(a.x1, b.x1) })
	var out []columnBox
	for i := 0; i < len(nums); {
		box := columnBox{nums[i].x0, nums[i].x1, map[int]bool{}}
		k := i
		for k < len(nums) && nums[k].x1-nums[i].x1 < 14 && !box.rows[nums[k].row] {
			box.rows[nums[k].row] = true
			box.x0, box.x1 = min(box.x0, nums[k].x0), max(box.x1, nums[k].x1)
			k++
		}
		out = append(out, box)
		i = k
	}
	out = mergeOverlaps(out)
	return addText(out, rest)
}

// mergeOverlaps joins columns of which one lies mostly in the other.
func mergeOverlaps(in []columnBox) []columnBox {
	slices.SortFunc(in, func(a, b columnBox) int { return cmp.Compare(a.x0+a.x1, b.x0+b.x1) })
	var out []columnBox
	for _, c := range in {
		if n := len(out); n > 0 {
			p := &out[n-1]
			if over := min(p.x1, c.x1) - max(p.x0, c.x0); over > 0.5*min(p.x1-p.x0, c.x1-c.x0) && !p.shares(c) {
				p.x0, p.x1 = min(p.x0, c.x0), max(p.x1, c.x1)
				maps.Copy(p.rows, c.rows)
				continue
			}
		}
		out = append(out, c)
	}
	return out
}

// shares reports whether a row has a number in both columns.
func (b columnBox) shares(c columnBox) bool {
	for r := range c.rows {
		if b.rows[r] {
			return true
		}
	}
	return false
}

// addText makes columns of cells that stand in none.
func addText(cols []columnBox, rest []cell) []columnBox {
	slices.SortFunc(rest, func(a, b cell) int { return cmp.Compare(a.x1-a.x0, b.x1-b.x0) })
	for _, c := range rest {
		hit := false
		for _, b := range cols {
			if min(b.x1, c.x1)-max(b.x0, c.x0) > 0 {
				hit = true
				break
			}
		}
		if !hit {
			cols = append(cols, columnBox{x0: c.x0, x1: c.x1})
		}
	}
	slices.SortFunc(cols, func(a, b columnBox) int { return cmp.Compare(a.x0, b.x0) })
	return cols
}

// spread puts the row's cells into columns.
func (r *row) spread(cols []columnBox) {
	r.values = make([]string, len(cols))
	from := 0
	for _, c := range r.cells {
		k := nearest(cols, c, from)
		if k < 0 {
			r.label = strings.TrimSpace(r.label + " " + c.text)
			continue
		}
		if r.values[k] != "" {
			r.values[k] += " "
		} else {
			r.filled++
		}
		r.values[k] += c.text
		if amount(c.text) && k+1 < len(cols) {
			from = k + 1 // two numbers never share a column
		}
	}
}

// nearest is the column of a cell: for numbers the one under it whose right edge is nearest, for text the one it overlaps most or
// begins with; -1 when there are none.
func nearest(cols []columnBox, c cell, from int) int {
	best, value := -1, float32(-1e9)
	for k := from; k < len(cols); k++ {
		b := cols[k]
		v := min(b.x1, c.x1) - max(b.x0, c.x0)
		switch {
		case v > 0 && amount(c.text):
			v = 200 - abs(b.x1-c.x1)
		case v > 0:
			v = 100 + v - abs(b.x1-c.x1)/4
		default:
			v -= abs(b.x1-c.x1) / 4
		}
		if abs(b.x0-c.x0) < 5 && !amount(c.text) { // text begins where its column begins
			v += 1000
		}
		if v > value {
			best, value = k, v
		}
	}
	return best
}
