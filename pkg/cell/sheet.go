package cell

import (
	"regexp"
	"slices"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/table"
	"github.com/fingerpost/fingerpost/pkg/value"
)

// sheet makes the cells of one table.
func sheet(t *table.Table, n int, c value.Convention) Sheet {
	s := Sheet{Table: t, N: n, Rows: make([]Row, len(t.Rows))}
	money := moneyOf(t, c)
	for i := range t.Rows {
		r := &t.Rows[i]
		s.Rows[i] = Row{Row: r, N: i + 1}
		for j := range r.Cells {
			s.Rows[i].Cells = append(s.Rows[i].Cells, read(t, r, &r.Cells[j], doc.Spot{Table: n, Row: i + 1, Column: r.Cells[j].Column}, c, money))
		}
	}
	return s
}

// read is one cell.
func read(t *table.Table, r *table.Row, tc *table.Cell, at doc.Spot, c value.Convention, money money) Cell {
	col := t.Column(r, tc.Column)
	unit, scale := t.Measure(r, tc)
	label, marks := unmark(r.Label)
	x := Cell{Spot: at, Line: tc.Line, Lines: r.Lines, Caption: t.Caption, Label: label, Columns: col.Path, Period: t.When(r, tc),
		Unit: unit, Scale: int64(max(scale, 1)), Value: value.Parse(tc.Text, c), row: r, top: t.Lines.Start}
	for _, p := range r.Parents {
		p, more := unmark(p)
		x.Parents, marks = append(x.Parents, p), append(marks, more...)
	}
	for _, p := range col.Path {
		_, more := unmark(p)
		marks = append(marks, more...)
	}
	x.tail(r.Label, strings.Join(col.Path, ", "), t.Caption)
	if x.Unit == "%" {
		x.Value.Percent = x.Value.Number != nil
	}
	x.Currency = money.of(t, r, &x)
	x.Notes = notes(t, append(marks, x.Value.Notes...))
	return x
}

// tail takes the unit that stands behind the last comma of the label, the header or the caption, "Sales, EUR million", the
// nearest first, where nothing else says one.
func (c *Cell) tail(texts ...string) {
	for _, s := range texts {
		if c.Unit != "" || len(s) > 200 {
			return
		}
		_, unit, ok := strings.Cut(s[max(0, strings.LastIndexByte(s, ',')):], ",")
		if unit = strings.TrimSpace(unit); !ok || len(strings.Fields(unit)) > 4 {
			continue
		}
		if scale, cur := value.ScaleIn(unit), value.CurrencyIn(unit); scale > 1 || cur != "" || unit == "%" {
			c.Unit, c.Scale = unit, scale
		}
	}
}

// footnote is the marks of footnotes at the end of a label.
var footnote = regexp.MustCompile(`(?:\s*(?:\([a-z0-9]{1,2}\)|\[[a-z0-9]{1,2}\]|\*+|[†‡¹²³⁴⁵⁶⁷⁸⁹]+))+\s*$`)

// mark is one of them.
var mark = regexp.MustCompile(`\([a-z0-9]{1,2}\)|\[[a-z0-9]{1,2}\]|\*+|[†‡¹²³⁴⁵⁶⁷⁸⁹]+`)

// unmark cuts the marks of footnotes off a label; a label that is nothing else stays.
func unmark(s string) (string, []string) {
	s = strings.TrimSpace(s)
	if len(s) == 0 || len(s) > 400 {
		return s, nil
	}
	at := footnote.FindStringIndex(s)
	if at == nil || at[0] == 0 {
		return strings.TrimRight(s, ": "), nil
	}
	return strings.TrimRight(s[:at[0]], ": "), mark.FindAllString(s[at[0]:], -1)
}

// notes are the footnotes that the marks name; "(a)" and "a" are the same.
func notes(t *table.Table, marks []string) (out []table.Note) {
	for _, n := range t.Notes {
		if slices.ContainsFunc(marks, func(m string) bool { return bare(m) == bare(n.Mark) }) {
			out = append(out, n)
		}
	}
	return out
}

var superscripts = strings.NewReplacer("¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9")

func bare(mark string) string { return superscripts.Replace(strings.Trim(mark, "()[]. ")) }

// money is what a table says of its currencies.
type money struct {
	whole  string         // the one currency of the unit line, or of all cells; "" when they differ or none is named
	column map[int]string // the one currency of the cells of a column
	mixed  map[int]bool   // columns whose cells differ
	row    map[*table.Row]string
}

// moneyOf gathers the currencies. A statement writes the sign in its first and last row only; the rows between are money too.
func moneyOf(t *table.Table, c value.Convention) money {
	m := money{whole: value.CurrencyIn(t.Unit), column: map[int]string{}, mixed: map[int]bool{}, row: map[*table.Row]string{}}
	all := map[string]bool{}
	for i := range t.Rows {
		r := &t.Rows[i]
		for j := range r.Cells {
			cur := value.Parse(r.Cells[j].Text, c).Currency
			if cur == "" {
				continue
			}
			all[cur] = true
			m.row[r] = cur
			if col := r.Cells[j].Column; m.column[col] == "" {
				m.column[col] = cur
			} else if m.column[col] != cur {
				m.mixed[col] = true
			}
		}
	}
	if m.whole == "" && len(all) == 1 {
		for cur := range all {
			m.whole = cur
		}
	}
	return m
}

// of is the currency of a cell: its own, its header's, its row's, its column's, the table's. A percentage and a count have
// none.
func (m money) of(t *table.Table, r *table.Row, x *Cell) string {
	if x.Value.Currency != "" {
		return x.Value.Currency
	}
	if x.Value.Number == nil || x.Percent() || x.Value.Unit != "" || counted(r.Unit) || counted(strings.Join(x.Columns, " ")) || counted(x.Label) {
		return ""
	}
	for _, text := range append(slices.Clone(x.Columns), x.Unit, r.Label) {
		if cur := value.CurrencyIn(text); cur != "" {
			return cur
		}
	}
	if cur := m.row[r]; cur != "" {
		return cur
	}
	if col := x.Spot.Column; m.column[col] != "" {
		if m.mixed[col] {
			return ""
		}
		return m.column[col]
	}
	return m.whole
}

// counts are words by which a row or column shows that it counts things, or time, rather than money.
var counts = regexp.MustCompile(`(?i)\b(number of|shares? (used|outstanding|issued|repurchased)|weighted.average (shares|number)|headcount|employees|stores|in years|useful li(fe|ves)|days|percent(age)?|%|ratio)\b`)

func counted(s string) bool { return s != "" && len(s) < 400 && counts.MatchString(s) }
