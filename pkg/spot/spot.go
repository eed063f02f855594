// Package spot chooses, inside sections that were found, the exact place that a question asks for: cells of tables.
//
// A cell is told by the words around it: the label of its row with its parents, the headers over its column, the caption
// of the table, the titles above. The words of the question are laid on these; what the row's label says beyond them, and
// what they ask beyond all of it, counts against the cell.
package spot

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/fingerpost/fingerpost/pkg/cell"
)

// Question is what is asked, ready to be laid on tables. Words is the analyzer in the document's language.
type Question struct {
	Terms   []string           // its analysed words
	Weight  map[string]float64 // how much each says: its idf; one that is not there counts 1
	Periods []Period           // the times it names; none: any
	Words   func(string) []string
	// Known are words that the document itself says of all its tables: its owner, its title. They cost nothing when no cell says
	// them.
	Known map[string]bool
	Table string // the number of the table that it names; "": none
	Total bool   // it asks for a total
	Text  string // as it was asked: a label that stands in it word for word is the one that is meant

	slack map[string]bool // idle words
}

// Hit is a cell and how well it fits.
type Hit struct {
	Cell  cell.Cell
	Score float64
	// Cover is the share of the question's weight that the words around the cell hold, 0 to 1; Label the share that its
	// row's label with its parents holds; Pure the share of the label's words that the question says.
	Cover, Label, Pure float64
	// Dated: it is of a time that the question names. Undated: the cell tells no time.
	Dated, Undated bool
	// Literal: its label stands in the question word for word. Named: so does the number of its table.
	Literal, Named bool
	// Vague: the table's header does not tell its columns apart, so that only the whole row is sure.
	Vague bool
}

// What a word of the question counts by where it stands.
const (
	inLabel   = 1.0
	inColumn  = 1.0
	inParents = 0.85
	inCaption = 0.75
	inTitles  = 0.6
	inLead    = 0.5 // in the text that leads to the table
)

// What else makes a cell fit.
const (
	forPure    = 0.35 // the label says nothing else
	forLabel   = 0.25 // the label says it, rather than what is around
	forParent  = 0.1  // what it stands below says something else: against it
	forColumn  = 0.2  // so does the header of the column
	forPeriod  = 0.4  // it is of the time asked for
	otherTime  = 0.8  // it is of another
	forNewest  = 0.08 // it is the newest of its row, where no time is asked for
	noNumber   = 0.3  // it holds no number
	forTotal   = 0.1  // it is a total, where that is asked for
	forLiteral = 0.2  // its label stands in the question word for word
	forTable   = 0.4  // it stands in the table that is named; against it, in one of another number
)

// Cells rates the cells of a section's tables; titles are the headings above them. Best first; each row gives its best
// cell, and others of it that fit as well.
//
// src is the section's text.
func (q *Question) Cells(src []byte, sheets []cell.Sheet, titles []string) (hits []Hit) {
	q.slack = Idle(q.Words)
	above := q.set(strings.Join(titles, " "))
	for i := range sheets {
		s := &sheets[i]
		z := zones{caption: q.set(s.Caption), above: above, lead: q.set(lead(i, sheets, src))}
		named := q.table(s.Caption)
		for j := range s.Rows {
			hits = append(hits, q.row(&s.Rows[j], z, named)...)
		}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	return hits
}

// maxLead is how much of the text before a table leads to it, in bytes.
const maxLead = 1500

// lead is the text between the table before and this one, its end.
func lead(i int, sheets []cell.Sheet, src []byte) string {
	from, to := 0, int(sheets[i].Bytes.Start)
	if i > 0 {
		from = int(sheets[i-1].Bytes.End)
	}
	if to > len(src) || from >= to {
		return ""
	}
	return string(src[max(from, to-maxLead):to])
}

// zones are the words around a table.
type zones struct{ caption, above, lead map[string]bool }

func (q *Question) row(r *cell.Row, z zones, named float64) (hits []Hit) {
	if len(r.Cells) == 0 {
		return nil
	}
	label, parents := q.set(r.Cells[0].Label), q.set(strings.Join(r.Cells[0].Parents, " "))
	newest, vague := Newest(r.Cells), vague(r)
	for i := range r.Cells {
		c := &r.Cells[i]
		column := q.set(strings.Join(untimed(c.Columns), " "))
		h := q.rate(label, parents, column, z.caption, z.above, z.lead, q.set(c.Period+" "+strings.Join(c.Columns, " ")))
		if n := len(c.Parents); n > 0 {
			h.Score -= forParent * (1 - q.pure(q.set(c.Parents[n-1])))
		}
		h.Cell, h.Vague = *c, vague
		h.Score += named
		q.period(&h, newest)
		if h.Dated && len(label) > 0 && !ReadPeriod(c.Label).None() {
			h.Score += forPure + forLabel/2 // the row is the time that is asked for
		}
		if q.Total && totals[strings.ToLower(c.Label)] {
			h.Score += forTotal
		}
		h.Literal = q.literal(c.Label)
		if h.Literal || len(c.Parents) > 0 && q.literal(c.Parents[len(c.Parents)-1]) {
			h.Score += forLiteral
		}
		h.Named = named > 0
		if c.Value.Number == nil {
			h.Score -= noNumber
		}
		hits = append(hits, h)
	}
	return hits
}

// literal reports whether a label of two words or more, or of eight letters, stands in the question as it is; a name by its
// capitals, "LoRA", may be shorter.
func (q *Question) literal(label string) bool {
	label, text := strings.Trim(label, "*: "), q.Text
	if name := len(label) >= 3 && strings.IndexFunc(label[1:], unicode.IsUpper) >= 0; !name || len(label) > 20 {
		label, text = strings.ToLower(label), strings.ToLower(text)
		if len(label) < 6 || !strings.ContainsAny(label, " -+/") && len(label) < 8 {
			return false
		}
	}
	at := strings.Index(text, label)
	if at < 0 {
		return false
	}
	end := at + len(label)
	return (at == 0 || !wordByte(text[at-1])) && (end == len(text) || !wordByte(text[end]))
}

func wordByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 0x80 || c == '-'
}

