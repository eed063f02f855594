package query

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/formula"
	"github.com/fingerpost/fingerpost/pkg/route"
	"github.com/fingerpost/fingerpost/pkg/value"
)

// computed is an answer made by a formula.
type computed struct {
	text  string
	cites []api.Citation
	all   []api.Computed
	// refused: the statements have the line, but not of the year asked for.
	refused bool
}

// compute answers a question for a metric, or for a line of a statement; nil when it asks for none, or the statements do not
// give it.
func (w *Worker) compute(ctx context.Context, t doc.Tenant, a asker, q planned, places []found, read []*readNode) (*computed, error) {
	if a.kind == route.Definition && !formulaAsked(a.question) {
		return nil, nil
	}
	if causes.MatchString(route.Clean(a.question)) { // what is said of the figures is asked for, not the figures
		return nil, nil
	}
	clean := formula.WithoutDefinition(route.Clean(a.question))
	if adjustedAsked.MatchString(clean) { // by the document's own reckoning, which no formula knows
		return nil, nil
	}
	req, ok := formula.Read(a.question, clean, route.Ask(clean).Years)
	if !ok || !a.whole(req, q, firstRead(read)) {
		return nil, nil
	}
	var refusal *computed
	for _, p := range booksFor(q, places) {
		b, err := w.open(ctx, t, p, kindsOf(req.Metric), a.asked)
		if err != nil {
			return nil, err
		}
		if b == nil {
			continue
		}
		out := b.compute(req)
		if out == nil && req.Line != nil { // a line may stand in another statement than it should
			if b, err = w.open(ctx, t, p, []string{"balance", "cash", "income"}, a.asked); err != nil {
				return nil, err
			}
			out = b.compute(req)
		}
		if out == nil {
			out = b.otherYears(req)
		}
		if out != nil && !out.refused {
			return out, nil
		}
		if refusal == nil {
			refusal = out
		}
	}
	return refusal, nil
}

// causes is a question for the causes of a change.
var causes = regexp.MustCompile(`(?i)\b(what (drove|caused|led to|explains)|why|reasons? for|due to)\b`)

// adjustedAsked is a question for a figure that the document adjusts.
var adjustedAsked = regexp.MustCompile(`(?i)(^|[^\pL])(adjusted|non-?gaap|organic|constant currency|pro forma)\b`)

// firstRead is the best place that was read; nil when none was.
func firstRead(read []*readNode) *readNode {
	for _, x := range read {
		if x != nil {
			return x
		}
	}
	return nil
}

// formulaAsked reports whether a short question, "What is the quick ratio?", is for a value all the same: it names a time.
func formulaAsked(question string) bool { return !route.Ask(question).None() }

// compute is the request's answer by one document; nil when its statements do not give it.
func (b *book) compute(req formula.Request) *computed {
	years := slices.Clone(req.Years)
	if len(years) == 0 {
		years = []int{b.newest()}
	}
	if (req.Op == formula.Growth || req.Op == formula.Change) && len(years) == 1 {
		years = []int{years[0] - 1, years[0]}
	}
	var rs []formula.Result
	asked := slices.Clone(years)
	for i, y := range asked {
		r, err := req.Metric.At(y, b.line)
		if err != nil && req.Op == formula.Each && i+1 < len(asked) { // an earlier one is not in this document
			years = slices.DeleteFunc(years, func(x int) bool { return x == y })
			continue
		}
		if err != nil {
			if errors.Is(err, formula.ErrMixed) {
				return &computed{text: fmt.Sprintf("%s cannot be computed: %v.", req.Metric.Name, err)}
			}
			return nil
		}
		rs = append(rs, r)
	}
	out := &computed{}
	b.cite(out, rs)
	var lines []string
	for i, r := range rs {
		c := b.say(req, years[i], r)
		out.all = append(out.all, c)
		lines = append(lines, b.sentence(req, c, r))
	}
	if more, ok := b.over(req, years, rs); ok {
		out.all = append(out.all, more)
		lines = append([]string{more.Name + ": " + more.Value + " = " + more.Filled}, lines...)
	}
	if req.Line != nil && req.Op == formula.Each {
		out.all = nil
	}
	out.text = strings.Join(lines, "\n")
	return out
}

// otherYears is the refusal of a question for a line that the statements hold, though for no year that is asked for; nil where
// they do not hold it.
func (b *book) otherYears(req formula.Request) *computed {
	if len(req.Years) == 0 || req.Line == nil {
		return nil
	}
	newest := b.newest()
	for _, y := range req.Years {
		if y <= newest && y > newest-3 { // within the report: the line is missing, not the year
			return nil
		}
	}
	r, err := req.Metric.At(newest, b.line)
	if err != nil {
		return nil
	}
	out := &computed{refused: true}
	b.cite(out, []formula.Result{r})
	out.text = fmt.Sprintf("The documents do not say it of %d. The nearest is: %s", req.Years[len(req.Years)-1], sentence(&r.Used[0].Ref.(*entry).cell))
	return out
}

// cite cites every cell once.
func (b *book) cite(out *computed, rs []formula.Result) {
	for _, r := range rs {
		for _, o := range r.Used {
			e := o.Ref.(*entry)
			c := e.node.citeCell(e.cell)
			if !slices.ContainsFunc(out.cites, func(x api.Citation) bool { return x.Pointer == c.Pointer }) {
				out.cites = append(out.cites, c)
			}
		}
	}
}

// say is one result as a reply names it.
func (b *book) say(req formula.Request, year int, r formula.Result) api.Computed {
	c := api.Computed{Name: req.Metric.Name, Formula: r.Formula, Filled: r.Filled, Number: value.Exact(r.Number), Period: fmt.Sprint(year), Key: b.record.Key}
	c.Value, c.Unit = said(req.Metric.As, r.Number, req, b.factor(r))
	c.Cells = cellsOf(r)
	return c
}

// factor is the scale in which the cells are printed.
func (b *book) factor(r formula.Result) int64 {
	for _, o := range r.Used {
		return o.Ref.(*entry).cell.Factor()
	}
	return 1
}

// sentence says one result.
func (b *book) sentence(req formula.Request, c api.Computed, r formula.Result) string {
	if req.Line != nil && len(r.Used) == 1 {
		e := r.Used[0].Ref.(*entry)
		text := sentence(&e.cell)
		if req.Scale > 0 && req.Scale != e.cell.Factor() {
			text += " = " + c.Value + " " + c.Unit
		}
		return text + of(e.node)
	}
	unit := ""
	if c.Unit != "" && c.Unit != "%" {
		unit = " " + c.Unit
	}
	cur := ""
	if req.Metric.As == formula.Money && len(r.Used) > 0 {
		if cur = r.Used[0].Currency; cur != "" {
			cur += " "
		}
	}
	return fmt.Sprintf("%s, %s: %s%s%s = %s (%s)%s", c.Name, c.Period, cur, c.Value, unit, r.Filled, r.Formula, of(b.pages[0].node))
}
