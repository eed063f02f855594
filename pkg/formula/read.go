package formula

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Op is what is done with a metric over years.
type Op string

// The operations.
const (
	Each   Op = "each"   // its value for each year that is asked
	Growth Op = "growth" // (later - earlier) / |earlier|
	Change Op = "change" // later - earlier
	Mean   Op = "mean"   // over the years
)

// Request is what a question wants computed.
type Request struct {
	Metric *Metric
	Op     Op
	Years  []int // ascending; none: the newest, for Growth and Change with the one before
	Places int   // decimals asked for; -1: none
	Scale  int64 // units asked for, 1e6 of "in USD millions"; 0: none
	Line   *Line // of a question for a line itself: then Metric only carries it
	// Said are the parts of the question that are accounted for.
	Said []string
	Text string // the question without what defines the metric: we define it ourselves, and say how
}

var (
	growth = must(`growth|grew|grow|grown|year[- ]over[- ]year|yoy|y/y|percent(age)? (change|increase|decrease)|by what (percent|percentage)|by how many percent|(change|increase|decrease|decline)d? .*in percent|change .*units? of percents?|% change`)
	change = must(`chang(e|ed|es|ing)|differ(s|ence)?|increas(e|ed)|decreas(e|ed)|declin(e|ed)|improv(e|ed|ing|ement)|drop(ped)?|fall|fell|rise|rose|risen|by how much|percentage points?`)
	mean   = must(`(two|three|four|five|\d)[- ]year (average|mean)|average .* (from|between|over) .*|(mean|average) (of|over) .* years`)
	decim  = regexp.MustCompile(`(?i)(?:(one|two|three|four|no|\d)|nearest) (?:decimal|whole)`)
	units  = regexp.MustCompile(`(?i)in (?:units of )?(?:usd |us dollars? |dollars? |eur |euros? )?(thousands?|millions?|billions?)\b`)
)

func must(expr string) *regexp.Regexp {
	re, err := whole(expr)
	if err != nil {
		panic(err)
	}
	return re
}

// statementNames are where to look, not what for: "cash flow statement" names no cash.
var statementNames = regexp.MustCompile(`(?i)\b(cash flows? statements?|income statements?|balance sheets?|p&l( statements?)?|(profit and loss|financial) statements?|statements? of [a-z &]*?(income|operations|earnings|cash flows?|financial position|equity))\b`)

// Read finds what a question wants computed; clean is the question without instructions and without a definition of the
// metric, years are those that it names. False: nothing that is known.
func Read(question, clean string, years []int) (r Request, ok bool) {
	r = Request{Op: Each, Years: slices.Clone(years), Places: places(question)}
	slices.Sort(r.Years)
	if m := units.FindStringSubmatch(question); m != nil {
		r.Scale = map[byte]int64{'t': 1e3, 'm': 1e6, 'b': 1e9}[strings.ToLower(m[1])[0]]
	}
	question = statementNames.ReplaceAllString(clean, " ")
	r.Text = question
	if r.Metric = metricOf(question, &r); r.Metric == nil {
		return r, false
	}
	switch {
	case mean.MatchString(question) && (len(r.Years) > 1 || strings.Contains(strings.ToLower(question), "year average")):
		r.Op, r.Years = Mean, span(r.Years, question)
		r.Said = append(r.Said, mean.FindString(question))
	case growth.MatchString(question) && r.Metric.As == Money:
		r.Op = Growth
	case change.MatchString(question) || growth.MatchString(question):
		r.Op = Change
	}
	r.Said = append(r.Said, growth.FindAllString(question, -1)...)
	r.Said = append(r.Said, change.FindAllString(question, -1)...)
	return r, true
}

// OpOf is what a question wants of two times: Growth, Change, or Each when it speaks of neither.
func OpOf(clean string) Op {
	switch {
	case growth.MatchString(clean):
		return Growth
	case change.MatchString(clean):
		return Change
	}
	return Each
}

// definition is where a question says how a metric is computed: what we compute is said beside the answer.
var definition = regexp.MustCompile(`(?i)(?:[^.?!]*\b(?:is|are) defined as\b|\bdefine\b|\bcalculated as\b)[^.?!]*[.?!]?`)

// WithoutDefinition is a question without the sentence that defines a metric.
func WithoutDefinition(q string) string {
	if out := definition.ReplaceAllString(q, " "); strings.TrimSpace(out) != "" {
		return out
	}
	return q
}

// span is all years between the first and the last, where there are two at most; the years of "three year average" that
// end with the one named.
func span(years []int, question string) []int {
	if len(years) == 0 {
		return nil
	}
	from, to := years[0], years[len(years)-1]
	if from == to {
		if n := yearsNamed(question); n > 1 {
			from = to - n + 1
		}
	}
	if to-from > 20 {
		return years
	}
	var out []int
	for y := from; y <= to; y++ {
		out = append(out, y)
	}
	return out
}

var yearCount = regexp.MustCompile(`(?i)(two|three|four|five|\d)[- ]year`)

func yearsNamed(q string) int {
	m := yearCount.FindStringSubmatch(q)
	if m == nil {
		return 0
	}
	if n, err := strconv.Atoi(m[1]); err == nil {
		return n
	}
	return 2 + slices.Index([]string{"two", "three", "four", "five"}, strings.ToLower(m[1]))
}

