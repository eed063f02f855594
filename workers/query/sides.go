package query

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/route"
)

// side is a column of a comparison: a document, and the year of it that is meant.
type side struct {
	prefix doc.Prefix
	record ledger.Record
	year   int // 0: the newest of the document
}

// maxSides bounds the columns of a comparison.
const maxSides = 8

// sides are the columns that a question asks for: each owner's best document, or each document that is named otherwise; one
// document for each of the years that it names, where several of one owner are of them; else the years of the one document.
func (w *Worker) sides(ctx context.Context, t doc.Tenant, q planned, asked route.Asked, keys []string) (out []side, err error) {
	years := slices.Clone(asked.Years)
	slices.Sort(years)
	var groups [][]doc.Prefix
	switch {
	case len(keys) > 0:
		for _, k := range keys {
			for _, r := range w.table.byKey(t, "", k) {
				groups = append(groups, []doc.Prefix{doc.PrefixOf(r.DocID)})
			}
		}
	case len(q.Chosen.Choices) > 0:
		for _, c := range q.Chosen.Choices {
			var g []doc.Prefix
			for _, p := range c.Docs {
				g = append(g, p.Prefix)
			}
			groups = append(groups, g)
		}
	}
	if len(keys) == 0 {
		for _, f := range q.Routed[min(len(q.Chosen.Choices), len(q.Routed)):] {
			groups = append(groups, f)
		}
	}
	for _, g := range groups {
		if len(groups) == 1 && len(years) > 1 {
			out = append(out, w.editions(t, g, years)...)
			break
		}
		out = append(out, side{prefix: g[0], year: lastOf(years)})
	}
	return w.shown(ctx, t, out[:min(len(out), maxSides)])
}

func lastOf(years []int) int {
	if len(years) == 0 {
		return 0
	}
	return years[len(years)-1]
}

// editions is a side for each year: in the document of that year, where the owner has one, else in the best.
func (w *Worker) editions(t doc.Tenant, g []doc.Prefix, years []int) (out []side) {
	library := w.cards.of(t).Library
	for _, y := range years {
		s := side{prefix: g[0], year: y}
		for _, p := range g {
			if f, ok := library.Facts(p); ok && len(f.Years) > 0 && f.Years[0] == y {
				s.prefix = p
				break
			}
		}
		out = append(out, s)
	}
	return out
}

// shown keeps the sides whose documents may be shown now.
func (w *Worker) shown(ctx context.Context, t doc.Tenant, all []side) (out []side, err error) {
	known := records{}
	var ask []doc.Prefix
	for _, s := range all {
		ask = append(ask, s.prefix)
	}
	if err := w.lookups(ctx, t, known, ask); err != nil {
		return nil, err
	}
	for _, s := range all {
		if r := known[s.prefix]; r != nil && r.Current != 0 {
			s.record = *r
			out = append(out, s)
		}
	}
	return out, nil
}

// title is what a side is called.
func (s side) title() string {
	f := facts(s.record)
	name := f["owner"]
	if name == "" {
		name = f["title"]
	}
	if name == "" {
		name = s.record.Key
	}
	own, _, _ := strings.Cut(f["years"], ";")
	for _, x := range []string{f["form"], own} {
		if x != "" {
			name += ", " + x
		}
	}
	if s.year > 0 && fmt.Sprint(s.year) != own {
		name += ": " + fmt.Sprint(s.year)
	}
	return name
}

// api is the side as a reply names it.
func (s side) api() api.Side {
	a := api.Side{Key: s.record.Key, Title: s.title()}
	if s.year > 0 {
		a.Period = fmt.Sprint(s.year)
	}
	return a
}

// asked is the time that is meant.
func (s side) asked() route.Asked {
	if s.year == 0 {
		return route.Asked{}
	}
	return route.Asked{Years: []int{s.year}}
}
