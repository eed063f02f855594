package route

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/facts"
)

// Choice is the documents of one owner that a question is about.
type Choice struct {
	Owner string `json:"owner"`
	Word  string `json:"word"` // as the question writes it
	How   string `json:"how"`  // "name", "one letter off", "blend"
	Docs  []Pick `json:"docs"` // best first; those far below the best are left out
	// Reason says in a sentence why; RunnerUp is the best document that is not the first: kept or not.
	Reason   string `json:"reason"`
	RunnerUp string `json:"runner_up,omitempty"`
}

// Pick is a document with its prior and what it is: "Amcor plc, 10-K, 2023".
type Pick struct {
	Prefix doc.Prefix `json:"-"`
	Prior  float64    `json:"prior"`
	What   string     `json:"what"`
}

// Chosen is what the facts of documents say of a question.
type Chosen struct {
	Asked   Asked    `json:"asked,omitzero"`
	Choices []Choice `json:"choices,omitempty"` // an owner each, in the question's order; empty: none is named
	// Prior is added to every score in a document; nil: the same for all.
	Prior map[doc.Prefix]float64 `json:"-"`
	// Note says what was considered where no owner is named.
	Note string `json:"note,omitempty"`

	spans []span // the names in the question
}

// maxSoft bounds the documents that get a prior where no owner is named.
const maxSoft = 4000

// Choose reads which documents a question is about: those of the owners that it names, by period and form.
func (l *Library) Choose(question string) Chosen {
	question = cut(question, MaxQuestion)
	c := Chosen{Asked: Ask(question)}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.docs) == 0 {
		return c
	}
	if l.index == nil {
		l.index = newIndex(group(l.sorted()), l.more)
	}
	seen := map[*owner]bool{}
	ts := tokens(question)
	for _, m := range l.index.find(ts) {
		c.spans = append(c.spans, m.span)
		fresh := slices.DeleteFunc(slices.Clone(m.owners), func(o *owner) bool { return seen[o] })
		for _, o := range fresh {
			seen[o] = true
		}
		if len(fresh) == 0 {
			continue
		}
		ch, priors := l.choice(documentsOf(fresh), c.Asked)
		ch.Owner, ch.Word, ch.How = fresh[0].name, question[m.from:m.to], m.how
		ch.Reason = fmt.Sprintf("%q names %s (%s)", ch.Word, ch.Owner, m.how) + c.Asked.said()
		c.Choices = append(c.Choices, ch)
		c.add(priors)
	}
	if len(c.Choices) == 0 {
		l.soft(&c)
		c.Note = l.index.doubt(ts) + c.Note
	}
	return c
}

func (c *Chosen) add(priors map[doc.Prefix]float64) {
	if c.Prior == nil {
		c.Prior = map[doc.Prefix]float64{}
	}
	for p, x := range priors {
		c.Prior[p] = x
	}
}

// choice picks among documents.
func (l *Library) choice(docs []*filed, a Asked) (Choice, map[doc.Prefix]float64) {
	newest := 0
	for _, d := range docs {
		newest = max(newest, newestOf(&d.facts))
	}
	picks := make([]Pick, 0, len(docs))
	for _, d := range docs {
		picks = append(picks, Pick{d.prefix, l.Priors.of(&d.facts, a, newest), what(&d.facts)})
	}
	if y, rest := a.year(newest); y == 0 && !rest && a.Quarter == 0 && a.Date == "" {
		l.Priors.recent(docs, picks)
	}
	slices.SortStableFunc(picks, func(x, y Pick) int {
		return cmp.Or(cmp.Compare(y.Prior, x.Prior), cmp.Compare(y.What, x.What), slices.Compare(x.Prefix[:], y.Prefix[:]))
	})
	var ch Choice
	priors := map[doc.Prefix]float64{}
	same := map[string]bool{}
	for i, p := range picks {
		if c := l.docs[p.Prefix].facts.Content; c != "" {
			if same[c] { // the same text under another key counts once
				continue
			}
			same[c] = true
		}
		if i > 0 && ch.RunnerUp == "" {
			ch.RunnerUp = p.What
		}
		if p.Prior >= picks[0].Prior-l.Priors.Drop {
			ch.Docs = append(ch.Docs, p)
			priors[p.Prefix] = p.Prior
		}
	}
	return ch, priors
}

// newestOf is the newest year of a document; 0: none.
func newestOf(f *facts.Facts) (year int) {
	for _, y := range f.Years {
		year = max(year, y)
	}
	return year
}

// recent prefers the newest, where no period is asked for.
func (p Priors) recent(docs []*filed, picks []Pick) {
	order := make([]int, len(docs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(when(&docs[b].facts), when(&docs[a].facts)) })
	found := false
	for n, i := range order {
		if n < len(p.Recent) && when(&docs[i].facts) != "" {
			picks[i].Prior += p.Recent[n]
		}
		if !found && annual(&docs[i].facts) {
			picks[i].Prior += p.Newest
			found = true
		}
	}
}

// when is a day by which documents are ordered; "" when none is known.
func when(f *facts.Facts) string {
	switch {
	case f.PeriodEnd != "":
		return f.PeriodEnd
	case f.Date != "":
		return f.Date
	case len(f.Years) > 0:
		return fmt.Sprint(f.Years[0])
	}
	return ""
}

// soft gives every document a prior where no owner is named but a period or form is, and nothing is left out.
// Documents of no period are held for as good as the best.
func (l *Library) soft(c *Chosen) {
	c.Note = fmt.Sprintf("no owner is named: all %d documents of %d owners are considered", len(l.docs), len(l.index.owners))
	if c.Asked.None() || len(l.docs) > maxSoft {
		return
	}
	newest := 0
	for _, d := range l.docs {
		newest = max(newest, newestOf(&d.facts))
	}
	c.Prior = map[doc.Prefix]float64{}
	best := 0.0
	for p, d := range l.docs {
		x := l.Priors.of(&d.facts, c.Asked, newest)
		c.Prior[p] = x
		best = max(best, x)
	}
	for p, d := range l.docs {
		if d.facts.PeriodEnd == "" && len(d.facts.Years) == 0 {
			c.Prior[p] = best
		}
	}
	c.Note += c.Asked.said()
}

// named is the choices as names that lead to documents.
func (c *Chosen) named() (out []Named) {
	for _, ch := range c.Choices {
		n := Named{Word: ch.Word}
		for _, p := range ch.Docs {
			n.Docs = append(n.Docs, p.Prefix)
		}
		out = append(out, n)
	}
	return out
}

// without is the question without the owners' names and, where documents were chosen by period, without that: inside
// one document these say nothing, and draw in look-alikes.
func (c *Chosen) without(question string) string {
	var b strings.Builder
	at := 0
	for _, s := range c.spans {
		b.WriteString(question[at:s.from] + " ")
		at = s.to
	}
	b.WriteString(question[at:])
	out := b.String()
	if slices.ContainsFunc(c.Choices, func(ch Choice) bool { return ch.RunnerUp != "" }) {
		out = withoutPeriod(out)
	}
	if strings.Trim(out, " .,?!") == "" {
		return question
	}
	return out
}

// ownerless leaves out documents whose owner is known: they are routed by it.
func (l *Library) ownerless(named []Named) (out []Named) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range named {
		n.Docs = slices.DeleteFunc(slices.Clone(n.Docs), func(p doc.Prefix) bool { return l.docs[p] != nil && l.docs[p].facts.Owner != "" })
		if len(n.Docs) > 0 {
			out = append(out, n)
		}
	}
	return out
}
