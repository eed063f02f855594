package eval

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// Ks is the k of any@k and all@k.
var Ks = []int{1, 3, 5}

// deepest is the number of places asked of a finder.
const deepest = 5

// Result is the outcome of one question.
type Result struct {
	ID         string `json:"id"`
	Set        string `json:"set"`
	Kind       string `json:"kind"`
	Answerable bool   `json:"answerable"`
	Abstained  bool   `json:"abstained"` // no place was given
	// Any is the rank, from 1, of the first place that covers a gold entry; All the rank at which
	// every fact is covered; Cell that of the first place with a spot on a gold cell. 0: never.
	Any  int `json:"any"`
	All  int `json:"all"`
	Cell int `json:"cell"`
	// Held is the rank of the first place that covers a gold entry and whose Text, cut or not, still holds every
	// string of must_contain: what cutting to a budget loses shows here.
	Held int `json:"held"`
	// HasCell says that the gold names a cell; Doc that the first place is in a gold document.
	HasCell bool `json:"has_cell"`
	Doc     bool `json:"doc"`
	// Raw and Clean are the characters of context of the first k places, k of Ks.
	Raw    []int   `json:"raw"`
	Clean  []int   `json:"clean"`
	Places []Found `json:"places"`
	Took   float64 `json:"took_ms"`
	Error  string  `json:"error,omitempty"` // the finder's; the question counts as missed
}

// Found is where a place was, for reading a failure.
type Found struct {
	Doc   string    `json:"doc"`
	Lines doc.Lines `json:"lines"`
}

// Run asks every question of the finder, in order. A finder's error is noted in the result; only
// the end of ctx ends the run.
func Run(ctx context.Context, name string, qs []Question, find Finder) (*Report, error) {
	r := &Report{Finder: name}
	for _, q := range qs {
		start := time.Now()
		places, err := find(ctx, q.Question, deepest)
		took := time.Since(start)
		if ctx.Err() != nil {
			return nil, fmt.Errorf("eval %s, question %s: %w", name, q.ID, ctx.Err())
		}
		res := Judge(q, places)
		res.Took = float64(took.Microseconds()) / 1000
		if err != nil {
			res.Error = err.Error()
		}
		r.Results = append(r.Results, res)
	}
	return r, nil
}

// Judge scores the places given for one question; places beyond the deepest k are not looked at.
func Judge(q Question, places []Place) Result {
	if len(places) > deepest {
		places = places[:deepest]
	}
	r := Result{ID: q.ID, Set: q.Set, Kind: q.Kind, Answerable: q.Answerable(), Abstained: len(places) == 0}
	open := map[int]bool{}
	for _, g := range q.Gold {
		open[g.Fact] = true
		r.HasCell = r.HasCell || g.Cell != nil
		r.Doc = r.Doc || len(places) > 0 && places[0].Doc == g.Doc
	}
	for i, p := range places {
		r.judge(q, p, i+1, open)
	}
	r.Raw, r.Clean = contextSize(places)
	return r
}

// judge notes what place p at the given rank serves; open holds the facts still without a place.
func (r *Result) judge(q Question, p Place, rank int, open map[int]bool) {
	r.Places = append(r.Places, Found{p.Doc, p.Lines})
	for _, g := range q.Gold {
		if r.Cell == 0 {
			for _, s := range p.Spots {
				if names(p.Doc, s, g) {
					r.Cell = rank
				}
			}
		}
		if !Covers(p, g) {
			continue
		}
		delete(open, g.Fact)
		if r.Any == 0 {
			r.Any = rank
		}
		if r.Held == 0 && holds(p.Text, g.Must) {
			r.Held = rank
		}
	}
	if r.All == 0 && len(open) == 0 && len(q.Gold) > 0 {
		r.All = rank
	}
}

// contextSize counts the characters of the first k places, for each k of Ks.
func contextSize(places []Place) (raw, clean []int) {
	for _, k := range Ks {
		var r, c int
		for _, p := range places[:min(k, len(places))] {
			shown := p.Shown
			if shown == "" {
				shown = p.Text
			}
			r += utf8.RuneCountInString(p.Text)
			c += utf8.RuneCountInString(shown)
		}
		raw, clean = append(raw, r), append(clean, c)
	}
	return raw, clean
}
