package table

import "strings"

// Measure is the unit of one cell as it is written, and the factor of its number: the row's own
// ("Billed business (billions)") before the column's before the table's. A percentage has the unit
// "%"; a row that the table's unit excepts ("in millions, except per share amounts") has no factor.
func (t *Table) Measure(r *Row, c *Cell) (unit string, scale float64) {
	if strings.ContainsRune(c.Text, '%') {
		return "%", 1
	}
	if r.Unit != "" {
		_, scale, _ = unitText("(" + r.Unit + ")")
		return r.Unit, scale
	}
	col := t.Column(r, c.Column)
	for _, p := range append([]string{col.Unit}, col.Path...) {
		text, scale, ok := unitText("(" + p + ")")
		if p != col.Unit {
			text, scale, ok = unitInside(p)
		}
		if ok {
			return text, scale
		}
	}
	if excepted(t.Unit, r) || priced(t.Unit, c, col.Path) {
		return "", 1
	}
	return t.Unit, t.Scale
}

// When is the time of one cell: its column's, its row's, or the table's, the first that names its
// year; the row's year completes a column's, or a label column's, "Years ended December 31,". It
// is "" when none does.
func (t *Table) When(r *Row, c *Cell) string {
	col := t.Column(r, c.Column).Period
	switch {
	case hasYear(col):
		return col
	case r.Period == "":
		return t.Period
	case col == "":
		col = t.Column(r, 1).Period
	}
	if year(r.Period) && col != "" && !hasYear(col) {
		return col + ", " + r.Period
	}
	return r.Period
}

// counted are things that a unit may count, "Shares in thousands"; prices are column headers of
// what is no count; perPiece those of what no scale of the table holds for.
var (
	counted  = []string{"share", "unit", "option", "award", "rsu", "contract", "employee", "store"}
	prices   = []string{"price", "value", "cost", "amount", "rate", "percent", "%", "per share", "per unit", "term", "life", "years"}
	perPiece = []string{"per share", "per unit", "exercise price", "grant price", "share price", "average price", "grant date fair value", "grant-date fair value"}
)

// priced reports whether the table's unit cannot be that of a cell: it counts things and the cell
// is money, or stands below the header of a price, a rate or a term.
func priced(unit string, c *Cell, path []string) bool {
	head, low := strings.ToLower(strings.Join(path, " ")), strings.ToLower(unit)
	if hasAny(head, perPiece) {
		return true
	}
	if !hasAny(low, counted) || hasAny(low, []string{"$", "dollar", "except", "million of", "amounts"}) {
		return false
	}
	return strings.ContainsAny(c.Text, "$€£¥") || hasAny(head, prices)
}

// hasAny reports whether s contains one of the words.
func hasAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// exceptions are what a unit line excepts, with the words by which a row shows that it is one.
var exceptions = []struct {
	unit string
	rows []string
}{
	{"per share", []string{"per share", "per common share", "earnings per", "loss per", "basic", "diluted", "dividends declared per"}},
	{"percent", []string{"percent", "percentage", "% of", "margin", "rate", "ratio"}},
	{"ratio", []string{"ratio"}},
	{"rate", []string{"rate"}},
	{"share", []string{"per share", "per common share"}},
}

func excepted(unit string, r *Row) bool {
	_, except, ok := strings.Cut(strings.ToLower(unit), "except")
	if !ok {
		return false
	}
	label := strings.ToLower(r.Full())
	if strings.Contains(label, "shares used") || strings.Contains(label, "shares outstanding") {
		return false
	}
	for _, e := range exceptions {
		if !strings.Contains(except, e.unit) {
			continue
		}
		for _, w := range e.rows {
			if strings.Contains(label, w) {
				return true
			}
		}
	}
	return false
}
