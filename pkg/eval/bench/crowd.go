package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/facts"
	"github.com/fingerpost/fingerpost/pkg/rank"
	"github.com/fingerpost/fingerpost/pkg/reference"
	"github.com/fingerpost/fingerpost/pkg/route"
)

// Crowd fills a corpus up with copies of its documents until it holds so many sections and rows: a copy has other
// figures, and belongs to another owner. It returns what it holds then.
func (c *Corpus) Crowd(ctx context.Context, sections, rows int) (haveSections, haveRows int, err error) {
	originals := slices.Clone(c.entries)
	for _, e := range originals {
		s, r := e.size()
		haveSections, haveRows = haveSections+s, haveRows+r
	}
	for seed := 1; haveSections < sections || haveRows < rows; seed++ {
		for _, e := range originals {
			if haveSections >= sections && haveRows >= rows {
				break
			}
			if err := c.copy(ctx, e, seed); err != nil {
				return 0, 0, fmt.Errorf("bench: copy %d of %s: %w", seed, e.name, err)
			}
			s, r := e.size()
			haveSections, haveRows = haveSections+s, haveRows+r
		}
	}
	return haveSections, haveRows, nil
}

// size is a document's sections and table rows.
func (e *entry) size() (sections, rows int) {
	for _, ch := range e.chunks {
		switch ch.Kind {
		case doc.KindNode:
			sections++
		case doc.KindRow:
			rows++
		}
	}
	return sections, rows
}

// copy takes a document in again, with its figures changed by the seed.
func (c *Corpus) copy(ctx context.Context, e *entry, seed int) error {
	x := *e
	x.name = fmt.Sprintf("copy %d of %s", seed, e.name)
	x.prefix = doc.PrefixOf(doc.NewID(tenant, "bench", x.name))
	f, _ := c.library.Facts(e.prefix)
	if f.Owner != "" {
		f.Owner, f.Registration, f.Ticker, f.Aliases = fmt.Sprintf("%s %c", facts.Core(f.Owner)+strings.Repeat("a", seed), 'A'+seed%26), "", "", nil
	}
	f.Content = ""
	c.library.Add(x.prefix, f)
	c.entries, c.by[x.prefix] = append(c.entries, &x), &x
	return c.put(ctx, &x, func(term string) string { return figures(term, seed) })
}

// figures changes a number of three digits and more; years stay.
func figures(term string, seed int) string {
	if len(term) < 3 || strings.Trim(term, "0123456789") != "" || len(term) == 4 && (term[:2] == "19" || term[:2] == "20") {
		return term
	}
	b := []byte(term)
	for i := 1; i < len(b); i++ {
		b[i] = '0' + (b[i]-'0'+byte(seed%10)+byte(i))%10
	}
	return string(b)
}

// Times are those of every question, in order of size.
type Times struct{ Route, Search, Resolve []time.Duration }

// P50 is the median of sorted durations.
func P50(d []time.Duration) time.Duration { return d[len(d)/2] }

// P95 is the 95th percentile of sorted durations.
func P95(d []time.Duration) time.Duration { return d[min(len(d)-1, len(d)*95/100)] }

// Time asks the questions one after another in the mode, k places each, and tells how long reading the question,
// searching and ranking, and cutting the sections to the budget took. Each counts with the shortest of its rounds: what
// else runs on the machine makes a round longer, never shorter.
func (c *Corpus) Time(ctx context.Context, m Mode, questions []string, k, rounds int) (Times, error) {
	m.Weights = rank.Standard()
	rules := route.Rules{References: reference.OfQuestion, Names: c.table, Library: c.library, Vocabulary: m.Vocabulary}
	n := len(questions)
	t := Times{make([]time.Duration, n), make([]time.Duration, n), make([]time.Duration, n)}
	for range rounds {
		for i, q := range questions {
			start := time.Now()
			rules.Read(q)
			t.Route[i] = least(t.Route[i], time.Since(start))
			start = time.Now()
			nodes, terms, err := c.rank(ctx, m, q)
			if err != nil {
				return t, err
			}
			t.Search[i] = least(t.Search[i], time.Since(start)) // reading the question again is in it
			start = time.Now()
			c.places(m, c.distinct(nodes, k), terms)
			t.Resolve[i] = least(t.Resolve[i], time.Since(start))
		}
	}
	for _, d := range [][]time.Duration{t.Route, t.Search, t.Resolve} {
		slices.Sort(d)
	}
	return t, nil
}

// least is the lesser of what was measured before, 0 for nothing, and now.
func least(before, now time.Duration) time.Duration {
	if before == 0 || now < before {
		return now
	}
	return before
}
