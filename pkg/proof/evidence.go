package proof

import (
	"slices"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/cell"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/plain"
	"github.com/fingerpost/fingerpost/pkg/value"
	"github.com/fingerpost/fingerpost/pkg/words"
)

// evidence is a section as it is read once: the cells of its tables, the sentences of its prose.
type evidence struct {
	*Section
	done   bool
	cells  []fact
	prose  []sentence
	apart  []sentence      // what proves nothing
	blocks []plain.Block   // those that may prove something
	folded string          // heading and text, for quotes
	terms  map[string]bool // of heading and text
	years  []int           // of the heading
}

// fact is a cell with what its row and its column are called.
type fact struct {
	cell.Cell
	label   map[string]bool // terms of the row's own label
	row     map[string]bool // label with its parents
	headers map[string]bool // of the column, without years
	years   []int           // of period and headers; else of the section's heading
	span    int
	sheet   int
}

// sentence is a piece of prose with its numbers.
type sentence struct {
	lines    doc.Lines
	text     string
	language words.Language
	terms    map[string]bool
	numbers  []number
}

func (e *evidence) read() {
	if e.done {
		return
	}
	e.done, e.years = true, yearsIn(e.Head)
	e.terms = set(words.Analyze(e.Head, e.Language))
	all := []string{e.Head}
	for _, b := range plain.Blocks(e.Text, e.First) {
		if e.isApart(b.Lines) {
			e.apart = append(e.apart, e.sentences(b)...)
			continue
		}
		all, e.blocks = append(all, b.Text), append(e.blocks, b)
		for _, t := range words.Analyze(b.Text, e.Language) {
			e.terms[t] = true
		}
		if b.Table == nil {
			e.prose = append(e.prose, e.sentences(b)...)
		}
	}
	e.folded = fold(strings.Join(all, "\n"))
	e.tables()
}

func (e *evidence) isApart(l doc.Lines) bool {
	return slices.ContainsFunc(e.Apart, func(a doc.Lines) bool { return a.Start <= l.End && l.Start <= a.End })
}

func (e *evidence) sentences(b plain.Block) (out []sentence) {
	for _, s := range Split(b.Text) {
		times := yearsIn(s)
		if len(times) == 0 {
			times = e.years
		}
		out = append(out, sentence{lines: b.Lines, text: s, language: e.Language, terms: set(words.Analyze(s, e.Language)), numbers: numbersOf(s, e.convention(), times)})
	}
	return out
}

func (e *evidence) convention() value.Convention { return value.In(string(e.Language)) }

func (e *evidence) tables() {
	for _, sh := range cell.Sheets(e.Text, e.First, e.convention()) {
		for _, r := range sh.Rows {
			if e.isApart(r.Lines) {
				continue
			}
			for _, c := range r.Cells {
				e.cells = append(e.cells, e.fact(c, sh.N))
			}
		}
	}
}

func (e *evidence) fact(c cell.Cell, sheet int) fact {
	head := strings.Join(c.Columns, " ")
	f := fact{Cell: c, sheet: sheet, label: set(words.Analyze(c.Label, e.Language)), headers: set(words.Analyze(head, e.Language)), span: months(c.Period + " " + head)}
	f.row = set(words.Analyze(strings.Join(c.Parents, " ")+" "+c.Label, e.Language))
	for _, y := range yearsIn(head) {
		delete(f.headers, itoa(y))
	}
	for _, text := range []string{c.Period + " " + head, c.Row(), c.Caption, e.Head} {
		if f.years = yearsIn(text); len(f.years) > 0 {
			break
		}
	}
	return f
}

// fold is a text as quotes are compared: lower case, marks of quotation and dashes of one kind, single blanks.
func fold(s string) string {
	return strings.Join(strings.Fields(folder.Replace(strings.ToLower(s))), " ")
}

var folder = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`, "‘", "'", "’", "'", "–", "-", "—", "-", "‑", "-", "\u00a0", " ", "\u202f", " ", "|", " ", "*", "", "`", "")
