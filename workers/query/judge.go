package query

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/cell"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/plain"
	"github.com/fingerpost/fingerpost/pkg/prompt"
	"github.com/fingerpost/fingerpost/pkg/proof"
)

// judged is the reply with what of the model's answer is proven; with nothing proven it is the one built by code.
func (x *writer) judged() api.AskReply {
	if prompt.IsAbsent(x.text) {
		return x.absent()
	}
	all := append(x.all, x.checker.Check(x.text[x.from:])...)
	rep, proven := x.rep, 0
	rep.Statements = nil
	w := &cited{x: x}
	var parts []string
	for _, s := range all {
		st := verdict(s)
		if s.Proven() {
			st.Citations = w.cite(s.Evidence)
		}
		if st.Proven = s.Proven() && (len(s.Cites) == 0 || len(st.Citations) > 0); !st.Proven && st.Why == "" {
			st.Why = unplaced
		}
		if st.Proven {
			st.Text = renumber(s.Text, st.Citations)
			parts, proven = append(parts, st.Text), proven+1
		}
		rep.Statements = append(rep.Statements, *st)
	}
	if x.worker.Observer != nil {
		x.worker.Observer.Cited(proven, len(all)-proven)
	}
	if proven == 0 {
		rep.Note = "Built by code: nothing that the model said could be proven."
		return rep
	}
	rep.Found, rep.Form, rep.Answer, rep.Nearest = true, api.FormWritten, strings.Join(parts, "\n"), nil
	rep.Citations = w.all
	if n := len(all) - proven; n > 0 {
		rep.Note = fmt.Sprintf("%d of %d statements of the model were dropped: they could not be proven.", n, len(all))
	}
	return rep
}

// unplaced is why a statement is not shown though it is proven: none of its places could be quoted and verified.
const unplaced = "no place of it could be quoted and verified"

// absent is the reply when the model finds no answer in the sections. A value that code found stays.
func (x *writer) absent() api.AskReply {
	rep := x.rep
	if rep.Form != "" && rep.Form != api.FormSentences {
		rep.Note = "Built by code: the model did not find it."
		return rep
	}
	if len(rep.Nearest) == 0 {
		rep.Nearest = rep.Citations
	}
	rep.Found, rep.Form, rep.Citations = false, api.FormNone, []api.Citation{}
	rep.Answer = "The documents do not say."
	if len(rep.Nearest) > 0 {
		rep.Answer += " The nearest places are listed."
	}
	return rep
}

// results is the numbers that our code computed for this answer.
func results(all []api.Computed) (out []proof.Computed) {
	for _, c := range all {
		if n, ok := new(big.Rat).SetString(c.Number); ok {
			out = append(out, proof.Computed{Number: n, Percent: strings.HasSuffix(c.Value, "%"), Name: strings.Join([]string{c.Name, c.Formula, c.Period}, " ")})
		}
	}
	return out
}

// cited collects the citations of the statements, each place once.
type cited struct {
	x   *writer
	all []api.Citation
}

// cite is the numbers of the places, from 1; a place that cannot be verified is none.
func (w *cited) cite(places []proof.Evidence) (ns []int) {
	for _, e := range places {
		c, ok := w.x.citation(e)
		if !ok {
			continue
		}
		at := slices.IndexFunc(w.all, func(o api.Citation) bool { return o.Pointer == c.Pointer })
		if at < 0 {
			at = len(w.all)
			w.all = append(w.all, c)
		}
		if !slices.Contains(ns, at+1) {
			ns = append(ns, at+1)
		}
	}
	return ns
}

// citation quotes the place of an evidence.
func (x *writer) citation(e proof.Evidence) (api.Citation, bool) {
	n := x.read[e.Section-1]
	if e.Spot != (doc.Spot{}) {
		c, ok := cell.Pick(n.text, n.node.Lines.Start, e.Spot, convention(n.record))
		if !ok {
			return api.Citation{}, false
		}
		cite := n.citeCell(c)
		return cite, cite.Verified
	}
	for _, b := range plain.Blocks(n.text, n.node.Lines.Start) {
		if b.Lines == e.Lines {
			cite := candidate{node: n, lines: b.Lines, shown: b.Text}.cite()
			return cite, cite.Verified
		}
	}
	return api.Citation{}, false
}

var mark = regexp.MustCompile(`\s*\[\d{1,3}(?:\s*[,;]\s*\d{1,3})*\]`)

// renumber replaces the model's citations by those of the places that prove the statement.
func renumber(text string, ns []int) string {
	var marks strings.Builder
	for _, n := range ns {
		fmt.Fprintf(&marks, " [%d]", n)
	}
	bare := mark.ReplaceAllString(text, "")
	end := len(strings.TrimRight(bare, ".!?。"))
	return bare[:end] + marks.String() + bare[end:]
}
