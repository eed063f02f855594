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
	Abstained  bool   `json:"abstained"` // no place was given, or the system says that the documents do not hold the answer
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
	// Question and Want, where the answer stands (a place of each fact), are for reading a failure.
	Question string  `json:"question,omitempty"`
	Want     []Found `json:"want,omitempty"`
	Took     float64 `json:"took_ms"`
	Usage    Usage   `json:"usage,omitzero"`
	Error    string  `json:"error,omitempty"` // the finder's; the question counts as missed
}

// Found is where a place was, for reading a failure.
type Found struct {
	Doc   string    `json:"doc"`
	Lines doc.Lines `json:"lines"`
}

// System is what is measured.
type System struct {
	Name string
	Find Finder
	// Answers reports whether the system gives an answer to the question; nil: it does when it finds a place. It is not
	// part of the time that a question takes.
	Answers func(ctx context.Context, question string) (bool, error)
	Ingest  Usage // what language models cost when the documents were taken in
}

// Run asks every question of the finder, in order. A finder's error is noted in the result; only
// the end of ctx ends the run.
func Run(ctx context.Context, name string, qs []Question, find Finder) (*Report, error) {
	return System{Name: name, Find: find}.Run(ctx, qs)
}

// Run asks every question of the system, in order. An error of its is noted in the result; only the end of ctx ends
// the run.
func (s System) Run(ctx context.Context, qs []Question) (*Report, error) {
	r := &Report{Finder: s.Name, Ingest: s.Ingest}
	for _, q := range qs {
		res := s.one(ctx, q)
		if ctx.Err() != nil {
			return nil, fmt.Errorf("eval %s, question %s: %w", s.Name, q.ID, ctx.Err())
		}
		r.Results = append(r.Results, res)
	}
	return r, nil
}

// one asks and judges one question.
func (s System) one(ctx context.Context, q Question) Result {
	mctx, m := metered(ctx)
	start := time.Now()
	places, err := s.Find(mctx, q.Question, deepest)
	took := time.Since(start)
	res := Judge(q, places)
	res.Took, res.Usage = float64(took.Microseconds())/1000, m.sum
	if err == nil && s.Answers != nil && len(places) > 0 {
		var ok bool
		ok, err = s.Answers(ctx, q.Question)
		res.Abstained = err == nil && !ok
	}
	if err != nil {
		res.Error = err.Error()
	}
	return res
}

// Judge scores the places given for one question; places beyond the deepest k are not looked at.
func Judge(q Question, places []Place) Result {
	if len(places) > deepest {
		places = places[:deepest]
	}
	r := Result{ID: q.ID, Set: q.Set, Kind: q.Kind, Question: q.Question, Answerable: q.Answerable(), Abstained: len(places) == 0}
	open := map[int]bool{}
	for _, g := range q.Gold {
		if !open[g.Fact] {
			r.Want = append(r.Want, Found{g.Doc, g.Lines()})
		}
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
		if r.Held == 0 && Holds(p.Text, g.Must) {
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
