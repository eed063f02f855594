package query

import (
	"strings"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/route"
)

// chosen tells which documents of which owner were chosen, and why.
func (w *Worker) chosen(t doc.Tenant, c route.Chosen) (out []api.Chosen) {
	for _, ch := range c.Choices {
		a := api.Chosen{Owner: ch.Owner, Word: ch.Word, How: ch.How, Reason: ch.Reason, RunnerUp: ch.RunnerUp}
		for _, p := range ch.Docs {
			if len(a.Documents) == api.MaxChosen {
				break
			}
			if r, ok := w.table.record(t, p.Prefix); ok {
				a.Documents = append(a.Documents, api.ChosenDocument{Key: r.Key, What: p.What, Prior: p.Prior})
			}
		}
		out = append(out, a)
	}
	return out
}

// adds tells what the rules and the vocabulary added to the question.
func adds(q planned) *api.Adds {
	a := &api.Adds{Words: q.Extra, Same: q.Same, Halves: q.Halves}
	for _, t := range q.Titles {
		a.Titles = append(a.Titles, strings.Join(t, " "))
	}
	for _, s := range q.Statements {
		a.Statements = append(a.Statements, s.Kind)
	}
	return a
}
