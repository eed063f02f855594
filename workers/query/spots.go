package query

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/cell"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/route"
	"github.com/fingerpost/fingerpost/pkg/spot"
	"github.com/fingerpost/fingerpost/pkg/words"
)

// spotted is an answer made of cells.
type spotted struct {
	text    string
	cites   []api.Citation
	all     []api.Computed
	refused bool // the nearest cell is of another time than was asked for
}

const (
	spotPlace   = 0.5  // what the rank of the section weighs against the fit of the cell
	spotFloor   = 0.55 // share of the question that the words around a cell must hold, where a value is asked for
	spotSure    = 0.65 // and where it may be
	spotNamed   = 0.3  // and in the table that is named
	spotSlack   = 0.2  // less of it, where the label stands in the question
	spotUndated = 0.1  // more of it, where a time is asked for and the table tells none
	spotClose   = 0.03 // cells that near the best one are named beside it
	spotSides   = 0.12 // in a comparison
	spotMost    = 3
	spotHits    = 20 // cells of a section that are looked at
)

// rated is a cell, or a row without columns, with its section.
type rated struct {
	spot.Hit
	run   *spot.Run
	node  *readNode
	total float64
}

// spot answers a question for a value by the cell that holds it; nil where no cell fits.
func (a asker) spot(places []found, read []*readNode) *spotted {
	if !a.mayAskValue() {
		return nil
	}
	all := a.rate(places, read)
	floor, near := spotSure, spotClose
	if a.kind == route.Cell {
		floor = spotFloor
	}
	if a.kind == route.Comparison {
		near = spotSides
	}
	if len(all) == 0 || !all[0].fits(floor, len(a.asked.Years) > 0) {
		return a.otherTime(all, floor)
	}
	if s := a.reckon(&all[0]); s != nil {
		return s
	}
	out, seen := &spotted{}, map[string]bool{}
	var parts []string
	for _, r := range all {
		if len(out.cites) == spotMost || r.total < all[0].total-near {
			break
		}
		if cite, text := r.say(); !seen[text] {
			seen[text] = true
			out.cites, parts = append(out.cites, cite), append(parts, text)
		}
	}
	out.text = strings.Join(parts, "\n")
	return out
}

// otherTime is the refusal of a question for a value whose row is there, but of no time that it names; nil where no row is.
func (a asker) otherTime(all []rated, floor float64) *spotted {
	if a.kind != route.Cell || len(a.asked.Years) == 0 {
		return nil
	}
	var best *rated
	for i := range all {
		r := &all[i]
		if r.Cover < floor || r.run != nil || r.Cell.Value.Number == nil {
			continue
		}
		if r.Dated || r.Undated {
			return nil
		}
		if best == nil {
			best = r
		}
	}
	if best == nil || best.Pure < 1 {
		return nil
	}
	cite, text := best.say()
	return &spotted{text: fmt.Sprintf("The documents do not say it of %d. The nearest is: %s", a.asked.Years[0], text), cites: []api.Citation{cite}, refused: true}
}

// fits reports whether a cell is good enough to be the answer; dated: the question names a time.
func (r *rated) fits(floor float64, dated bool) bool {
	if r.run == nil && r.Cell.Value.Number == nil || dated && !r.Dated && !r.Undated {
		return false
	}
	if dated && r.Undated && !r.Literal {
		floor += spotUndated
	}
	switch {
	case r.Named && r.Label > 0:
		floor = spotNamed
	case r.Literal, r.Dated && r.Label == 0:
		floor -= spotSlack
	}
	return r.Cover >= floor
}

// proseAsked begins questions that no value answers.
var proseAsked = regexp.MustCompile(`(?i)\b(why|explain|describe|discuss|what (drove|caused|led to)|who (is|are|was|were)|approach(es)?|strateg(y|ies)|trade-?offs?|(compare|describe) how|in terms of|how (do|does|is|are|can|did)\b.*\b(define|work|extract|extend|affect|differ)|почему|кто|warum|wer)\b`)

// mayAskValue reports whether a value may be the answer.
func (a asker) mayAskValue() bool {
	switch a.kind {
	case route.Cell:
		return true
	case route.Definition: // "What is the yield of 2024?" is short, and asks for a value
		return len(a.asked.Years) > 0
	case route.Factual, route.Comparison:
		return !proseAsked.MatchString(a.question)
	}
	return false
}

