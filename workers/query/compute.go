package query

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/formula"
	"github.com/fingerpost/fingerpost/pkg/route"
	"github.com/fingerpost/fingerpost/pkg/spot"
	"github.com/fingerpost/fingerpost/pkg/value"
	"github.com/fingerpost/fingerpost/pkg/words"
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

// restMost is how many words of a question a metric may leave unsaid: more name a part of the whole, that a statement's line is
// not. A single line may leave none.
const restMost = 3

// parts are words by which a question shows that it is about a part of the whole.
var parts = regexp.MustCompile(`(?i)\b(segments?|divisions?|regions?|geograph\w*|countr(y|ies)|categor(y|ies)|customers?|products?|brands?|stores?|subsidiar\w+|attributable to the|per (share|store|employee)|сегмент\w*|регион\w*)\b`)

// whole reports whether the question is about the whole that the statements speak of, and nothing else.
func (a asker) whole(req formula.Request, q planned, x *readNode) bool {
	if x == nil {
		return true
	}
	lang := words.Language(x.record.Facts["language"])
	analyze := func(s string) []string { return words.Analyze(s, lang) }
	drop := spot.Idle(analyze)
	for t := range selfNamed(x, lang) {
		drop[t] = true
	}
	for _, s := range append([]string{statementWords}, q.Named...) {
		for _, t := range analyze(s) {
			drop[t] = true
		}
	}
	left := 0
	for _, clause := range clauses(req.Text, req.Said) {
		if parts.MatchString(clause) {
			return false
		}
		for _, t := range timeless(words.Question(clause, []words.Language{lang})) {
			if !drop[t] && (len(t) > 2 || t[0] > '9') { // a day of a month is no part
				left++
			}
		}
	}
	if req.Line != nil {
		return left == 0
	}
	return left <= restMost
}

// clauses are the clauses of a text in which one of the said parts stands, without these.
func clauses(text string, said []string) (out []string) {
	const mark = "\x00"
	for _, s := range said {
		if s = strings.TrimSpace(s); s != "" {
			text = strings.ReplaceAll(text, s, mark)
		}
	}
	for _, c := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(".,;:?!", r) }) {
		if strings.Contains(c, mark) {
			out = append(out, strings.ReplaceAll(c, mark, " "))
		}
	}
	return out
}

// statementWords are words by which a question names where to look, or how to answer.
const statementWords = `income statement balance sheet cash flow statement statements profit and loss financial position operations
	consolidated total net annual average ratio percent percentage margin metric useful relevant profile improving healthy reasonably
	calculate calculated line items primarily information provided clearly shown usd eur dollars millions billions thousand units decimal places
	from between to fy fiscal year end ended respectively strength perspective details unadjusted adjusted define change
	growth grew grow grown rate fast faster yoy over percentage points increase decrease decline rise rose fall fell improve improved declined drop dropped
	as of on at date january february march april may june july august september october november december
	directly explicitly outlined
	approximation approximate what which was were historically consistent far current latest recent`

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
	for _, o := range r.Used {
		e := o.Ref.(*entry)
		c.Cells = append(c.Cells, *e.node.cell(e.cell, e.node.citeCell(e.cell).Pointer))
	}
	return c
}

// factor is the scale in which the cells are printed.
func (b *book) factor(r formula.Result) int64 {
	for _, o := range r.Used {
		return o.Ref.(*entry).cell.Factor()
	}
	return 1
}

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
	for _, r := range []formula.Result{first, last} {
		for _, o := range r.Used {
			e := o.Ref.(*entry)
			c.Cells = append(c.Cells, *e.node.cell(e.cell, e.node.citeCell(e.cell).Pointer))
		}
	}
	return c, true
}
