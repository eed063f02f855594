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
	if excepted(t.Unit, r) {
		return "", 1
	}
	return t.Unit, t.Scale
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