// rate is the cells of all sections, best first.
func (a asker) rate(places []found, read []*readNode) (all []rated) {
	for i, x := range read {
		if x == nil {
			continue
		}
		weight := spotPlace * places[i].Score / places[0].Score
		lang := words.Language(x.record.Facts["language"])
		sq := spot.Question{Weight: a.idf, Periods: periodsOf(a.asked), Words: func(s string) []string { return words.Analyze(s, lang) }, Known: selfNamed(x, lang)}
		sq.Terms = timeless(words.Question(route.Clean(a.question), []words.Language{lang}))
		sq.Text, sq.Table, sq.Total = a.question, spot.TableOf(a.question), slices.Contains(sq.Terms, "total")
		sheets := cell.Sheets(x.text, x.node.Lines.Start, convention(x.record))
		hits := sq.Cells(x.text, sheets, x.breadcrumb())
		for _, h := range hits[:min(len(hits), spotHits)] {
			all = append(all, rated{h, nil, x, h.Score + weight})
		}
		var tables []doc.Lines
		for _, s := range sheets {
			tables = append(tables, s.Lines)
		}
		runs := spot.Runs(x.text, x.node.Lines.Start, tables, convention(x.record))
		for j := range runs {
			h := sq.Rate(&runs[j], x.breadcrumb())
			all = append(all, rated{h, &runs[j], x, h.Score + weight})
		}
	}
	slices.SortStableFunc(all, func(a, b rated) int { return cmp.Compare(b.total, a.total) })
	return all
}

// say cites the cell and says it. Where the columns of its table cannot be told apart the whole row is said.
func (r *rated) say() (api.Citation, string) {
	x := r.node
	if r.run != nil {
		var vs []string
		for _, v := range r.run.Values {
			vs = append(vs, v.Text)
		}
		shown := r.run.Label + " | " + strings.Join(vs, " | ")
		text := r.run.Label + ": " + strings.Join(vs, "; ")
		if r.run.Caption != "" {
			text += " (" + r.run.Caption + ")"
		}
		return candidate{node: x, lines: r.run.Lines, shown: shown}.cite(), text
	}
	cite := x.citeCell(r.Cell)
	if r.Vague {
		cite.Cell = nil
		return cite, strings.Trim(strings.Join(strings.Fields(cite.Shown), " "), "| ") + " (columns: " + strings.Join(r.Cell.Columns, "; ") + ")"
	}
	return cite, sentence(&r.Cell) + of(x)
}

// selfNamed are the words by which a document names itself and its owner.
func selfNamed(x *readNode, lang words.Language) map[string]bool {
	m := map[string]bool{}
	f := facts(x.record)
	for _, s := range []string{f["owner"], f["title"], f["aliases"], f["ticker"], x.record.Key} {
		for _, t := range words.Analyze(s, lang) {
			m[t] = true
		}
	}
	return m
}

// timeless is the terms without years: times are laid on cells by themselves.
func timeless(terms []string) []string {
	return slices.DeleteFunc(terms, func(t string) bool { return !spot.ReadPeriod(t).None() })
}

// periodsOf is the times that the question names.
func periodsOf(asked route.Asked) (out []spot.Period) {
	for i, y := range asked.Years {
		p := spot.Period{Year: y}
		if i == 0 {
			p.Quarter = asked.Quarter
		}
		out = append(out, p)
	}
	return out
}

// of names the document of a section, for the end of a sentence.
func of(x *readNode) string { return " [" + side{record: x.record}.title() + "]" }

// sentence says a cell: what it is, of when, how much, in which unit.
func sentence(c *cell.Cell) string {
	name := c.Label
	if len(c.Parents) > 0 {
		name = strings.Join(c.Parents, " > ") + " > " + name
	}
	head := []string{name}
	for _, p := range c.Columns {
		if spot.ReadPeriod(p).None() && !strings.Contains(c.Period, strings.TrimRight(p, ", ")) { // else it is said with the period
			head = append(head, p)
		}
	}
	if c.Period != "" {
		head = append(head, c.Period)
	}
	text := strings.Join(head, ", ") + ": " + c.Value.Text
	if c.Unit != "" && !c.Value.Percent {
		text += " (" + c.Unit + ")"
	} else if c.Unit == "%" && !strings.Contains(c.Value.Text, "%") {
		text += "%"
	}
	return text
}