// vague reports whether all of a row's cells stand below the same headers.
func vague(r *cell.Row) bool {
	for i := range r.Cells[1:] {
		if !slices.Equal(r.Cells[i].Columns, r.Cells[i+1].Columns) {
			return false
		}
	}
	return len(r.Cells) > 2 && len(r.Cells[0].Columns) > 0
}

// totals are labels of rows that sum up what is above.
var totals = map[string]bool{"total": true, "totals": true, "итого": true, "всего": true, "gesamt": true, "summe": true}

// table is what a caption's number counts, where the question names a table.
func (q *Question) table(caption string) float64 {
	switch n := TableOf(caption); {
	case q.Table == "" || n == "":
		return 0
	case n == q.Table:
		return forTable
	}
	return -forTable
}

// untimed is the headers that are no times.
func untimed(path []string) (out []string) {
	for _, p := range path {
		if ReadPeriod(p).None() {
			out = append(out, p)
		}
	}
	return out
}

// rate lays the question's words on the zones around a cell.
func (q *Question) rate(label, parents, column, caption, above, lead, time map[string]bool) (h Hit) {
	var sum, hit, inLab, inCol float64
	for _, t := range q.Terms {
		w := q.weight(t)
		sum += w
		switch {
		case has(label, t):
			hit += inLabel * w
			inLab += w
		case has(column, t):
			hit += inColumn * w
			inCol += w
		case time[t]:
			hit += w
		case has(parents, t):
			hit += inParents * w
			inLab += inParents * w
		case has(caption, t):
			hit += inCaption * w
		case has(above, t):
			hit += inTitles * w
		case lead[t]:
			hit += inLead * w
		case q.Known[t]:
			sum -= w
		}
	}
	if sum > 0 {
		h.Cover, h.Label = hit/sum, inLab/sum
	}
	h.Pure = q.pure(label)
	h.Score = h.Cover + forPure*h.Pure*min(1, 6*h.Label) + forLabel*h.Label
	if inCol > 0 && sum > 0 {
		h.Score += forColumn * (inCol/sum + q.pure(column)) / 2
	}
	return h
}

// weight of a word of the question.
func (q *Question) weight(t string) float64 {
	w, ok := q.Weight[t]
	if !ok {
		w = 1
	}
	if q.slack[t] {
		w *= forIdle
	}
	return w
}

// pure is the share of the words that the question says.
func (q *Question) pure(words map[string]bool) float64 {
	n, said := 0, 0
	for w := range words {
		if isYear(w) {
			continue
		}
		n++
		for _, t := range q.Terms {
			if t == w || abbreviates(w, t) {
				said++
				break
			}
		}
	}
	if n == 0 {
		return 0
	}
	return float64(said) / float64(n)
}

// has reports whether a zone says a word of the question, perhaps cut short, "Mem" for memory.
func has(zone map[string]bool, term string) bool {
	if zone[term] {
		return true
	}
	for w := range zone {
		if abbreviates(w, term) {
			return true
		}
	}
	return false
}

// abbreviates reports whether a word of a table may be a word of the question, cut: three letters or more of it, as headers
// do.
func abbreviates(short, term string) bool {
	return len(short) >= 3 && len(short) < len(term) && len(term) >= 5 && len(short) <= 5 && strings.HasPrefix(term, short)
}

func (q *Question) set(text string) map[string]bool {
	m := map[string]bool{}
	if text == "" {
		return m
	}
	for _, w := range q.Words(text) {
		m[w] = true
	}
	return m
}

// period rates the cell's time.
func (q *Question) period(h *Hit, newest Period) {
	p := PeriodOf(&h.Cell)
	switch {
	case p.None():
		h.Undated = true
	case len(q.Periods) == 0:
		if p == newest {
			h.Score += forNewest
		}
	case slices.ContainsFunc(q.Periods, p.Within):
		h.Score += forPeriod
		h.Dated = true
	default:
		h.Score -= otherTime
	}
}
