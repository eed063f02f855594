package query

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/cell"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/formula"
	"github.com/fingerpost/fingerpost/pkg/route"
	"github.com/fingerpost/fingerpost/pkg/spot"
	"github.com/fingerpost/fingerpost/pkg/value"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// Compare lays the same thing of several documents, editions or periods side by side.
func (w *Worker) Compare(ctx context.Context, t doc.Tenant, req api.CompareRequest) (api.CompareReply, error) {
	rep := api.CompareReply{Question: req.Question, Comparison: api.Comparison{Sides: []api.Side{}, Rows: []api.ComparedRow{}}}
	freq := api.FindRequest{Question: req.Question, Keys: req.Keys}
	var frep api.FindReply
	q, err := w.route(ctx, t, &freq, &frep)
	if err != nil {
		return rep, err
	}
	asked := route.Ask(req.Question)
	if len(req.Periods) > 0 {
		asked.Years = nil
		for _, p := range req.Periods {
			if y := spot.ReadPeriod(p).Year; y > 0 {
				asked.Years = append(asked.Years, y)
			}
		}
	}
	sides, err := w.sides(ctx, t, q, asked, req.Keys)
	if err != nil {
		return rep, err
	}
	if len(req.Keys) > 1 && len(asked.Years) > 1 { // every document, in every year
		sides = crossed(sides, asked.Years)
	}
	if len(sides) < 2 {
		return rep, refuse(400, "a comparison needs two documents or two periods: name them in the question, by keys or by periods; %d found", len(sides))
	}
	c, err := w.compare(ctx, t, req.Question, q, sides)
	if err == nil {
		rep.Comparison = *c
	}
	return rep, err
}

func crossed(sides []side, years []int) (out []side) {
	years = slices.Clone(years)
	slices.Sort(years)
	for _, s := range sides {
		for _, y := range years {
			s.year = y
			if len(out) < maxSides {
				out = append(out, s)
			}
		}
	}
	return out
}

// sideCell is what one side says of a row; the zero value: nothing.
type sideCell struct {
	cell *cell.Cell
	node *readNode
}

// compare makes the table: a row for each line of a statement that the question speaks of; else the row that fits it best.
func (w *Worker) compare(ctx context.Context, t doc.Tenant, question string, q planned, sides []side) (*api.Comparison, error) {
	out := &api.Comparison{Rows: []api.ComparedRow{}}
	for _, s := range sides {
		out.Sides = append(out.Sides, s.api())
	}
	var lines []*formula.Line
	if !parts.MatchString(question) {
		lines = formula.Mentioned(route.Clean(question))
	}
	for _, l := range lines {
		cells := make([]sideCell, len(sides))
		found := 0
		for i, s := range sides {
			b, err := w.open(ctx, t, s.prefix, []string{l.Statement}, route.Asked{})
			if err != nil {
				return nil, err
			}
			if b == nil {
				continue
			}
			if cells[i] = b.at(l, s.year); cells[i].cell != nil {
				found++
			}
		}
		if found > 0 {
			out.Rows = append(out.Rows, row(out, cells[0].label(l.Name), cells))
		}
	}
	cells, literal, err := w.spots(ctx, t, question, q, sides)
	if err != nil {
		return nil, err
	}
	other := literal && !slices.ContainsFunc(lines, func(l *formula.Line) bool { return l.Fits(cells[0].cell.Label, cells[0].cell.Parents) >= 0 })
	if len(out.Rows) > 0 && complete(out.Rows) && !other {
		return out, nil
	}
	if other {
		out.Rows, out.Notes = []api.ComparedRow{}, nil
	}
	if slices.ContainsFunc(cells, func(c sideCell) bool { return c.cell != nil }) {
		r := row(out, cells[0].label(strings.TrimSpace(q.Text)), cells)
		if len(out.Rows) == 0 || len(r.Missing) < len(out.Rows[0].Missing) {
			out.Rows = []api.ComparedRow{r}
		}
	}
	return out, nil
}

func complete(rows []api.ComparedRow) bool {
	return !slices.ContainsFunc(rows, func(r api.ComparedRow) bool { return len(r.Missing) > 0 })
}

// label is the row's own; or what was asked for.
func (s sideCell) label(other string) string {
	if s.cell == nil || s.cell.Label == "" {
		return other
	}
	return s.cell.Label
}

// at is a line of a year; 0: the newest.
func (b *book) at(l *formula.Line, year int) sideCell {
	if year == 0 {
		year = b.newest()
	}
	o := b.line(l, year)
	if o == nil {
		return sideCell{}
	}
	e := o.Ref.(*entry)
	return sideCell{&e.cell, e.node}
}

// sameLabel is what an equal label counts in finding the row of a further side.
const sameLabel = 0.5

// spots is the best cell of each side for the question; further sides prefer the first one's row. literal: the label of each
// stands in the question word for word.
func (w *Worker) spots(ctx context.Context, t doc.Tenant, question string, q planned, sides []side) (out []sideCell, literal bool, err error) {
	out, literal = make([]sideCell, len(sides)), true
	label := ""
	for i, s := range sides {
		one := q
		one.Routed, one.Docs, one.Prior, one.Chosen = nil, vector.Filter{s.prefix}, nil, route.Chosen{}
		var took api.Took
		places, read, err := w.places(ctx, t, one, askPlaces, &took)
		if err != nil {
			return nil, false, err
		}
		a := asker{text: q.Text, kind: route.Cell, question: question, asked: s.asked()}
		if err = w.weigh(ctx, t, &a); err != nil {
			return nil, false, err
		}
		all := a.rate(places, read)
		best := -1
		for j := range all {
			r := &all[j]
			if label != "" && r.run == nil && formula.Plain(r.Cell.Label) == label {
				r.total += sameLabel
			}
			if r.run == nil && r.fits(spotFloor-.1, s.year > 0) && r.Label >= .2 && (best < 0 || r.total > all[best].total) {
				best = j
			}
		}
		literal = literal && best >= 0 && all[best].Literal
		if best >= 0 {
			out[i] = sideCell{&all[best].Cell, all[best].node}
			if label == "" {
				label = formula.Plain(all[best].Cell.Label)
			}
		}
	}
	return out, literal, nil
}

