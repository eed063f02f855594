package query

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/cell"
	"github.com/fingerpost/fingerpost/pkg/formula"
	"github.com/fingerpost/fingerpost/pkg/route"
	"github.com/fingerpost/fingerpost/pkg/spot"
	"github.com/fingerpost/fingerpost/pkg/value"
)

// shareAsked is a question for a part of a whole.
var shareAsked = regexp.MustCompile(`(?i)\b(share|percent(age)?|proportion|fraction) of\b|какая доля|welcher anteil`)

// reckon computes what a question asks of the best cell's row: its growth between two times, or its share of the total of its
// column; nil when it asks for neither, or the table does not give it.
func (a asker) reckon(r *rated) *spotted {
	if r.run != nil || r.Vague || r.Cell.Value.Number == nil || r.Cell.Percent() {
		return nil
	}
	sheets := cell.Sheets(r.node.text, r.node.node.Lines.Start, convention(r.node.record))
	rows := sheets[r.Cell.Spot.Table-1].Rows
	clean := route.Clean(a.question)
	switch {
	case formula.OpOf(clean) == formula.Growth && len(a.asked.Years) > 0:
		return r.growth(&rows[r.Cell.Spot.Row-1], a.asked.Years)
	case shareAsked.MatchString(clean):
		return r.share(rows)
	}
	return nil
}

// growth is that of a row between the years asked for; of one, from the year before.
func (r *rated) growth(row *cell.Row, years []int) *spotted {
	to, from := slices.Max(years), slices.Min(years)
	if from == to {
		from--
	}
	var a, b *cell.Cell
	for i := range row.Cells {
		c := &row.Cells[i]
		if c.Value.Number == nil || c.Percent() {
			continue
		}
		switch spot.PeriodOf(c).Year {
		case from:
			a = c
		case to:
			b = c
		}
	}
	if a == nil || b == nil || a.Value.Number.Sign() == 0 || unlike(a, b) != "" {
		return nil
	}
	n := new(big.Rat).Sub(b.Amount(), a.Amount())
	n.Quo(n, new(big.Rat).Abs(a.Amount()))
	return r.computed("growth of "+b.Label, "(later - earlier) / earlier",
		fmt.Sprintf("(%s - %s) / %s", bareNumber(b.Value.Text), bareNumber(a.Value.Text), bareNumber(a.Value.Text)), n, *a, *b)
}

// share is that of a cell in the first total below it, of the same column.
func (r *rated) share(rows []cell.Row) *spotted {
	for i := r.Cell.Spot.Row; i < len(rows); i++ {
		if !strings.HasPrefix(formula.Plain(rows[i].Label), "total") {
			continue
		}
		for _, c := range rows[i].Cells {
			if c.Spot.Column == r.Cell.Spot.Column && c.Value.Number != nil && c.Value.Number.Sign() != 0 && unlike(&c, &r.Cell) == "" {
				n := new(big.Rat).Quo(r.Cell.Amount(), c.Amount())
				return r.computed("share of "+r.Cell.Label, r.Cell.Label+" / "+c.Label, bareNumber(r.Cell.Value.Text)+" / "+bareNumber(c.Value.Text), n, r.Cell, c)
			}
		}
		return nil
	}
	return nil
}

// computed is an answer reckoned from cells of one table.
func (r *rated) computed(name, words, filled string, n *big.Rat, cells ...cell.Cell) *spotted {
	c := api.Computed{Name: name, Formula: words, Filled: filled, Number: value.Exact(n), Unit: "%", Key: r.node.record.Key}
	c.Value, _ = said(formula.Percent, n, formula.Request{Places: -1}, 1)
	out := &spotted{text: fmt.Sprintf("%s: %s = %s (%s)%s", name, c.Value, filled, words, of(r.node))}
	for _, x := range cells {
		cite := r.node.citeCell(x)
		c.Cells, out.cites = append(c.Cells, *cite.Cell), append(out.cites, cite)
		out.text += "\n" + sentence(&x) + of(r.node)
	}
	out.all = []api.Computed{c}
	return out
}
