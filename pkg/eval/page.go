package eval

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("report").Parse(pageText))

// pageOf is what page.html shows.
type pageOf struct {
	Title   string
	Modes   []pageMode
	Charts  []chart
	Changes []Change
	Against string
	Colors  []string // of the modes, in their order
	Failed  []pageFailed
}

// pageMode is one row of the comparison.
type pageMode struct {
	Name                         string
	Score                        Score
	Any, All, Context, Times     string
	Rate                         string
	Calls, Prompt, Output        int
	IngestCalls, IngestTokens    int
	IngestSeconds                float64
	Abstained, Cell, Doc, Silent string
}

// pageFailed is one question that failed in the first mode.
type pageFailed struct {
	Result
	Why string
}

// chart is bars of one measure, a group a set, a bar a mode.
type chart struct {
	Title         string
	Width, Height int
	Bars          []bar
	Labels        []label
}

type bar struct {
	X, Y, W, H int
	Color      string
	Tip        string
}

type label struct {
	X, Y int
	Text string
}

// colors of the modes, told apart without red and green.
var colors = []string{"#1f5fa8", "#e08a1e", "#6b6b6b", "#2a9d8f", "#9b5de5"}

// WritePage writes runs over the same questions as one HTML page that needs nothing else: the comparison, charts, what
// changed against an earlier run (nil: none), and the questions that failed in the first run with the reason.
func WritePage(w io.Writer, title string, reports []*Report, before *Report) error {
	if len(reports) == 0 {
		return fmt.Errorf("report page: no run")
	}
	p := pageOf{Title: title}
	for _, r := range reports {
		p.Colors = append(p.Colors, colors[len(p.Modes)%len(colors)])
		p.Modes = append(p.Modes, modeOf(r))
	}
	last := len(Ks) - 1
	p.Charts = []chart{
		bars(fmt.Sprintf("A place of the answer among %d (any@%d), by set", Ks[last], Ks[last]), reports, func(s Score) (int, int) { return s.Any[last], s.N }),
		bars("First place right (any@1), by set", reports, func(s Score) (int, int) { return s.Any[0], s.N }),
		bars(fmt.Sprintf("Every fact among %d (all@%d), by set", Ks[last], Ks[last]), reports, func(s Score) (int, int) { return s.All[last], s.N }),
	}
	if before != nil {
		p.Changes, p.Against = Compare(before, reports[0]), before.Finder
	}
	for _, res := range reports[0].Results {
		if why := res.Reason(); why != "" {
			p.Failed = append(p.Failed, pageFailed{res, why})
		}
	}
	return page.Execute(w, p)
}

func modeOf(r *Report) pageMode {
	s, last := r.Sum(nil), len(Ks)-1
	return pageMode{
		Name: r.Finder, Score: s, Any: counts(s.Any), All: counts(s.All), Rate: rate(s.Any[last], s.N),
		Context: fmt.Sprintf("%.0f / %.0f", s.Raw[last], s.Clean[last]), Times: fmt.Sprintf("%.1f / %.1f", s.P50, s.P95),
		Calls: s.Usage.Calls, Prompt: s.Usage.Prompt, Output: s.Usage.Output,
		IngestCalls: r.Ingest.Calls, IngestTokens: r.Ingest.Prompt + r.Ingest.Output, IngestSeconds: r.Ingest.Seconds,
		Abstained: fmt.Sprintf("%d of %d", s.Abstained, s.Unanswerable), Cell: fmt.Sprintf("%d of %d", s.Cell, s.CellN),
		Doc: fmt.Sprint(s.Doc), Silent: fmt.Sprint(s.Silent),
	}
}

// rate is n of all as .938.
func rate(n, all int) string {
	if all == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", float64(n)/float64(all))
}

// Sizes of a chart, in pixels.
const (
	barWide, barHigh  = 26, 140
	barGap, barMargin = 26, 24
)

// bars draws one measure: a group for each set and one for all.
func bars(title string, reports []*Report, of func(Score) (n, all int)) chart {
	c := chart{Title: title, Height: barHigh + 2*barMargin}
	x := barMargin
	sets, _, _ := reports[0].Groups()
	for _, g := range slices.Concat(sets, []Group{{"all", Score{}}}) {
		from := x
		for i, r := range reports {
			n, all := of(r.Sum(func(res Result) bool { return g.Name == "all" || res.Set == g.Name }))
			h := 0
			if all > 0 {
				h = barHigh * n / all
			}
			c.Bars = append(c.Bars, bar{x, barMargin + barHigh - h, barWide - 4, h, colors[i%len(colors)], fmt.Sprintf("%s, %s: %d of %d", g.Name, r.Finder, n, all)})
			c.Labels = append(c.Labels, label{x + barWide/2 - 2, barMargin + barHigh - h - 4, fmt.Sprint(n)})
			x += barWide
		}
		c.Labels = append(c.Labels, label{(from + x - 4) / 2, barMargin + barHigh + 16, g.Name})
		x = max(x+barGap, from+7*len(g.Name)+barGap) // about seven pixels a letter
	}
	c.Width = x + barMargin
	return c
}
