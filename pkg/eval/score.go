package eval

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// Report is a run over questions.
type Report struct {
	Finder  string   `json:"finder"`
	Ingest  Usage    `json:"ingest,omitzero"` // what language models cost when the documents were taken in
	Results []Result `json:"results"`
}

// Score is the sum of some results. Slices run over Ks.
type Score struct {
	N            int       `json:"n"` // answerable questions
	Any          []int     `json:"any"`
	All          []int     `json:"all"`
	Held         int       `json:"held"`   // covered, and the evidence in the text given, among all places
	Doc          int       `json:"doc"`    // right document first
	CellN        int       `json:"cell_n"` // questions whose gold names a cell
	Cell         int       `json:"cell"`   // of these, named among the first places
	Raw          []float64 `json:"raw"`    // mean characters of context at k, verbatim
	Clean        []float64 `json:"clean"`  // the same of what is shown
	Unanswerable int       `json:"no_answer"`
	Abstained    int       `json:"abstained"` // of the unanswerable
	Silent       int       `json:"silent"`    // of the answerable: an abstention that is wrong
	Errors       int       `json:"errors"`
	Usage        Usage     `json:"usage,omitzero"` // of all questions
	P50          float64   `json:"p50_ms"`         // of the time a question took
	P95          float64   `json:"p95_ms"`
}

// Sum adds up the results for which keep is true; nil keeps all.
func (r *Report) Sum(keep func(Result) bool) Score {
	s := Score{Any: make([]int, len(Ks)), All: make([]int, len(Ks)), Raw: make([]float64, len(Ks)), Clean: make([]float64, len(Ks))}
	var took []float64
	for _, res := range r.Results {
		if keep == nil || keep(res) {
			s.add(res)
			took = append(took, res.Took)
		}
	}
	if slices.Sort(took); len(took) > 0 {
		s.P50, s.P95 = took[len(took)/2], took[min(len(took)-1, len(took)*95/100)]
	}
	for i := range Ks {
		s.Raw[i] /= float64(max(s.N, 1))
		s.Clean[i] /= float64(max(s.N, 1))
	}
	return s
}

func (s *Score) add(r Result) {
	s.Errors += count(r.Error != "")
	s.Usage.Add(r.Usage)
	if !r.Answerable {
		s.Unanswerable++
		s.Abstained += count(r.Abstained)
		return
	}
	s.N++
	s.Silent += count(r.Abstained)
	s.Held += count(r.Held > 0)
	s.Doc += count(r.Doc)
	s.CellN += count(r.HasCell)
	s.Cell += count(r.HasCell && r.Cell > 0)
	for i, k := range Ks {
		s.Any[i] += count(within(r.Any, k))
		s.All[i] += count(within(r.All, k))
		s.Raw[i] += float64(r.Raw[i])
		s.Clean[i] += float64(r.Clean[i])
	}
}

// within reports whether rank (0: never) is among the first k.
func within(rank, k int) bool { return rank > 0 && rank <= k }

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Group is a score with the name of its set or kind.
type Group struct {
	Name  string `json:"name"`
	Score Score  `json:"score"`
}

// Groups are the scores by set (in the order of the run), then by kind (by name), then of all.
func (r *Report) Groups() (sets, kinds []Group, all Score) {
	var setNames, kindNames []string
	for _, res := range r.Results {
		if !slices.Contains(setNames, res.Set) {
			setNames = append(setNames, res.Set)
		}
		if !slices.Contains(kindNames, res.Kind) {
			kindNames = append(kindNames, res.Kind)
		}
	}
	slices.Sort(kindNames)
	for _, n := range setNames {
		sets = append(sets, Group{n, r.Sum(func(res Result) bool { return res.Set == n })})
	}
	for _, n := range kindNames {
		kinds = append(kinds, Group{n, r.Sum(func(res Result) bool { return res.Kind == n })})
	}
	return sets, kinds, r.Sum(nil)
}

// WriteText writes the report as a table: counts, and rates below one, by set, by kind and of all.
func (r *Report) WriteText(w io.Writer) error {
	sets, kinds, all := r.Groups()
	p := &printer{w: w}
	p.line("%-22s %4s  %-17s %-17s  %-7s %-7s %-7s %s", r.Finder, "n", "any@1/3/5", "all@1/3/5", "held@5", "doc", "cell", "context raw/clean at 5")
	for _, g := range slices.Concat(sets, kinds, []Group{{"all", all}}) {
		if g.Score.N > 0 {
			p.score(g)
		}
	}
	p.line("%-22s %s", "all, rates", rates(all))
	p.line("unanswerable: %d of %d abstained; errors: %d", all.Abstained, all.Unanswerable, all.Errors)
	return p.err
}

// printer keeps the first error of a writer.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func (p *printer) score(g Group) {
	s := g.Score
	p.line("%-22s %4d  %-17s %-17s  %-7d %-7s %-7s %.0f/%.0f", g.Name, s.N, counts(s.Any), counts(s.All), s.Held,
		fmt.Sprint(s.Doc), fmt.Sprintf("%d/%d", s.Cell, s.CellN), s.Raw[len(Ks)-1], s.Clean[len(Ks)-1])
}

func counts(n []int) string {
	return fmt.Sprintf("%4d %4d %4d", n[0], n[1], n[2])
}

// rates writes a score as ".543/.767/.853 | all@5 .729, doc .95, context 1: raw/clean, 3: .., 5: ..".
func rates(s Score) string {
	of := func(n int) string {
		if s.N == 0 {
			return "-"
		}
		return fmt.Sprintf("%.3f", float64(n)/float64(s.N))
	}
	last := len(Ks) - 1
	out := fmt.Sprintf("any %s/%s/%s | all@%d %s, doc %s, context", of(s.Any[0]), of(s.Any[1]), of(s.Any[2]), Ks[last], of(s.All[last]), of(s.Doc))
	for i, k := range Ks {
		out += fmt.Sprintf(" @%d %.0f/%.0f", k, s.Raw[i], s.Clean[i])
	}
	return out
}

// summary is the JSON form of a report: the scores, then every question.
type summary struct {
	Finder  string   `json:"finder"`
	Ingest  Usage    `json:"ingest,omitzero"`
	Ks      []int    `json:"k"`
	All     Score    `json:"all"`
	Sets    []Group  `json:"sets"`
	Kinds   []Group  `json:"kinds"`
	Results []Result `json:"results"`
}

// WriteJSON writes the report as one indented JSON object; ReadReport reads it back.
func (r *Report) WriteJSON(w io.Writer) error {
	sets, kinds, all := r.Groups()
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(summary{r.Finder, r.Ingest, Ks, all, sets, kinds, r.Results})
}

// ReadReport reads what WriteJSON wrote. Scores are computed anew from the results.
func ReadReport(rd io.Reader) (*Report, error) {
	var s summary
	if err := json.NewDecoder(rd).Decode(&s); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	for _, res := range s.Results {
		if len(res.Raw) != len(Ks) || len(res.Clean) != len(Ks) {
			return nil, fmt.Errorf("report: question %q has context of %d places, want %d", res.ID, len(res.Raw), len(Ks))
		}
	}
	return &Report{Finder: s.Finder, Ingest: s.Ingest, Results: s.Results}, nil
}
