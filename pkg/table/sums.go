package table

import (
	"math"
	"strconv"
	"strings"
)

// amount is a value of a row as a number, in the unit of its column.
type amount struct {
	column int
	value  float64
	step   float64 // of its last digit: 1, 0.1
}

// maxSummed is the last column whose values are summed: the first few settle whether a row is a sum.
const maxSummed = 9

// sums are the sums of some rows by column, each with the number of values other than zero.
type sums struct {
	sum [maxSummed + 1]float64
	n   [maxSummed + 1]int
}

// amounts are the numbers of a row in its first columns; percentages and texts are none.
func amounts(r *Row) []amount {
	var out []amount
	for i := range r.Cells {
		c := &r.Cells[i]
		if c.Column > maxSummed {
			break
		}
		if v, step, ok := number(c.Text); ok {
			out = append(out, amount{c.Column, v, step})
		}
	}
	return out
}

// number reads "$ (1,234.5)": a number with signs of money, in parentheses when it is negative; a
// dash is zero.
func number(s string) (value, step float64, ok bool) {
	if len(s) > 40 || !isNumber(s) || strings.ContainsAny(s, "%/:#") {
		return 0, 0, false
	}
	var b strings.Builder
	negative, point := false, -1 // a sign after the digits is a mark
	for _, r := range s {
		switch {
		case r >= '0' && r <= '9':
			b.WriteRune(r)
		case r == '.':
			point = b.Len()
			b.WriteRune(r)
		case b.Len() == 0 && (r == '(' || r == '−' || r == '-'):
			negative = true
		}
	}
	if !hasDigit(s) {
		return 0, 1, true
	}
	value, err := strconv.ParseFloat(b.String(), 64)
	step = 1
	if point >= 0 {
		step = math.Pow10(point + 1 - b.Len())
	}
	if negative {
		value = -value
	}
	return value, step, err == nil
}

func (s *sums) add(values []amount) {
	for _, v := range values {
		s.sum[v.column] += v.value
		if v.value != 0 {
			s.n[v.column]++
		}
	}
}

// equal reports whether all values are the sums of their columns, but for one step of rounding. At
// least one column must be the sum of two values; with one column only, small numbers prove nothing.
func (s *sums) equal(values []amount) bool {
	good, large := 0, false
	for _, v := range values {
		if math.Abs(s.sum[v.column]-v.value) > 1.001*v.step {
			return false
		}
		if s.n[v.column] > 1 && v.value != 0 {
			good++
			large = large || math.Abs(v.value) >= 100*v.step
		}
	}
	return large || good > 1
}