// places is the decimals that a question asks for; -1: it does not say.
func places(q string) int {
	m := decim.FindStringSubmatch(q)
	if m == nil {
		return -1
	}
	if n, err := strconv.Atoi(m[1]); err == nil {
		return min(n, 10)
	}
	return max(0, slices.Index([]string{"no", "one", "two", "three", "four"}, strings.ToLower(m[1])))
}

// mention is a line that a question speaks of.
type mention struct {
	line     *Line
	from, to int
}

// mentions are the lines that a question speaks of, in its order; of two at one place the longer.
func mentions(q string) (out []mention) {
	var all []mention
	for _, l := range order {
		for at := 0; at < len(q); {
			m := l.say.FindStringSubmatchIndex(q[at:])
			if m == nil {
				break
			}
			all = append(all, mention{l, at + m[2], at + m[3]})
			at += max(m[3], 1)
		}
	}
	slices.SortStableFunc(all, func(a, b mention) int { return cmp.Compare(b.to-b.from, a.to-a.from) })
	for _, m := range all {
		if !slices.ContainsFunc(out, func(o mention) bool { return m.from < o.to && o.from < m.to }) {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b mention) int { return cmp.Compare(a.from, b.from) })
	return out
}

// Mentioned are the lines that a question speaks of, each once, in its order.
func Mentioned(clean string) (out []*Line) {
	for _, m := range mentions(statementNames.ReplaceAllString(clean, " ")) {
		if !slices.Contains(out, m.line) {
			out = append(out, m.line)
		}
	}
	return out
}

// metricOf is the metric that a question names; else one made of the lines that it speaks of: the one, or two with what
// stands between them.
func metricOf(q string, r *Request) *Metric {
	for _, m := range metrics {
		if at := m.ask.FindStringSubmatch(q); at != nil {
			r.Said = append(r.Said, at[1])
			return m
		}
	}
	ms := mentions(q)
	for _, m := range ms {
		r.Said = append(r.Said, q[m.from:m.to])
	}
	switch {
	case len(ms) == 1 || len(ms) > 1 && same(ms):
		r.Line = ms[0].line
		return &Metric{Name: ms[0].line.Name, As: Money, is: []*expr{leaf(ms[0].line)}, text: []string{ms[0].line.Name}}
	case len(ms) == 2:
		return pair(q, ms, r)
	}
	return nil
}

func same(ms []mention) bool {
	return !slices.ContainsFunc(ms, func(m mention) bool { return m.line != ms[0].line })
}

func leaf(l *Line) *expr { return &expr{op: 'l', name: l.Name} }

// between are the ways in which two lines are joined: a pattern over the words between them, or before the first; the
// operator, whether the second line comes first, and what the result is.
var between = []struct {
	before, between *regexp.Regexp
	op              byte
	swap            bool
	as              Form
}{
	{nil, must(`as a (percent(age)?|%|share|proportion|fraction) of|in percent of|relative to`), '/', false, Percent},
	{must(`(percent(age)?|proportion|share|fraction|how much) of`), nil, '/', true, Percent},
	{must(`ratio of`), must(`to|and|over`), '/', false, Ratio},
	{nil, must(`divided by|per|over`), '/', false, Ratio},
	{nil, must(`less|minus|net of`), '-', false, Money},
	{must(`difference between`), must(`and`), '-', false, Money},
	{must(`sum of|combined|total of`), must(`and`), '+', false, Money},
	{nil, must(`plus`), '+', false, Money},
	{nil, regexp.MustCompile(`(?i)^[- ]to[- ]$`), '/', false, Ratio},
}

// pair is the metric of two lines.
func pair(q string, ms []mention, r *Request) *Metric {
	before, mid := q[:ms[0].from], q[ms[0].to:ms[1].from]
	for _, b := range between {
		if b.before != nil && !b.before.MatchString(before) || b.between != nil && !b.between.MatchString(mid) {
			continue
		}
		x, y := ms[0].line, ms[1].line
		if b.swap {
			x, y = y, x
		}
		if b.before != nil {
			r.Said = append(r.Said, b.before.FindString(before))
		}
		if b.between != nil {
			r.Said = append(r.Said, b.between.FindString(mid))
		}
		e, text := &expr{op: b.op, a: leaf(x), b: leaf(y)}, x.Name+" "+string(b.op)+" "+y.Name
		if b.op == '/' { // a flow of money out is printed negative
			e = &expr{op: '/', a: positive(leaf(x)), b: positive(leaf(y))}
		}
		return &Metric{Name: q[ms[0].from:ms[1].to], As: b.as, is: []*expr{e}, text: []string{text}}
	}
	return nil
}

// outflows are lines that statements print negative, or in parentheses, for being paid.
var outflows = []string{"capital expenditures", "dividends paid", "share repurchases", "interest expense"}

func positive(e *expr) *expr {
	if slices.Contains(outflows, e.name) {
		return &expr{op: 'f', name: "abs", a: e}
	}
	return e
}

// Lines are the lines that the metric needs, and those that stand in for them.
func (m *Metric) Lines() (out []*Line) {
	var add func(e *expr, depth int)
	add = func(e *expr, depth int) {
		for _, n := range e.names() {
			l := lines[n]
			if !slices.Contains(out, l) {
				out = append(out, l)
			}
			if l.instead != nil && depth < maxInstead {
				add(l.instead, depth+1)
			}
		}
	}
	for _, e := range m.is {
		add(e, 0)
	}
	return out
}
