package query

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/formula"
	"github.com/fingerpost/fingerpost/pkg/value"
)

// said words a number: rounded as the question asks, or as is usual.
func said(as formula.Form, n *big.Rat, req formula.Request, factor int64) (text, unit string) {
	places := func(usual int) int {
		if req.Places >= 0 {
			return req.Places
		}
		return usual
	}
	switch as {
	case formula.Percent:
		return value.Format(new(big.Rat).Mul(n, big.NewRat(100, 1)), places(1)) + "%", "%"
	case formula.Days:
		return value.Format(n, places(2)), "days"
	case formula.Money:
		by, usual := factor, 0
		if req.Scale > 0 {
			by = req.Scale
			if by > factor {
				usual = 2
			}
		}
		n = new(big.Rat).Quo(n, new(big.Rat).SetInt64(max(by, 1)))
		if usual == 0 && !n.IsInt() {
			usual = decimals(n)
		}
		return value.Format(n, places(usual)), scaleName(by)
	}
	return value.Format(n, places(2)), ""
}

// decimals is how many a number has, two at most.
func decimals(n *big.Rat) int {
	s := value.Exact(n)
	if at := strings.IndexByte(s, '.'); at >= 0 {
		return min(len(s)-at-1, 2)
	}
	return 0
}

func scaleName(by int64) string {
	switch by {
	case 1e3:
		return "thousand"
	case 1e6:
		return "million"
	case 1e9:
		return "billion"
	}
	return ""
}

// bracketed keeps a sum together.
func bracketed(s string) string {
	if strings.Contains(s, " ") {
		return "(" + s + ")"
	}
	return s
}

// over is what the request makes of its years: growth, change or mean.
func (b *book) over(req formula.Request, years []int, rs []formula.Result) (c api.Computed, ok bool) {
	first, last := rs[0], rs[len(rs)-1]
	c = api.Computed{Period: fmt.Sprintf("%d to %d", years[0], years[len(years)-1]), Key: b.record.Key}
	factor := b.factor(last)
	as := req.Metric.As
	num := func(n *big.Rat) string {
		places := 2
		if as == formula.Money {
			places = -1
		}
		t, _ := said(as, n, formula.Request{Places: places}, factor)
		return t
	}
	n := new(big.Rat)
	switch {
	case req.Op == formula.Mean && len(rs) > 1:
		var parts []string
		for _, r := range rs {
			n.Add(n, r.Number)
			parts = append(parts, num(r.Number))
		}
		n.Quo(n, new(big.Rat).SetInt64(int64(len(rs))))
		c.Name, c.Formula = "average "+req.Metric.Name, "mean of "+req.Metric.Name+" over the years"
		c.Filled = fmt.Sprintf("(%s) / %d", strings.Join(parts, " + "), len(rs))
	case req.Op == formula.Growth && len(rs) > 1 && first.Number.Sign() != 0:
		n.Quo(n.Sub(last.Number, first.Number), new(big.Rat).Abs(first.Number))
		c.Name, c.Formula, as = "growth of "+req.Metric.Name, "(later - earlier) / earlier", formula.Percent
		c.Filled = fmt.Sprintf("(%s - %s) / %s", last.Filled, bracketed(first.Filled), bracketed(first.Filled))
	case req.Op == formula.Change && len(rs) > 1:
		n.Sub(last.Number, first.Number)
		c.Name, c.Formula = "change of "+req.Metric.Name, "later - earlier"
		c.Filled = num(last.Number) + " - " + num(first.Number)
	default:
		return c, false
	}
	c.Value, c.Unit = said(as, n, req, factor)
	if as == formula.Money && c.Unit != "" {
		c.Value += " " + c.Unit
	}
	if req.Op == formula.Change && as == formula.Percent {
		c.Value, c.Unit = strings.TrimSuffix(c.Value, "%")+" percentage points", "percentage points"
	}
	c.Number = value.Exact(n)
	c.Cells = append(cellsOf(first), cellsOf(last)...)
	return c, true
}

// cellsOf are the cells that a result was computed from.
func cellsOf(r formula.Result) (out []api.Cell) {
	for _, o := range r.Used {
		e := o.Ref.(*entry)
		out = append(out, *e.node.cell(e.cell, e.node.citeCell(e.cell).Pointer))
	}
	return out
}
