package query

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/cell"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/formula"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/pkg/rank"
	"github.com/fingerpost/fingerpost/pkg/route"
	"github.com/fingerpost/fingerpost/pkg/spot"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// book is the statements of one document, opened.
type book struct {
	record  ledger.Record
	pages   []bookPage
	quarter int // asked for; 0: the year
	shift   int // what the year of a date is above the owner's own label of it
}

// bookPage is a section with tables.
type bookPage struct {
	kind   string // "balance", "income", "cash"; "" of any other section
	node   *readNode
	sheets []cell.Sheet
}

// entry is a cell of a book: an operand of a formula.
type entry struct {
	cell cell.Cell
	node *readNode
}

// maxBooks is how many documents are opened for one computation.
const maxBooks = 3

// booksFor are the documents that a question's computation may be made from, best first: those that their facts speak for, else
// those of the best places.
func booksFor(q planned, places []found) (out []doc.Prefix) {
	add := func(p doc.Prefix) {
		if len(out) < maxBooks && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	for _, c := range q.Chosen.Choices {
		for _, p := range c.Docs {
			add(p.Prefix)
		}
	}
	if len(out) == 0 {
		for _, f := range places {
			add(f.Place.Prefix)
		}
	}
	return out
}

// open reads the statements of a document that a metric needs, one of each kind; nil when the document has none.
func (w *Worker) open(ctx context.Context, t doc.Tenant, p doc.Prefix, kinds []string, asked route.Asked) (*book, error) {
	b := &book{quarter: asked.Quarter}
	for _, kind := range kinds {
		q := planned{Weights: rank.Standard()}
		q.Docs, q.Statements = vector.Filter{p}, []rank.Wanted{{Kind: kind, Weight: 1}}
		var took api.Took
		places, read, err := w.places(ctx, t, q, 2, &took)
		if err != nil {
			return nil, err
		}
		for i, x := range read {
			if x == nil || places[i].Why.Statement == 0 {
				continue
			}
			b.add(kind, x)
			if err := w.continued(ctx, b, kind, x); err != nil {
				return nil, err
			}
		}
	}
	if len(b.pages) == 0 {
		return nil, nil
	}
	b.shift = shift(b.record)
	return b, nil
}

// maxContinued is how many sections a statement may go on in.
const maxContinued = 3

// continued adds the sections that go on with a statement: they follow it and begin with its title.
func (w *Worker) continued(ctx context.Context, b *book, kind string, x *readNode) error {
	title := formula.Plain(x.node.Title)
	for n := x.node.ID.Number() + 1; n < len(x.tree.Nodes) && n <= x.node.ID.Number()+maxContinued; n++ {
		if title == "" || !strings.HasPrefix(formula.Plain(x.tree.Nodes[n].Title), title) {
			return nil
		}
		next, err := w.readNode(ctx, x.record, at{generation: x.record.Current, node: n, window: -1})
		if errors.Is(err, errMoved) || errors.Is(err, errDamaged) {
			return nil
		}
		if err != nil {
			return err
		}
		b.add(kind, next)
	}
	return nil
}

func (b *book) add(kind string, x *readNode) {
	b.record = x.record
	if !slices.ContainsFunc(b.pages, func(p bookPage) bool { return p.node.node.ID == x.node.ID && p.kind == kind }) {
		b.pages = append(b.pages, bookPage{kind, x, cell.Sheets(x.text, x.node.Lines.Start, convention(x.record))})
	}
}

// shift is how far the owner's own label of a fiscal year lies behind the year in which it ends: 1 for those that call the
// year to January 2023 "fiscal 2022".
func shift(r ledger.Record) int {
	f := facts(r)
	end, err := time.Parse(time.DateOnly, f["period_end"])
	own, _, _ := strings.Cut(f["years"], ";")
	y, err2 := strconv.Atoi(strings.TrimSpace(own))
	if err != nil || err2 != nil || end.Month() > 2 {
		return 0
	}
	return min(max(end.Year()-y, 0), 1)
}

// year is the fiscal year of a cell in the owner's own counting; 0 when it is of another span than asked, or of none.
func (b *book) year(c *cell.Cell) int {
	p := spot.PeriodOf(c)
	switch {
	case p.None():
		return 0
	case b.quarter == 0 && p.Months > 0 && p.Months < 12:
		return 0
	case b.quarter > 0 && p.Months > 3:
		return 0
	}
	if p.Month == 1 || p.Month == 2 {
		return p.Year - b.shift
	}
	return p.Year
}

// line finds a line for a year: in its own statement first, by the best of its labels.
func (b *book) line(l *formula.Line, year int) *formula.Operand {
	var best *entry
	rank := 1 << 20
	for _, page := range b.pages {
		other := 0
		if page.kind != l.Statement {
			other = 1000
		}
		for i := range page.sheets {
			for j := range page.sheets[i].Rows {
				r := &page.sheets[i].Rows[j]
				if len(r.Cells) == 0 {
					continue
				}
				fit := l.Fits(r.Cells[0].Label, r.Cells[0].Parents)
				if fit < 0 || fit+other >= rank {
					continue
				}
				if c := b.cellOf(r, year); c != nil {
					best, rank = &entry{*c, page.node}, fit+other
				}
			}
		}
	}
	if best == nil {
		return nil
	}
	return &formula.Operand{Number: best.cell.Amount(), Text: bareNumber(best.cell.Value.Text), Currency: best.cell.Currency, Ref: best}
}

// cellOf is the cell of a row that is of the year, and a number.
func (b *book) cellOf(r *cell.Row, year int) *cell.Cell {
	for i := range r.Cells {
		if c := &r.Cells[i]; c.Value.Number != nil && !c.Percent() && b.year(c) == year {
			return c
		}
	}
	return nil
}

// bareNumber is a printed number without its currency sign and blanks.
func bareNumber(s string) string {
	return strings.TrimSpace(strings.NewReplacer("$", "", "€", "", "£", "", " ", "").Replace(s))
}

// newest is the latest year of the statements.
func (b *book) newest() (year int) {
	for _, page := range b.pages {
		for i := range page.sheets {
			for j := range page.sheets[i].Rows {
				cells := page.sheets[i].Rows[j].Cells
				for k := range cells {
					year = max(year, b.year(&cells[k]))
				}
			}
		}
	}
	return year
}

// kindsOf are the statements in which the lines of a metric stand.
func kindsOf(m *formula.Metric) (kinds []string) {
	for _, l := range m.Lines() {
		if !slices.Contains(kinds, l.Statement) {
			kinds = append(kinds, l.Statement)
		}
	}
	slices.SortFunc(kinds, cmp.Compare)
	return kinds
}