// row is one row of the comparison; what cannot be reckoned between its cells is noted.
func row(c *api.Comparison, label string, cells []sideCell) api.ComparedRow {
	r := api.ComparedRow{Label: label, Citations: []api.Citation{}}
	for i, x := range cells {
		if x.cell == nil {
			r.Cells, r.Missing = append(r.Cells, nil), append(r.Missing, c.Sides[i].Title)
			continue
		}
		cite := x.node.citeCell(*x.cell)
		r.Cells, r.Citations = append(r.Cells, cite.Cell), append(r.Citations, cite)
	}
	first := cells[0].cell
	for i := 1; i < len(cells); i++ {
		if first == nil || cells[i].cell == nil {
			continue
		}
		if why := unlike(first, cells[i].cell); why != "" {
			c.Notes = append(c.Notes, fmt.Sprintf("%s: %s and %s are not reckoned against each other: %s", label, c.Sides[0].Title, c.Sides[i].Title, why))
			continue
		}
		r.Changes = append(r.Changes, changes(label, c.Sides[0], c.Sides[i], r.Cells[0], r.Cells[i], first, cells[i].cell)...)
	}
	return r
}

// unlike says why two cells cannot be reckoned against each other; "" when they can.
func unlike(a, b *cell.Cell) string {
	switch {
	case a.Value.Number == nil || b.Value.Number == nil:
		return "one is no number"
	case a.Percent() != b.Percent():
		return "only one is a percentage"
	case a.Currency != "" && b.Currency != "" && a.Currency != b.Currency:
		return "one is in " + a.Currency + ", the other in " + b.Currency
	case a.Value.Unit != b.Value.Unit && !a.Percent():
		return "their units differ"
	}
	return ""
}

// changes are the difference and the ratio, or the growth where both are of one document's owner at two times.
func changes(label string, from, to api.Side, ca, cb *api.Cell, a, b *cell.Cell) (out []api.Computed) {
	x, y := a.Amount(), b.Amount()
	both := []api.Cell{*ca, *cb}
	factor := min(a.Factor(), b.Factor())
	num := func(n *big.Rat) string {
		t, unit := said(formula.Money, n, formula.Request{Places: -1}, factor)
		return strings.TrimSpace(t + " " + unit)
	}
	d := new(big.Rat).Sub(y, x)
	text := num(d)
	if a.Percent() {
		text = value.Format(d, max(a.Value.Places, b.Value.Places)) + " percentage points"
	}
	out = append(out, api.Computed{Name: "difference of " + label, Formula: to.Title + " - " + from.Title, Filled: b.Value.Text + " - " + a.Value.Text,
		Value: text, Number: value.Exact(d), Cells: both})
	if x.Sign() == 0 || a.Percent() {
		return out
	}
	n := new(big.Rat)
	c := api.Computed{Cells: both}
	if from.Period != "" && to.Period != "" && from.Period != to.Period {
		n.Quo(d, new(big.Rat).Abs(x))
		c.Name, c.Formula, c.Unit = "growth of "+label, "(later - earlier) / earlier", "%"
		c.Filled = fmt.Sprintf("(%s - %s) / %s", b.Value.Text, a.Value.Text, a.Value.Text)
		c.Value, _ = said(formula.Percent, n, formula.Request{Places: -1}, 1)
	} else {
		n.Quo(y, x)
		c.Name, c.Formula, c.Filled = "ratio of "+label, to.Title+" / "+from.Title, b.Value.Text+" / "+a.Value.Text
		c.Value, _ = said(formula.Ratio, n, formula.Request{Places: -1}, 1)
	}
	c.Number = value.Exact(n)
	return append(out, c)
}

// pipeTable is a comparison as a pipe table, with what was reckoned and what is missing below it.
func pipeTable(c *api.Comparison) string {
	var b strings.Builder
	b.WriteString("| |")
	for _, s := range c.Sides {
		b.WriteString(" " + s.Title + " |")
	}
	for _, r := range c.Rows {
		b.WriteString("\n| " + r.Label + " |")
		for _, x := range r.Cells {
			b.WriteString(" " + shownCell(x) + " |")
		}
	}
	for _, r := range c.Rows {
		for _, x := range r.Changes {
			b.WriteString("\n" + x.Name + ": " + x.Value + " = " + x.Filled)
		}
		for _, m := range r.Missing {
			b.WriteString("\n" + r.Label + ": not found in " + m)
		}
	}
	for _, n := range c.Notes {
		b.WriteString("\n" + n)
	}
	return b.String()
}

func shownCell(x *api.Cell) string {
	if x == nil {
		return "not found"
	}
	s := x.Text
	var more []string
	for _, m := range []string{x.Unit, x.Period} {
		if m != "" && !(m == "%" && strings.Contains(s, "%")) {
			more = append(more, m)
		}
	}
	if more != nil {
		s += " (" + strings.Join(more, "; ") + ")"
	}
	return s
}
